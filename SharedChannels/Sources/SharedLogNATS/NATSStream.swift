import Foundation
import SharedChannels

/// A log in a stream. Its messages have these subjects:
///
/// - `NAME.b`: the log's records
/// - `NAME.x.SEQUENCE`: what a batch became in which an entry was made blank
/// - `NAME.s.VERSION.at`: where the newest snapshot of a version is; `NAME.s.VERSION.part`: the parts of it
/// - `NAME.sync`: a message without meaning
///
/// **Records.** A batch is one record. So it is stored as a whole, and nothing comes between its entries. A record is
/// stored only if the record before it is the newest one that its author has seen
/// (`Nats-Expected-Last-Subject-Sequence`). So its author knew all of the log: which keys it has, and which index comes
/// next. If another record comes first, the author reads it, and tries again behind it.
///
/// **A lost answer.** A record that is still on its way may be stored later, but not behind another one: what it expects
/// is not the newest then, and never again, since sequences only grow and the newest record is never deleted. So
/// whoever appends the batch again either finds it in the log, or stores another record, and thereby excludes it. The
/// same holds for a record that the server processes twice.
///
/// **Beginning and epoch.** Each record tells the log's epoch and its first entry that is not deleted. A record without
/// entries changes one of them. So all machines learn it at the same place of the order.
final class NATSStream {
  let connection: NATSConnection
  let name: String
  var keys: NATSKeys
  /// Follows the log for the sake of keys: made with the first append.
  var follower: NATSTail?
  /// The number of the record that it has stored last, and when it has last seen one of others.
  var ownRecord: UInt64?
  var othersAppended = ContinuousClock.now
  /// Follows the log for its reader.
  var reading: Reading?
  /// The message without meaning that it has stored last.
  private var lastSync: Int64?
  /// A batch of 8 MiB, with its keys.
  static let payload: Int64 = 9 << 20

  init(_ address: NATSAddress, name: String, replicas: Int, _ keys: NATSKeys = NATSKeys()) throws {
    (connection, self.name, self.keys) = (try NATSConnection(address), name, keys)
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
    while true {
      do {
        if try isThere(replicas: replicas) { return }
      } catch LogFailure.unreachable where ContinuousClock.now < deadline {
        Thread.sleep(forTimeInterval: 0.2)
      }
    }
  }

  private func isThere(replicas: Int) throws -> Bool {
    let answer = try request("STREAM.INFO", "")
    if answer.error?.errCode == 10059 {
      if replicas > 1 { try requireReplication() }
      let configuration = """
        {"name": "\(name)", "subjects": ["\(name).>"], "retention": "limits", "storage": "file", "discard": "new",
        "num_replicas": \(replicas)}
        """
      try request("STREAM.CREATE", configuration).requireSuccess()
      return false
    }
    try answer.requireSuccess()
    guard let found = answer.config, found.maxMsgsPerSubject != 1 else {
      throw LogFailure.refused(
        "the stream \(name) was made by a program that was built before 27 November 2026, whose logs cannot be read"
      )
    }
    guard found.subjects == ["\(name).>"], found.retention == "limits", found.storage == "file",
      found.discard == "new", found.maxAge == 0, found.maxMsgs == -1, found.maxMsgsPerSubject == -1,
      found.numReplicas ?? 1 >= replicas
    else {
      throw LogFailure.refused(
        "the stream \(name) is not set up for a log with \(replicas) replicas: \(found)")
    }
    if found.numReplicas ?? 1 > 1 { try requireReplication() }
    // Not if the newest record is not found: a server of 2.9.10 may not find the one before a message that was deleted.
    if answer.state?.lastSeq == 0 { _ = try store(NATSRecord(), after: 0) }
    return true
  }

  /// Refuses servers whose replicas may come to differ, as those of 2.9.10 do when one is killed or stands still. Those
  /// before 2.9.21 may also store both of two records that expect the same one. Servers tell the level of their API from
  /// 2.11 on.
  private func requireReplication() throws {
    let answer = try NATSAnswer(try connection.ask(NATSMessage(subject: "$JS.API.INFO")))
    try answer.requireSuccess()
    guard answer.api?["level"] ?? 0 > 0 else {
      throw LogFailure.refused(
        "a log with several replicas needs NATS servers of version 2.11 or later: replicas of 2.9 come to differ"
      )
    }
  }

  func request(_ function: String, _ text: String) throws -> NATSAnswer {
    try NATSAnswer(try connection.ask(message(function, text)))
  }

  private func message(_ function: String, _ text: String) -> NATSMessage {
    NATSMessage(subject: "$JS.API.\(function).\(name)", data: Data(text.utf8))
  }

  /// What became of a message that is stored only behind another one of its subject.
  enum Stored {
    case stored(Int64)
    /// The sequence of the message that the subject has.
    case taken(Int64)
  }

  func store(_ record: NATSRecord, after sequence: Int64) throws -> Stored {
    try store("b", record.data, [NATSRecord.header: record.text], after: sequence)
  }

  /// - Parameter sequence: That of the subject's newest message; 0 if it must have none, nil if it does not matter.
  ///
  /// A message that a server cannot process now is not stored. It is sent again, for five seconds at most.
  func store(
    _ subject: String, _ data: Data, _ headers: [String: String] = [:], after sequence: Int64?
  ) throws -> Stored {
    var message = NATSMessage(subject: "\(name).\(subject)", headers: headers, data: data)
    message.headers["Nats-Expected-Last-Subject-Sequence"] = sequence.map(String.init)
    let deadline = ContinuousClock.now + connection.answerLimit
    while true {
      let answer = try NATSAnswer(try connection.ask(message))
      if answer.isToBeAskedAgain, ContinuousClock.now < deadline {
        Thread.sleep(forTimeInterval: 0.005)
      } else if answer.error?.errCode == 10071 {
        let found = answer.error?.description?.split(separator: " ").last.flatMap { Int64($0) }
        return .taken(found ?? 0)
      } else {
        try answer.requireSuccess()
        return .stored(answer.seq ?? 0)
      }
    }
  }

  /// Deletes the messages of a subject before a sequence.
  func purge(_ subject: String, before sequence: Int64) throws {
    // A server may take 1 for all.
    guard sequence > 1 else { return }
    let filter = #"{"filter": "\#(name).\#(subject)", "seq": \#(sequence)}"#
    try request("STREAM.PURGE", filter).requireSuccess()
  }

  /// The subjects of the stream that match a filter, without the name.
  func subjects(_ filter: String) throws -> [Substring] {
    let answer = try request("STREAM.INFO", #"{"subjects_filter": "\#(name).\#(filter)"}"#)
    return (answer.state?.subjects ?? [:]).keys.map { $0.dropFirst(name.count + 1) }
  }

  /// The last message of a subject.
  func last(_ subject: String) throws -> NATSAnswer.Stored? {
    try get(#"{"last_by_subj": "\#(name).\#(subject)"}"#)
  }

  func message(at sequence: Int64) throws -> NATSAnswer.Stored? {
    try get(#"{"seq": \#(sequence)}"#)
  }

  private func get(_ query: String) throws -> NATSAnswer.Stored? {
    let answer = try request("STREAM.MSG.GET", query)
    if answer.error?.errCode == 10037 { return nil }
    try answer.requireSuccess()
    return answer.message
  }

  /// After it, what is read has all that was stored before it began. A server that has just become the leader may not
  /// have all of it, until it has stored something.
  func synchronize() throws {
    let answer = try NATSAnswer(try connection.ask(NATSMessage(subject: "\(name).sync")))
    try answer.requireSuccess()
    if let lastSync {
      // By subject: if the log was set back, another message may be there.
      let filter = #"{"filter": "\#(name).sync", "seq": \#(lastSync + 1)}"#
      try connection.tell(message("STREAM.PURGE", filter))
    }
    lastSync = answer.seq
  }

  /// The newest record, which tells where the log ends. The caller has synchronized.
  func newest() throws -> NATSRecord {
    guard let record = try last("b")?.record() else {
      throw LogFailure.unreachable("the stream \(name) has no record")
    }
    return record
  }

  /// The record at a sequence, if the log has it.
  func record(at sequence: Int64) throws -> NATSRecord? {
    guard sequence > 0 else { return nil }
    var found = try message(at: sequence)
    if found?.subject != "\(name).b" { found = try last("x.\(sequence)") }
    var record = try found?.record()
    record?.sequence = sequence
    return record
  }

  /// The records between an index and a record that a tail does not have, since entries of theirs are blank. Nil if they
  /// are deleted.
  func replacements(after index: Int64, before record: NATSRecord) throws -> [NATSRecord]? {
    var found = [record]
    while found[0].index > index {
      let sequence = NATSRecord.sequence(ofMark: found[0].lastMark)
      guard let previous = try self.record(at: sequence), previous.end.index == found[0].index
      else { return nil }
      found.insert(previous, at: 0)
    }
    return found.dropLast()
  }

  func tail(after sequence: Int64) throws -> NATSTail {
    try NATSTail(connection, stream: name, after: sequence)
  }
}
