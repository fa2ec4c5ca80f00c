import Foundation
import SharedChannels

extension NATSStream {
  /// What an append knows of the keys of its batch.
  private struct Keys {
    /// Where the log has keys already.
    var known: [String: Position] = [:]
    /// The next claim of a key: how many there were before.
    var claims: [String: Int] = [:]
    /// The keys that are claimed for the batch with this number.
    var own: Set<String> = []
  }

  func append(_ batch: [Keyed<Data>]) throws -> [Receipt] {
    var first: Set<String> = []
    let elements = batch.filter { first.insert($0.key).inserted }
    try requireSpace(for: elements)
    let counter = try openCounter()
    var keys = Keys()
    var id = UInt64.random(in: 1 ... .max)
    var new: [String: Position] = [:]
    while new.isEmpty {
      let missing = elements.filter { keys.known[$0.key] == nil }
      if missing.isEmpty { break }
      guard try claim(missing.map(\.key), for: id, &keys) else { continue }
      try counter.catchUp()
      let headers = NATSRecord.headers(counter.place, count: missing.count)
      if let sequence = try storeBatch(id, (headers, NATSRecord.encode(missing))) {
        new = try positions(of: missing.map(\.key), sequence, counter)
      } else {
        for key in keys.own { keys.claims[key, default: 0] += 1 }
        (id, keys.own) = (.random(in: 1 ... .max), [])
      }
    }
    first = []
    return batch.map { element in
      let isNew = first.insert(element.key).inserted && new[element.key] != nil
      return Receipt(
        position: (new[element.key] ?? keys.known[element.key])!, isRepeated: !isNew)
    }
  }

  private func requireSpace(for elements: [Keyed<Data>]) throws {
    let size = elements.reduce(1_024) { $0 + 5 + $1.key.utf8.count + $1.value.count }
    guard size <= connection.maxPayload else {
      throw LogFailure.refused(
        "a batch of \(size) bytes is more than the server's max_payload, \(connection.maxPayload)")
    }
  }

  private func openCounter() throws -> NATSTail {
    if let counter, !counter.isStale { return counter }
    try synchronize()
    let counter = try tail(after: try lastPlace(), headersOnly: true)
    counter.epoch = try epoch().epoch
    self.counter = counter
    return counter
  }

  /// Stores a batch, and returns its sequence; nil if others have waited long enough for it, and stored its tombstone.
  ///
  /// A server may process a message twice. It may then answer that the batch's subject has a message, which is the
  /// batch.
  func storeBatch(
    _ id: UInt64, _ content: (headers: [String: String], data: Data)
  ) throws -> Int64? {
    if case .stored(let sequence) = try store(batchSubject(id), content) { return sequence }
    guard let record = try last(batchSubject(id))?.record() else {
      throw LogFailure.unreachable("a batch that the stream has cannot be read")
    }
    return record.count > 0 ? record.sequence : nil
  }

  /// The places of the entries of a batch that is at this sequence.
  private func positions(
    of keys: [String], _ sequence: Int64, _ counter: NATSTail
  ) throws -> [String: Position] {
    let before = try counter.place(before: sequence)
    let mark = counter.place.mark
    let epoch = counter.epoch ?? ""
    return Dictionary(
      uniqueKeysWithValues: keys.enumerated().map { offset, key in
        (key, Position(epoch: epoch, index: before.index + Int64(offset) + 1, mark: mark))
      })
  }

  private func batchSubject(_ id: UInt64) -> String { "b.\(hexadecimal(id))" }

  /// A subject cannot have spaces and dots.
  private func claimSubject(_ key: String, _ claim: Int) -> String {
    "k.\(Data(key.utf8).base64EncodedString())" + (claim == 0 ? "" : ".\(claim)")
  }

  /// Claims keys for a batch. False if some of them were claimed before: then more is known of these.
  private func claim(_ missing: [String], for id: UInt64, _ keys: inout Keys) throws -> Bool {
    let free = missing.filter { !keys.own.contains($0) }
    let stored = try store(
      free.map { (claimSubject($0, keys.claims[$0] ?? 0), [:], Data(hexadecimal(id).utf8)) })
    var others: [(key: String, sequence: Int64)] = []
    for (key, stored) in zip(free, stored) {
      switch stored {
      case .stored: keys.own.insert(key)
      case .taken(let sequence): others.append((key, sequence))
      }
    }
    let claims = try get(others.map { #"{"seq": \#($0.sequence)}"# })
    var batches: [UInt64: [String: Position]] = [:]
    for ((key, _), claim) in zip(others, claims) {
      guard let data = claim?.data,
        let other = UInt64(String(decoding: data, as: UTF8.self), radix: 16)
      else { throw LogFailure.unreachable("the claim of a key cannot be read") }
      if other == id {
        // The server has processed the claim twice.
        keys.own.insert(key)
        continue
      }
      let places = try batches[other] ?? positions(ofBatch: other)
      batches[other] = places
      if let place = places[key] {
        keys.known[key] = place
      } else {
        keys.claims[key, default: 0] += 1
      }
    }
    return others.isEmpty
  }

  /// The places of the entries of another's batch: of none, if it has a tombstone, and gets one if it does not come.
  private func positions(ofBatch id: UInt64) throws -> [String: Position] {
    let patience = ContinuousClock.now + .milliseconds(.random(in: 100...300))
    while true {
      if let record = try last(batchSubject(id))?.record() {
        if record.count == 0 { return [:] }
        let before = try place(before: record)
        let epoch = try epoch().epoch ?? ""
        return Dictionary(
          uniqueKeysWithValues: try record.entries().enumerated().map { offset, entry in
            let index = before.index + Int64(offset) + 1
            return (entry.key, Position(epoch: epoch, index: index, mark: record.mark))
          })
      }
      if ContinuousClock.now < patience {
        Thread.sleep(forTimeInterval: 0.01)
      } else {
        let place = counter?.place ?? NATSPlace()
        _ = try store(batchSubject(id), (NATSRecord.headers(place), Data()))
      }
      try Task.checkCancellation()
    }
  }
}
