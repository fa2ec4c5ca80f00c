import AsyncChannels
import Journeys

extension Workload {
  /// Several senders on one channel: until all have sent. Everything is taken after that.
  static func senders(_ scale: Scale) -> Workload {
    let sends = scale.count(200_000)
    return Workload(
      name: "senders", unit: "send",
      cases: [1, 2, 16].map { senders in
        Case(
          subscribers: 1, element: senders == 1 ? "1 sender" : "\(senders) senders",
          subjects: [
            Subject(name: "AsyncChannels") { try await sendToChannel(sends, from: senders) },
            Subject(name: "AsyncStream") { try await sendToStream(sends, from: senders) },
          ], reference: "AsyncStream")
      })
  }
}

/// What one of several senders sends.
private struct Sent: Sendable {
  let sender: Int
  let number: Int
}

private func sendToChannel(_ sends: Int, from senders: Int) async throws -> Double {
  let channel = Channel<Sent>()
  return try await send(
    sends, from: senders, to: channel.outlet.subscribe(), { channel.send($0) }, channel.finish)
}

private func sendToStream(_ sends: Int, from senders: Int) async throws -> Double {
  let (stream, continuation) = AsyncStream.makeStream(of: Sent.self)
  return try await send(
    sends, from: senders, to: stream, { continuation.yield($0) }, { continuation.finish() })
}

/// Each sender is a task, and sends when all are there.
private func send(
  _ sends: Int, from senders: Int, to stream: some AsyncSequence<Sent, Never> & Sendable,
  _ send: @escaping @Sendable (Sent) -> Void, _ finish: @escaping @Sendable () -> Void
) async throws -> Double {
  let each = sends / senders
  let arrived = Tally()
  let time = await withTaskGroup(of: (ContinuousClock.Instant, ContinuousClock.Instant).self) {
    group in
    for sender in 0..<senders {
      group.addTask {
        arrived.raise()
        // There may be fewer threads than senders.
        while arrived.value < senders { await Task.yield() }
        let start = ContinuousClock.now
        for number in 0..<each { send(Sent(sender: sender, number: number)) }
        return (start, .now)
      }
    }
    var (first, last) = await group.next() ?? (.now, .now)
    for await (start, end) in group { (first, last) = (min(first, start), max(last, end)) }
    return (last - first).nanoseconds
  }
  finish()
  try await inChildTask {
    // Each sender's own order was kept, and nothing was lost.
    var inOrder = [Int](repeating: 0, count: senders)
    for await sent in stream where sent.number == inOrder[sent.sender] { inOrder[sent.sender] += 1 }
    for count in inOrder { try WrongCount.check("senders", count, is: each) }
  }
  return time / Double(each * senders)
}
