import Foundation
import SharedChannels

/// A log in a stream. Its messages have these subjects:
///
/// - `NAME.b.NUMBER`: the batch with this random number, or its tombstone
/// - `NAME.b.epoch.NUMBER`: the name of an epoch
/// - `NAME.k.KEY`: the claim of a key by a batch; `NAME.k.KEY.NUMBER`: a later claim
/// - `NAME.s.VERSION`: the newest snapshot of a version; `NAME.s.VERSION.ID.NUMBER`: a part of it
/// - `NAME.sync`: a message without meaning
///
/// **Batches.** A batch is one message. So it is stored as a whole, and nothing comes between its entries. An
/// appender does not need to know the end of the log, so appenders do not wait for each other. With
/// `Nats-Expected-Last-Sequence`, only one of several concurrent appenders would succeed.
///
/// **Keys** are unique permanently, not only within the server's window of duplicates:
///
/// 1. An appender stores a claim for each key of its batch, under a subject that must have no message. Then it stores
///    the batch, under a subject that must have no message.
/// 2. An appender that finds the claim of another batch looks for that batch. If the batch is there, the key is
///    repeated.
/// 3. If the batch is not there, it is on its way, or its appender died. After a short while the second appender
///    stores a tombstone under the subject of the batch. From then on either the batch or the tombstone is there, and
///    the other cannot be stored any more.
/// 4. The claim of a batch with a tombstone means nothing. The key gets a next claim.
///
/// So a batch in the log has the only valid claims of its keys.
///
/// The condition is always that a subject has no message. A cluster of servers before 2.9.21 guarantees only this
/// one: of two messages that expect the same sequence other than 0, it may store both.
final class NATSStream {
  let connection: NATSConnection
  let name: String
  /// Follows the log for the sake of indexes: made with the first append.
  var counter: NATSTail?
  /// Follows the log for its reader, and where that is.
  var reading: (tail: NATSTail, position: Position?, epoch: NATSRecord)?
  private var newestEpoch: NATSRecord?
  /// A batch of 8 MiB, with its keys.
  static let payload: Int64 = 9 << 20

  init(_ address: NATSAddress, name: String, replicas: Int) throws {
    (connection, self.name) = (try NATSConnection(address), name)
    guard connection.maxPayload >= Self.payload else {
      throw LogFailure.refused(
        "the server's max_payload is \(connection.maxPayload) bytes, and a log needs at least \(Self.payload)"
      )
    }
    try create(replicas: replicas)
  }

  /// A cluster does not answer while another machine makes the stream, or answers that the stream has no leader.
  private func create(replicas: Int) throws {
    connection.answerLimit = .seconds(1)
    defer { connection.answerLimit = .seconds(5) }
    let deadline = ContinuousClock.now + .seconds(9)
    while ContinuousClock.now < deadline {
      do {
        if try isThere(replicas: replicas) { return }
      } catch LogFailure.unreachable {
        Thread.sleep(forTimeInterval: 0.2)
      }
    }
    guard try isThere(replicas: replicas) else {
      throw LogFailure.unreachable("the stream \(name) cannot be made")
    }
  }

  private func isThere(replicas: Int) throws -> Bool {
    let answer = try request("STREAM.INFO", "")
    if answer.error?.errCode == 10059 {
      if replicas > 1 { try requireReplication() }
      let configuration = """
        {"name": "\(name)", "subjects": ["\(name).>"], "retention": "limits", "storage": "file", "discard": "new",
        "max_msgs_per_subject": 1, "num_replicas": \(replicas)}
        """
      try request("STREAM.CREATE", configuration).requireSuccess()
      return false
    }
    try answer.requireSuccess()
    guard let found = answer.config, found.subjects == ["\(name).>"], found.retention == "limits",
      found.storage == "file", found.discard == "new", found.maxAge == 0, found.maxMsgs == -1,
      found.maxMsgsPerSubject == 1, found.numReplicas ?? 1 >= replicas
    else {
      throw LogFailure.refused(
        "the stream \(name) is not set up for a log with \(replicas) replicas: \(answer.config as Any)"
      )
    }
    if found.numReplicas ?? 1 > 1 { try requireReplication() }
    if try last("b.epoch.0") == nil { _ = try store("b.epoch.0", newEpoch(after: NATSPlace())) }
    return true
  }

  /// Refuses servers whose replicas may come to differ, as those of 2.9.10 do when one is killed or stands still.
  /// Servers tell the level of their API from 2.11 on.
  private func requireReplication() throws {
    let answer = try NATSAnswer(try connection.ask([NATSMessage(subject: "$JS.API.INFO")])[0])
    try answer.requireSuccess()
    guard answer.api?.level ?? 0 > 0 else {
      throw LogFailure.refused(
        "a log with several replicas needs NATS servers of version 2.11 or later: replicas of 2.9 come to differ"
      )
    }
  }

  @discardableResult
  func request(_ function: String, _ text: String) throws -> NATSAnswer {
    let message = NATSMessage(subject: "$JS.API.\(function).\(name)", data: Data(text.utf8))
    return try NATSAnswer(try connection.ask([message])[0])
  }

  /// What became of a message that is stored only if its subject has none.
  enum Stored {
    case stored(Int64)
    /// The sequence of the message that the subject has.
    case taken(Int64)
  }

  func store(_ subject: String, _ content: (headers: [String: String], data: Data)) throws -> Stored
  {
    try store([(subject, content.headers, content.data)])[0]
  }

  func store(
    _ messages: [(subject: String, headers: [String: String], data: Data)]
  ) throws -> [Stored] {
    let requests = messages.map { message in
      let headers = message.headers.merging(["Nats-Expected-Last-Subject-Sequence": "0"]) { $1 }
      return NATSMessage(
        subject: "\(name).\(message.subject)", headers: headers, data: message.data)
    }
    return try askUntilProcessed(requests).map { answer in
      if answer.error?.errCode == 10071 {
        let sequence = answer.error?.description?.split(separator: " ").last.flatMap { Int64($0) }
        return .taken(sequence ?? 0)
      }
      try answer.requireSuccess()
      return .stored(answer.seq ?? 0)
    }
  }

  /// The answers to messages. A message that a server cannot process now is not stored. It is sent again, for five
  /// seconds at most.
  private func askUntilProcessed(_ requests: [NATSMessage]) throws -> [NATSAnswer] {
    var answers = try connection.ask(requests).map(NATSAnswer.init)
    let deadline = ContinuousClock.now + connection.answerLimit
    while ContinuousClock.now < deadline {
      let places = answers.indices.filter { answers[$0].isToBeAskedAgain }
      if places.isEmpty { break }
      Thread.sleep(forTimeInterval: 0.01)
      for (place, data) in zip(places, try connection.ask(places.map { requests[$0] })) {
        answers[place] = try NATSAnswer(data)
      }
    }
    return answers
  }

  /// Stores messages in place of those that their subjects have.
  func replace(_ messages: [(subject: String, data: Data)]) throws {
    let answers = try connection.ask(
      messages.map { NATSMessage(subject: "\(name).\($0.subject)", data: $0.data) })
    for answer in answers { try NATSAnswer(answer).requireSuccess() }
  }

  /// The last message of a subject, which may have wildcards.
  func last(_ subject: String) throws -> NATSAnswer.Stored? {
    try get([#"{"last_by_subj": "\#(name).\#(subject)"}"#])[0]
  }

  func get(_ queries: [String]) throws -> [NATSAnswer.Stored?] {
    let subject = "$JS.API.STREAM.MSG.GET.\(name)"
    return try connection.ask(
      queries.map { NATSMessage(subject: subject, data: Data($0.utf8)) }
    ).map { data in
      let answer = try NATSAnswer(data)
      if answer.error?.errCode == 10037 { return nil }
      try answer.requireSuccess()
      return answer.message
    }
  }

  /// After it, what is read has all that was stored before it began. A server that has just become the leader may not
  /// have all of it, until it has stored something.
  func synchronize() throws {
    try replace([("sync", Data())])
  }

  /// The same, after a second. Call it when the log seems to have lost something: a leader that was frozen and replaced
  /// answers from what it had, until it learns that it was replaced.
  func settle() throws {
    Thread.sleep(forTimeInterval: 1)
    try synchronize()
  }

  func tail(after place: NATSPlace, headersOnly: Bool = false) throws -> NATSTail {
    try NATSTail(
      connection, stream: name, subject: "\(name).b.>", after: place, headersOnly: headersOnly)
  }

  /// The place before a record. It counts the entries from the place that the record's author knew: of batches that
  /// came at the same time. It asks the stream's leader, since a replica that was away may be behind.
  func place(before record: NATSRecord) throws -> NATSPlace {
    var place = try knownPlace(of: record)
    while place.sequence < record.sequence - 1 {
      let query = #"{"seq": \#(place.sequence + 1), "next_by_subj": "\#(name).b.>"}"#
      guard let next = try get([query])[0]?.record() else {
        throw LogFailure.unreachable("the message \(record.sequence) of the stream is not found")
      }
      if next.sequence >= record.sequence { break }
      place.pass(next)
    }
    return place
  }

  /// A place before a record, with a certain index: after the last batch that the record's author knew, or the
  /// beginning if the log does not have that batch. If the log was set back while the author was connected, that batch
  /// may be gone, or other messages may follow it.
  private func knownPlace(of record: NATSRecord) throws -> NATSPlace {
    let place = record.known
    guard place.sequence < record.sequence, try batch(withMark: place.mark) != nil else {
      return NATSPlace()
    }
    return place
  }

  /// The batch with a mark, if the log has it.
  func batch(withMark mark: Int64) throws -> NATSRecord? {
    let sequence = NATSRecord.sequence(ofMark: mark)
    guard sequence > 0, let message = try get([#"{"seq": \#(sequence)}"#])[0],
      message.subject.hasPrefix("\(name).b.")
    else { return nil }
    let record = try message.record()
    return record.mark == mark && record.count > 0 ? record : nil
  }

  /// The place after the last record, for which the caller has synchronized.
  func lastPlace() throws -> NATSPlace {
    guard let record = try last("b.>")?.record() else { return NATSPlace() }
    var place = try place(before: record)
    place.pass(record)
    return place
  }

  /// The record of the newest epoch. There are few, and a search with a wildcard is slow in a large stream. If the log
  /// was set back, it may not have the one that was the newest before.
  func epoch() throws -> NATSRecord {
    if let known = newestEpoch, try epoch(known.number)?.epoch != known.epoch {
      try settle()
      newestEpoch = nil
    }
    while let record = try epoch(newestEpoch.map { $0.number + 1 } ?? 0) { newestEpoch = record }
    guard let newestEpoch else { throw LogFailure.refused("the stream \(name) has no epoch") }
    return newestEpoch
  }

  private func epoch(_ number: UInt64) throws -> NATSRecord? {
    try last("b.epoch.\(hexadecimal(number))")?.record()
  }

  func hexadecimal(_ number: UInt64) -> String { String(number, radix: 16) }

  private func newEpoch(after place: NATSPlace) -> (headers: [String: String], data: Data) {
    (NATSRecord.headers(place, epoch: UUID().uuidString), Data())
  }

  /// The log's epoch, which is another than this one. Whoever comes first makes it.
  func beginEpoch(after known: NATSRecord) throws -> String {
    let subject = "b.epoch.\(hexadecimal(known.number + 1))"
    _ = try store(subject, newEpoch(after: try lastPlace()))
    return try epoch().epoch ?? ""
  }
}
