import AsyncChannels
import Synchronization

/// The texts and numbers that were sent in lanes of secrets, so that they are hidden in other lanes,
/// too: what is refused by `answer(.firstOnly, ignored:)`, or what a task sends on.
///
/// It is a Bloom filter: three bits for each value, among a million. So none that was added is ever
/// missed, and the memory does not grow. With 10,000 secrets, one other value in 40,000 is hidden
/// needlessly; with 100,000, one in 60.
final class SecretValues: Sendable {
  private let words = Locked<[UInt64]>([])
  private let isEmpty = Atomic(true)
  private static let bits = 20

  /// Relaxed: a value that a task sends on was added before that task could take it, and the log's
  /// lock orders both.
  var areNone: Bool { isEmpty.load(ordering: .relaxed) }

  /// Nothing is told by the empty text, with which a field begins.
  func add(_ text: String) {
    if !text.isEmpty { add([text.hashValue]) }
  }

  private func add(_ hashes: some Sequence<Int>) {
    words.withLock { words in
      if words.isEmpty { words = Array(repeating: 0, count: 1 << (Self.bits - 6)) }
      for place in hashes.flatMap(Self.places) { words[place.word] |= place.bit }
    }
    isEmpty.store(false, ordering: .relaxed)
  }

  /// All but what tells nothing of secrets with this name. Of too many, nobody knows which they are.
  func add(_ suspects: Suspects, areHarmlessNumbers: Bool) {
    if suspects.areTooMany {
      words.withLock { $0 = Array(repeating: .max, count: 1 << (Self.bits - 6)) }
    }
    add(suspects.hashes.filter { !(areHarmlessNumbers && $0.value) }.keys)
  }

  func contains(_ text: String) -> Bool {
    guard !areNone, !text.isEmpty else { return false }
    let places = Self.places(of: text.hashValue)
    return words.withLock { words in places.allSatisfy { words[$0.word] & $0.bit != 0 } }
  }

  private static func places(of hash: Int) -> [(word: Int, bit: UInt64)] {
    let hash = UInt(bitPattern: hash)
    return (0..<3).map { round in
      let place = (hash >> UInt(bits * round)) & (1 << UInt(bits) - 1)
      return (Int(place >> 6), 1 << UInt64(place & 63))
    }
  }
}

/// The texts and numbers that were sent in a lane before it had its name, which may be that of a secret.
struct Suspects: Sendable {
  private static let limit = 128

  /// Of each value, with whether it is a number.
  private(set) var hashes: [Int: Bool] = [:]
  private(set) var areTooMany = false

  mutating func add(_ text: String, isNumber: Bool) {
    if !text.isEmpty { hashes[text.hashValue] = isNumber }
  }

  mutating func add(_ others: Suspects) {
    guard !areTooMany else { return }
    hashes.merge(others.hashes) { first, _ in first }
    areTooMany = hashes.count > Self.limit
  }
}
