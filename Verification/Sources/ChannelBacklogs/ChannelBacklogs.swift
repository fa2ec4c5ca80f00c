import Foundation
import Proof

/// What backlogs cost in memory, and whether it comes back: bounds that are checked, with figures.
///
/// Each measure runs in a process of its own, since what one leaves behind another would find and
/// use, and so that one that crashes or hangs is a sentence too.
@main
struct ChannelBacklogs {
  static let measures: [any Measure.Type] = [StuckSubscriber.self, OutrunningProducer.self]

  static func main() async {
    Resident.useOneHeap()
    do {
      let options = try Options(CommandLine.arguments.dropFirst())
      if options.wantsHelp { return print(usage, terminator: "") }
      if let measure = options.measure {
        print("\(measure.name): \(try await measure.init(options).run())")
      } else {
        try runAll(options)
      }
    } catch let error as UsageError {
      complain("ChannelBacklogs: \(error.sentence)")
      exit(64)
    } catch {
      complain("ChannelBacklogs: \(error)")
      exit(1)
    }
  }

  private static func runAll(_ options: Options) throws {
    var broken: [String] = []
    for measure in measures where try !runApart(measure, options) { broken.append(measure.name) }
    if !broken.isEmpty { throw BoundBroken("failed: \(broken.joined(separator: ", "))") }
  }

  /// True if it held. What is wrong otherwise was said by the process, or is said here.
  private static func runApart(_ measure: any Measure.Type, _ options: Options) throws -> Bool {
    let process = Process()
    process.executableURL = URL(filePath: CommandLine.arguments[0])
    process.arguments = [measure.name] + CommandLine.arguments.dropFirst()
    try process.run()
    let watchdog = DispatchWorkItem {
      complain("ChannelBacklogs: \(measure.name) did not end within \(options.deadline) s")
      kill(process.processIdentifier, SIGKILL)
    }
    DispatchQueue.global().asyncAfter(deadline: .now() + options.deadline, execute: watchdog)
    process.waitUntilExit()
    watchdog.cancel()
    if process.terminationReason == .uncaughtSignal {
      complain("ChannelBacklogs: \(measure.name) was ended by signal \(process.terminationStatus)")
    }
    return process.terminationReason == .exit && process.terminationStatus == 0
  }

  private static var usage: String {
    var text = "usage: ChannelBacklogs [MEASURE] [OPTION …]\n\n"
    for measure in measures { text += "  \(measure.name): \(measure.summary)\n" }
    return text + """

      Without a measure, all are run. The exit status is 1 if a bound was broken.

        --quick         uses small figures and takes at most 15 s, for every change
        --sends N       the number of elements sent past the stuck subscribers (100000000)
        --seconds T     how many seconds the producer outruns its consumers (60)
        --megabytes M   the approximate size of their backlogs (1500)

      """
  }
}

/// Something that is measured, with a bound that must hold.
protocol Measure: Sendable, SendableMetatype {
  static var name: String { get }
  static var summary: String { get }

  init(_ options: Options)

  /// Returns a line of figures, or throws what is broken.
  func run() async throws -> String
}

/// A promise that was not kept.
struct BoundBroken: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }

  static func unless(_ holds: Bool, _ sentence: @autoclosure () -> String) throws(BoundBroken) {
    if !holds { throw BoundBroken(sentence()) }
  }
}
