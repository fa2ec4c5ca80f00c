import Foundation

/// How long the tests are that try something many times. `ASYNCCHANNELS_FULL=1 swift test` runs them at full length,
/// as `Verification/verify mix --full` does. Otherwise they are a twentieth as long, or less.
package enum Length {
  package static let isFull = ProcessInfo.processInfo.environment["ASYNCCHANNELS_FULL"] != nil

  package static func rounds(_ full: Int) -> Int { isFull ? full : max(1, full / 20) }

  /// Each fifth of them, another fifth for each number; or another part than a fifth.
  package static func sample<Value>(
    _ values: [Value], _ number: Int, of parts: Int = 5
  ) -> [Value] {
    if isFull { return values }
    return values.enumerated().filter { $0.offset % parts == number % parts }.map(\.element)
  }
}
