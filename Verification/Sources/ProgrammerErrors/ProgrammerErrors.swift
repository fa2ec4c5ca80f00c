import AsyncChannels
import Foundation
import Proof

/// Makes each mistake that the library ends a program for, in a process of its own, as a release
/// build does: a process must die soon, of a trap, with a sentence that names the type.
@main
struct ProgrammerErrors {
  /// In seconds: what a process may use of a processor. One that spins uses more.
  private static let budget = 1.0

  static func main() throws {
    if CommandLine.arguments.count > 1 { return make(CommandLine.arguments[1]) }
    for mistake in Mistake.all {
      if let fault = try fault(of: mistake) { fail("\(mistake.name): \(fault)") }
    }
    print("\(Mistake.all.count) mistakes, each with its sentence")
  }

  private static func make(_ name: String) {
    guard let mistake = Mistake.all.first(where: { $0.name == name }) else {
      fail("There is no mistake \(name).")
    }
    // A hang ends, too, and not by a trap.
    alarm(20)
    mistake.make()
  }

  private static func fault(of mistake: Mistake) throws -> String? {
    let process = Process()
    // The death is expected: it is to leave no core file.
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = [
      "-c", "ulimit -c 0; exec \"$0\" \"$@\"", CommandLine.arguments[0], mistake.name,
    ]
    process.environment = ["SWIFT_BACKTRACE": "enable=no"]
    let output = Pipe()
    process.standardError = output
    let before = processorTime
    try process.run()
    let said = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    let spent = processorTime - before
    let sentence = String(decoding: said, as: UTF8.self)
    guard process.terminationReason == .uncaughtSignal,
      [SIGILL, SIGTRAP].contains(process.terminationStatus)
    else { return "it ended with \(process.terminationStatus) and said: \(sentence)" }
    if !sentence.contains(mistake.sentence) { return "it said: \(sentence)" }
    return spent < budget ? nil : "it took \(spent) s of a processor"
  }

  /// Of the processes that have ended, in seconds.
  private static var processorTime: Double {
    var spent = tms()
    times(&spent)
    return Double(spent.tms_cutime + spent.tms_cstime) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }
}
