import Foundation
import SharedChannels

extension NATSStream {
  func append(_ batch: [Keyed<Data>]) throws -> [Receipt] {
    var seen: Set<String> = []
    let elements = batch.filter { seen.insert($0.key).inserted }
    try requireSpace(for: elements)
    var (known, missing) = ([String: Position](), [Keyed<Data>]())
    let stored = try store { newest in
      known = try positions(of: elements.map(\.key), newest)
      missing = elements.filter { known[$0.key] == nil }
      if missing.isEmpty { return nil }
      var record = newest.next()
      (record.count, record.data) = (Int64(missing.count), NATSRecord.encode(missing))
      return record
    }
    var new: [String: Position] = [:]
    for (key, position, _) in try stored?.entries() ?? [] { new[key] = position }
    return batch.map { element in
      let position = new.removeValue(forKey: element.key)
      defer { if let position { known[element.key] = position } }
      return Receipt(position: (position ?? known[element.key])!, isRepeated: position == nil)
    }
  }

  private func requireSpace(for elements: [Keyed<Data>]) throws {
    let size = elements.reduce(1_024) { $0 + 5 + $1.key.utf8.count + $1.value.count }
    guard size <= connection.maxPayload else {
      throw LogFailure.refused(
        "a batch of \(size) bytes is more than the server's max_payload, \(connection.maxPayload)")
    }
  }

  /// Where the log has these keys, those of deleted entries aside.
  private func positions(of keys: [String], _ newest: NATSRecord) throws -> [String: Position] {
    var positions: [String: Position] = [:]
    for sequence in self.keys.batches(with: keys) where sequence >= self.keys.firstSequence {
      // A server that has just become the leader may not have it yet.
      guard var record = try record(at: sequence) else { throw Self.isMissing(sequence) }
      record.epoch = newest.epoch
      for (key, position, _) in try record.entries() where position.index >= newest.first {
        positions[key] = position
      }
    }
    return positions
  }

  /// Stores the record that comes after the newest one.
  ///
  /// Who has stored the newest record waits a little if others append too, so that they come to their turn.
  ///
  /// - Parameter make: Makes it. It is called again if another record came first. If it returns nil, nothing is stored.
  func store(
    id: UInt64 = .random(in: 1 ... .max), _ make: (_ newest: NATSRecord) throws -> NATSRecord?
  ) throws -> NATSRecord? {
    var newest = try follow()
    if newest.id == ownRecord, othersAppended + .milliseconds(100) > .now {
      Thread.sleep(forTimeInterval: .random(in: 0.0005...0.0015))
      newest = try follow()
    }
    while var record = try make(newest) {
      record.id = id
      switch try store(record, after: newest.sequence) {
      case .stored(let sequence):
        record.sequence = sequence
        try keys.take(record)
        follower?.skip(to: sequence)
        ownRecord = id
        return record
      case .taken(let sequence):
        guard sequence > newest.sequence else {
          throw LogFailure.unreachable("the NATS server does not have all of the log")
        }
        var own: NATSRecord?
        newest = try follow(to: sequence) { if $0.id == id { own = $0 } }
        if let own { return own }
      }
    }
    return nil
  }

  /// Learns what others have appended, and returns the newest record: a later one than this, or of all that was stored
  /// before the connection.
  private func follow(
    to sequence: Int64 = 0, _ look: (NATSRecord) -> Void = { _ in }
  ) throws -> NATSRecord {
    var (sequence, first) = (sequence, keys.newest?.first ?? 1)
    if follower?.isStale ?? true {
      try synchronize()
      let newest = try newest()
      (sequence, first) = (newest.sequence, newest.first)
      // If the log was set back, or all that was known is deleted, what it has is read anew.
      if let known = keys.newest, try record(at: known.sequence)?.id != known.id {
        keys = NATSKeys()
      }
      follower = try tail(after: keys.newest?.sequence ?? 0)
    }
    while let record = try nextRecord(isAwaited: keys.newest?.sequence ?? -1 < sequence) {
      let index = keys.newest?.end.index ?? first - 1
      guard let replacements = try replacements(after: index, before: record) else {
        keys = NATSKeys()
        throw LogFailure.unreachable("entries were deleted while they were read")
      }
      try replacements.forEach(keys.take)
      try keys.take(record)
      othersAppended = .now
      look(record)
    }
    return keys.newest!
  }

  private func nextRecord(isAwaited: Bool) throws -> NATSRecord? {
    if !isAwaited { return try follower?.nextRecord(until: .now) }
    guard let record = try follower?.nextRecord(until: .now + .seconds(5)) else {
      throw LogFailure.unreachable("a record of the stream does not come")
    }
    return record
  }

  static func isMissing(_ sequence: Int64) -> LogFailure {
    .unreachable("the record \(sequence) of the stream is not found")
  }
}
