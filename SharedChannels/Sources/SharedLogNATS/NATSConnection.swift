import CNATS
import Foundation
import SharedChannels

/// A connection to a server. Its calls block their thread, but none without end: a call returns when its task is
/// cancelled, or the server was silent for too long.
final class NATSConnection {
  private let handle: NATSHandle
  private let inbox: String
  private let answers: NATSSubscription
  /// How many requests there were. An answer tells by its subject to which one it belongs.
  private var requestCount = 0
  /// How long an answer may take.
  var answerLimit = Duration.seconds(5)

  init(_ address: NATSAddress) throws {
    handle = NATSHandle(try address.connect())
    inbox = try Self.newInbox()
    answers = try NATSSubscription(handle, inbox + ".*")
  }

  /// How many bytes a message may have.
  var maxPayload: Int64 { natsConnection_GetMaxPayload(handle.pointer) }

  static func newInbox() throws -> String {
    var inbox: UnsafeMutablePointer<natsInbox>?
    try check(natsInbox_Create(&inbox))
    defer { natsInbox_Destroy(inbox) }
    return String(cString: inbox!)
  }

  func subscribe(_ subject: String) throws -> NATSSubscription {
    try NATSSubscription(handle, subject)
  }

  func publish(_ message: NATSMessage, reply: String? = nil) throws {
    var new: OpaquePointer?
    try message.data.withUnsafeBytes { bytes in
      let data = bytes.bindMemory(to: CChar.self)
      try check(
        natsMsg_Create(&new, message.subject, reply, data.baseAddress, Int32(data.count)))
    }
    defer { natsMsg_Destroy(new) }
    for (name, value) in message.headers { try check(natsMsgHeader_Set(new, name, value)) }
    try check(natsConnection_PublishMsg(handle.pointer, new))
  }

  /// Sends a message, and waits for the answer.
  func ask(_ message: NATSMessage) throws -> Data {
    requestCount += 1
    let reply = "\(inbox).\(requestCount)"
    return try handle.destroyReturned {
      try publish(message, reply: reply)
      let deadline = ContinuousClock.now + answerLimit
      while let answer = try answers.next(until: deadline) {
        // Not one that comes after its request was given up.
        if answer.subject == reply { return answer.data }
      }
      throw LogFailure.unreachable("the NATS server does not answer")
    }
  }

  /// Sends a message whose answer does not matter.
  func tell(_ message: NATSMessage) throws { try publish(message, reply: "\(inbox).0") }
}

/// A message to a server.
struct NATSMessage {
  let subject: String
  var headers: [String: String] = [:]
  var data = Data()
}

/// What the library has of a connection, which lives as long as its subscriptions.
///
/// In libnats 3.4 and 3.5, destroying a subscription while the library's thread has a message for it crashes the
/// program. So a subscription is given back here, and destroyed when that thread has finished all older messages.
private final class NATSHandle {
  let pointer: OpaquePointer
  private var returned: [OpaquePointer] = []

  init(_ pointer: OpaquePointer) {
    self.pointer = pointer
  }

  deinit {
    natsConnection_Close(pointer)
    let (pointers, connection) = (returned.map(UInt.init(bitPattern:)), UInt(bitPattern: pointer))
    // It may have been closed by a thread of the library, while another has a message.
    DispatchQueue.global().asyncAfter(deadline: .now() + 1) {
      pointers.forEach { natsSubscription_Destroy(OpaquePointer(bitPattern: $0)) }
      natsConnection_Destroy(OpaquePointer(bitPattern: connection))
    }
  }

  func giveBack(_ subscription: OpaquePointer) {
    natsSubscription_Unsubscribe(subscription)
    returned.append(subscription)
  }

  /// - Parameter ask: Returns when an answer has come to what it has sent. The thread of the library is then past all
  ///   messages that came before.
  func destroyReturned<Value>(_ ask: () throws -> Value) rethrows -> Value {
    let count = returned.count
    let value = try ask()
    returned.prefix(count).forEach { natsSubscription_Destroy($0) }
    returned.removeFirst(count)
    return value
  }
}

/// What a server sends to a subject.
final class NATSSubscription {
  private let connection: NATSHandle
  private let handle: OpaquePointer

  fileprivate init(_ connection: NATSHandle, _ subject: String) throws {
    var handle: OpaquePointer?
    try check(natsConnection_SubscribeSync(&handle, connection.pointer, subject))
    (self.connection, self.handle) = (connection, handle!)
  }

  deinit {
    connection.giveBack(handle)
  }

  /// The next message; nil if it is too late, and none has come. Looks ten times a second whether the task was
  /// cancelled.
  func next(until deadline: ContinuousClock.Instant) throws -> NATSDelivery? {
    while true {
      try Task.checkCancellation()
      let rest = deadline - ContinuousClock.now
      let milliseconds = rest > .zero ? min(Int64(rest / .milliseconds(1)) + 1, 100) : 0
      var message: OpaquePointer?
      let status = natsSubscription_NextMsg(&message, handle, milliseconds)
      if status == NATS_OK { return NATSDelivery(message!) }
      if status == NATS_NO_RESPONDERS {
        throw LogFailure.unreachable(
          "no JetStream answers: is it enabled, and has the stream a leader?")
      }
      guard status == NATS_TIMEOUT else {
        try check(status)
        continue
      }
      if rest <= .zero { return nil }
    }
  }
}

/// A message from a server.
final class NATSDelivery {
  private let handle: OpaquePointer

  fileprivate init(_ handle: OpaquePointer) {
    self.handle = handle
  }

  deinit {
    natsMsg_Destroy(handle)
  }

  var subject: String { String(cString: natsMsg_GetSubject(handle)) }
  /// Where an answer is to be sent to.
  var reply: String? {
    natsMsg_GetReply(handle).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }
  var data: Data {
    natsMsg_GetData(handle).map { Data(bytes: $0, count: Int(natsMsg_GetDataLength(handle))) }
      ?? Data()
  }

  func header(_ name: String) -> String? {
    var value: UnsafePointer<CChar>?
    guard natsMsgHeader_Get(handle, name, &value) == NATS_OK else { return nil }
    return value.map { String(cString: $0) }
  }
}
