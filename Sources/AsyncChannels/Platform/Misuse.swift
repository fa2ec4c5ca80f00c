import Synchronization

/// What this package reports to a developer.
@usableFromInline
package enum Misuse {
  private static let hasReported = Atomic(false)

  /// Ends the program with a sentence, in release builds too, where `precondition` prints none.
  @usableFromInline
  package static func trap(_ sentence: String) -> Never {
    fatalError(sentence)
  }

  /// Writes a sentence to standard error, the first time in a program and never again: for a
  /// program that is correct, but hardly meant as it is.
  static func reportOnce(_ sentence: @autoclosure () -> String) {
    guard !hasReported.exchange(true, ordering: .relaxed) else { return }
    writeToStandardError("AsyncChannels: \(sentence())\n")
  }
}

/// Traps unless a duration is positive, or zero where that may be.
package func requirePositive(
  _ duration: Duration, orZero: Bool = false, _ problem: @autoclosure () -> String
) {
  if orZero ? duration < .zero : duration <= .zero { Misuse.trap("\(problem()) \(duration).") }
}
