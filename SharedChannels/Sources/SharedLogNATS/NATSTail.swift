import Foundation
import SharedChannels

/// The records of a log behind one of them, as the server pushes them.
///
/// The server waits for this side when much is on its way, and sends a sign of life every second. A lost
/// message, and a server that is silent, end the tail with an error. Whoever makes another looks anew where the log
/// is.
final class NATSTail {
  /// That of the last record that was taken.
  private var sequence: Int64
  private let connection: NATSConnection
  private let subscription: NATSSubscription
  private var deliveredCount: Int64 = 0
  private var heard = ContinuousClock.now
  private static let silenceLimit = Duration.seconds(3)

  /// Whether it was last read so long ago that many messages may wait: the library drops those after the 65,536th.
  var isStale: Bool { heard + .seconds(30) < .now }

  init(_ connection: NATSConnection, stream: String, after sequence: Int64) throws {
    let inbox = try NATSConnection.newInbox()
    (self.sequence, self.connection) = (sequence, connection)
    subscription = try connection.subscribe(inbox)
    let configuration = """
      {"stream_name": "\(stream)", "config": {"deliver_subject": "\(inbox)", "filter_subject": "\(stream).b",
      "deliver_policy": "by_start_sequence", "opt_start_seq": \(sequence + 1), "ack_policy": "none",
      "flow_control": true, "idle_heartbeat": 1000000000, "mem_storage": true}}
      """
    let subject = "$JS.API.CONSUMER.CREATE.\(stream)"
    let answer = try connection.ask(NATSMessage(subject: subject, data: Data(configuration.utf8)))
    try NATSAnswer(answer).requireSuccess()
  }

  /// A message, before which nothing is missing; nil if none comes until then.
  private func next(until deadline: ContinuousClock.Instant) throws -> NATSDelivery? {
    while true {
      let limit = heard + Self.silenceLimit
      guard let delivery = try subscription.next(until: min(deadline, limit)) else {
        if ContinuousClock.now < limit { return nil }
        throw LogFailure.unreachable("the NATS server is silent")
      }
      heard = .now
      guard delivery.header("Status") != nil else {
        deliveredCount += 1
        try require(delivery.numbers.delivered, deliveredCount)
        return delivery
      }
      if let number = delivery.header("Nats-Last-Consumer") {
        try require(Int64(number), deliveredCount)
      }
      if let asked = delivery.reply ?? delivery.header("Nats-Consumer-Stalled") {
        try connection.publish(NATSMessage(subject: asked))
      }
    }
  }

  /// The next record; nil if none comes until then.
  func nextRecord(until deadline: ContinuousClock.Instant) throws -> NATSRecord? {
    while let delivery = try next(until: deadline) {
      let record = try NATSRecord(
        sequence: delivery.numbers.sequence ?? 0, data: delivery.data,
        text: delivery.header(NATSRecord.header))
      // A replica that is behind begins after the last message that it has.
      if record.sequence <= sequence { continue }
      sequence = record.sequence
      return record
    }
    return nil
  }

  /// Not to be given a record that its reader has stored itself.
  func skip(to sequence: Int64) { self.sequence = max(self.sequence, sequence) }

  private func require(_ number: Int64?, _ expected: Int64) throws {
    guard number == expected else {
      throw LogFailure.unreachable("a message of the NATS server was lost")
    }
  }
}

extension NATSDelivery {
  /// Its place in the stream, and how many the server has delivered with it. They are in the subject for an answer,
  /// behind five parts, or seven of a server with domains.
  fileprivate var numbers: (sequence: Int64?, delivered: Int64?) {
    let parts = (reply ?? "").split(separator: ".")
    guard parts.count == 9 || parts.count >= 11 else { return (nil, nil) }
    let first = parts.count == 9 ? 5 : 7
    return (Int64(parts[first]), Int64(parts[first + 1]))
  }
}
