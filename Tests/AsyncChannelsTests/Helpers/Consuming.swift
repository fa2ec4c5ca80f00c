import TestSupport
@testable import AsyncChannels

extension AsyncSequence where Self: Sendable, Element: Sendable, Failure == Never {
  /// Everything up to the end, which must come.
  func collect() async throws -> [Element] {
    try await within(.seconds(60), "collecting") {
      var elements: [Element] = []
      for await element in self { elements.append(element) }
      return elements
    }
  }

  /// The next `count` elements, which must come.
  func take(_ count: Int) async throws -> [Element] {
    try await within(.seconds(60), "taking \(count)") {
      var elements: [Element] = []
      guard count > 0 else { return elements }
      for await element in self {
        elements.append(element)
        if elements.count == count { break }
      }
      return elements
    }
  }
}

extension Channel {
  /// Waits until this many consumers are asleep.
  func untilAsleep(_ count: Int) async throws {
    try await until("\(count) consumers asleep") { self.log.sleeperCount == count }
  }
}
