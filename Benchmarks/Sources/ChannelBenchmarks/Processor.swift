import Foundation
import Journeys
import Synchronization

/// What the figures were measured on.
enum Processor {
  /// The processor's name, and what an uncontended atomic addition costs on it.
  static var line: String {
    let cost = String(format: "%.1f", nanosecondsOfAnAtomicAddition)
    return "\(name): \(cost) ns for an uncontended atomic addition"
  }

  private static var name: String {
    guard let lines = try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8) else {
      return "A processor without a name"
    }
    let model = lines.split(separator: "\n").first { $0.hasPrefix("model name") }
    return model?.split(separator: ":").last?.trimmingCharacters(in: .whitespaces)
      ?? "A processor without a name"
  }

  /// The lowest of several runs: other programs only make it higher.
  private static var nanosecondsOfAnAtomicAddition: Double {
    let count = 1_000_000
    let number = Atomic(0)
    let clock = ContinuousClock()
    let times = (0..<7).map { _ in
      clock.measure { for _ in 0..<count { number.wrappingAdd(1, ordering: .relaxed) } }
    }
    return (times.min() ?? .zero) / .nanoseconds(count)
  }
}
