import Foundation
import SharedChannels

/// What an appender knows of the log: its newest record, and in which batches its keys are. It outlives a connection,
/// so that only a start reads all of the log.
///
/// Of a key it has the hash, whose seed is the process's own, and the batch: 16 bytes, and 22 to 43 with the
/// dictionary's reserve. Two keys may have one hash. So a key is looked for in the batch, and in each other batch with
/// this hash.
final class NATSKeys {
  private(set) var newest: NATSRecord?
  private var sequences: [Int: Int64] = [:]
  /// Older batches with the same hash.
  private var further: [Int: [Int64]] = [:]
  /// Where batches end, in order.
  private var batches: [(end: Int64, sequence: Int64)] = []

  /// - Throws: ``LogFailure/unreachable(_:)`` if the servers have stored two records behind one.
  func take(_ record: NATSRecord) throws {
    guard record.index >= newest?.end.index ?? 0 else {
      throw LogFailure.unreachable("the record \(record.sequence) does not come after the others")
    }
    for (key, _, _) in try record.entries() {
      if let older = sequences.updateValue(record.sequence, forKey: key.hashValue) {
        further[key.hashValue, default: []].append(older)
      }
    }
    if record.count > 0 { batches.append((record.end.index, record.sequence)) }
    let hasMoved = record.first > newest?.first ?? 1
    newest = record
    newest?.data = Data()
    if hasMoved { forget() }
  }

  /// The batch with the first entry that is not deleted. What comes before it can be deleted.
  var firstSequence: Int64 {
    batches.first { $0.end >= newest?.first ?? 1 }?.sequence ?? newest?.sequence ?? 0
  }

  /// The batches that may have the keys.
  func batches(with keys: [String]) -> Set<Int64> {
    Set(
      keys.flatMap { key in
        (sequences[key.hashValue].map { [$0] } ?? []) + further[key.hashValue, default: []]
      })
  }

  /// Most of the time it keeps deleted keys, since removing them takes a while.
  private func forget() {
    let first = firstSequence
    batches.removeAll { $0.sequence < first }
    guard let newest, sequences.count > 2 * (newest.end.index - newest.first) + 10_000 else {
      return
    }
    sequences = sequences.filter { $0.value >= first }
    further = further.mapValues { $0.filter { $0 >= first } }.filter { !$0.value.isEmpty }
  }
}
