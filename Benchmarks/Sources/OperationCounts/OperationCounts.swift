import Foundation

/// `OperationCounts NAME TIMES`: does one operation so often, for a profiler to count what it does.
///
/// `check-counts` runs it under callgrind, twice for each operation: the difference of the two is
/// what the operation costs.
@main
struct OperationCounts {
  static func main() {
    let arguments = CommandLine.arguments.dropFirst()
    if arguments.isEmpty { return print(Operation.all.map(\.line).joined(separator: "\n")) }
    guard
      arguments.count == 2, let name = arguments.first,
      let times = arguments.last.flatMap({ Int($0) }),
      let operation = Operation.all.first(where: { $0.name == name })
    else {
      FileHandle.standardError.write(Data("usage: OperationCounts [NAME TIMES]\n".utf8))
      exit(64)
    }
    Task.detached {
      if await operation.run(times) { exit(0) }
      FileHandle.standardError.write(Data("error: \(name) counted wrong\n".utf8))
      exit(1)
    }
    // An asynchronous `main` ends in `dispatchMain`, which valgrind (3.19) does not survive.
    RunLoop.main.run()
  }
}

/// Something that is done many times.
struct Operation: Sendable {
  let name: String
  /// How often it is done in the shorter of two runs; the longer does it three times as often.
  let times: Int
  /// Whether several threads take part, or a table whose hashes are seeded at random, so that two runs are not quite
  /// equal.
  let isConcurrent: Bool
  /// False if a subscriber did not get what it should have.
  let run: @Sendable (_ times: Int) async -> Bool

  init(
    _ name: String, times: Int = 8_192, isConcurrent: Bool = false,
    _ run: @escaping @Sendable (_ times: Int) async -> Bool
  ) {
    self.name = name
    self.times = times
    self.isConcurrent = isConcurrent
    self.run = run
  }

  var line: String { "\(name) \(times) \(isConcurrent ? "concurrent" : "alone")" }

  static let all = sending + delivering + values + derived + observing + others + journeys
}
