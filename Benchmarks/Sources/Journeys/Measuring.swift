/// A subject that did not do its work: its figure would mean nothing.
package struct WrongCount: Error, CustomStringConvertible {
  package let description: String

  package init(description: String) {
    self.description = description
  }

  package static func check(_ what: String, _ count: Int, is expected: Int) throws {
    guard count == expected else {
      throw WrongCount(description: "\(what): expected \(expected), got \(count)")
    }
  }
}

/// How long something takes.
package func nanoseconds(_ work: () async throws -> Void) async rethrows -> Double {
  let start = ContinuousClock.now
  try await work()
  return (ContinuousClock.now - start).nanoseconds
}

/// Where `check-counts` begins to count, if an operation calls it: what came before does not always cost the same.
@inline(never) @_optimize(none)
package func countedPartBegins() {}

/// Where it ends.
@inline(never) @_optimize(none)
package func countedPartEnds() {}

extension Duration {
  package var nanoseconds: Double {
    Double(components.seconds) * 1e9 + Double(components.attoseconds) / 1e9
  }
}
