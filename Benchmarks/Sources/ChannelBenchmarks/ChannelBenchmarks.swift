import Foundation

/// `ChannelBenchmarks [--quick] [--json FILE] [WORKLOAD …]`
@main
struct ChannelBenchmarks {
  static func main() async {
    do {
      try await run(CommandLine.arguments.dropFirst())
    } catch {
      progress("error: \(error)")
      exit(error is UsageError ? 64 : 1)
    }
  }

  private static func run(_ arguments: ArraySlice<String>) async throws {
    var arguments = arguments
    var names: [String] = []
    var file: String?
    var isQuick = false
    while let argument = arguments.popFirst() {
      switch argument {
      case "--quick": isQuick = true
      case "--json":
        guard let name = arguments.popFirst() else { throw UsageError("--json takes a file") }
        file = name
      case "--memory-probe":
        guard
          let probe = arguments.popFirst().flatMap(MemoryProbe.init),
          let count = arguments.popFirst().flatMap({ Int($0) }), count > 0
        else { throw UsageError("--memory-probe takes a probe and how many") }
        return print(try await probe.run(count))
      case "--help", "-h": return print(usage)
      case let name where !name.hasPrefix("-"): names.append(name)
      default: throw UsageError("there is no option \(argument)\n\(usage)")
      }
    }
    let scale = Scale(isQuick: isQuick)
    let all = workloads(scale)
    if let unknown = names.first(where: { name in !all.contains { $0.name == name } }) {
      throw UsageError("there is no workload \(unknown)\n\(usage)")
    }
    let runner = Runner(rounds: isQuick ? 1 : 7, report: progress)
    var figures: [Figure] = []
    for workload in all where names.isEmpty || names.contains(workload.name) {
      figures += try await runner.run(workload)
    }
    print(Processor.line)
    print(Table(figures).text)
    if let file {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
      try encoder.encode(figures).write(to: URL(filePath: file))
    }
  }

  private static func workloads(_ scale: Scale) -> [Workload] {
    [
      .fanOut(scale), .slowSubscriber(scale), .roundTrip(scale), .sendCost(scale),
      .lastWoken(scale), .senders(scale), .subscribing(scale), .memory(scale),
      .currentValue(scale), .idle(scale), .manyChannels(scale), .burst(scale), .batches(scale),
      .burstMemory(scale), .viewModel(scale), .answering(scale), .recordings(scale),
      .roundTripLoaded(scale), .sendCostLoaded(scale), .viewModelLoaded(scale),
      .mainThread(scale), .idleCost(scale),
    ]
  }

  private static var usage: String {
    let names = workloads(Scale(isQuick: true)).map(\.name).joined(separator: " ")
    return """
      usage: ChannelBenchmarks [--quick] [--json FILE] [WORKLOAD …]
      workloads: \(names)
      """
  }

  @Sendable
  private static func progress(_ line: String) {
    FileHandle.standardError.write(Data((line + "\n").utf8))
  }
}

struct UsageError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
