import Foundation
import SharedChannels

/// The messages of a stream behind a place, as the server pushes them.
///
/// The server waits for this side when much is on its way, and sends a sign of life every second. A lost
/// message, and a server that is silent, end the tail with an error. Whoever makes another looks anew where the log
/// is.
final class NATSTail {
  /// Behind the last message that was taken.
  private(set) var place: NATSPlace
  /// The newest epoch's name, if it is known.
  var epoch: String?
  private let connection: NATSConnection
  private let subscription: NATSSubscription
  private var deliveredCount: Int64 = 0
  /// How many the server had to deliver after the last one.
  private var pendingCount: Int64 = 0
  private var heard = ContinuousClock.now
  private static let silenceLimit = Duration.seconds(3)

  /// Whether it was last read so long ago that many messages may wait: the library drops those after the 65,536th.
  var isStale: Bool { heard + .seconds(30) < .now }

  init(
    _ connection: NATSConnection, stream: String, subject: String, after place: NATSPlace,
    headersOnly: Bool = false
  ) throws {
    let inbox = try NATSConnection.newInbox()
    (self.place, self.connection) = (place, connection)
    subscription = try connection.subscribe(inbox)
    let configuration = """
      {"stream_name": "\(stream)", "config": {"deliver_subject": "\(inbox)", "filter_subject": "\(subject)",
      "deliver_policy": "by_start_sequence", "opt_start_seq": \(place.sequence + 1), "ack_policy": "none",
      "headers_only": \(headersOnly), "flow_control": true, "idle_heartbeat": 1000000000, "mem_storage": true}}
      """
    let answer = try connection.ask([
      NATSMessage(subject: "$JS.API.CONSUMER.CREATE.\(stream)", data: Data(configuration.utf8))
    ])
    try NATSAnswer(answer[0]).requireSuccess()
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
        let numbers = delivery.numbers
        try require(numbers.delivered, deliveredCount)
        pendingCount = numbers.pending ?? 0
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

  /// The next message of the log, and the place before it.
  func nextRecord(
    until deadline: ContinuousClock.Instant
  ) throws -> (record: NATSRecord, before: NATSPlace)? {
    while let delivery = try next(until: deadline) {
      let record = try NATSRecord(
        sequence: delivery.numbers.sequence ?? 0, subject: delivery.subject, data: delivery.data,
        header: delivery.header)
      // A replica that is behind begins after the last message that it has, not after the place.
      if record.sequence <= place.sequence { continue }
      defer { place.pass(record) }
      epoch = record.epoch ?? epoch
      return (record, place)
    }
    return nil
  }

  /// The place before the message with this sequence, which the stream has.
  func place(before sequence: Int64) throws -> NATSPlace {
    let deadline = ContinuousClock.now + .seconds(5)
    while let (record, before) = try nextRecord(until: deadline) {
      if record.sequence == sequence { return before }
    }
    throw LogFailure.unreachable("the message \(sequence) of the stream does not come")
  }

  /// Takes what there is. A place that is far behind would make others count for long.
  func catchUp() throws {
    let deadline = ContinuousClock.now + .seconds(5)
    while try nextRecord(until: pendingCount > 0 ? deadline : .now) != nil {}
  }

  private func require(_ number: Int64?, _ expected: Int64) throws {
    guard number == expected else {
      throw LogFailure.unreachable("a message of the NATS server was lost")
    }
  }
}

extension NATSDelivery {
  /// Its place in the stream, how many the server has delivered with it, and how many more there were. They are in
  /// the subject for an answer, behind five parts, or seven of a server with domains.
  fileprivate var numbers: (sequence: Int64?, delivered: Int64?, pending: Int64?) {
    let parts = (reply ?? "").split(separator: ".")
    guard parts.count == 9 || parts.count >= 11 else { return (nil, nil, nil) }
    let first = parts.count == 9 ? 5 : 7
    return (Int64(parts[first]), Int64(parts[first + 1]), Int64(parts[first + 3]))
  }
}
