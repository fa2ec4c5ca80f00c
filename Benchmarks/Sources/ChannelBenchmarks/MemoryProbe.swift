import AsyncChannels
import Foundation
import Journeys

/// What the process does when it is started for a memory figure: prints the bytes for each of many
/// objects, or elements, and fails if one of them does not do what it is for.
enum MemoryProbe: String {
  case waitingChannel, waitingStream, waitingTask
  case waitingChannelOnAnActor, waitingStreamOnAnActor, waitingTaskOnAnActor
  case idleChannel, channelSentToOnce, idleInput, inputSentToOnce, idleStream, streamSentToOnce
  case burstChannel, burstStream

  func run(_ count: Int) async throws -> Double {
    switch self {
    case .waitingChannel:
      try await waitForChannel(count) { outlet in
        var received = 0
        for await _ in outlet { received += 1 }
        return received
      }
    case .waitingChannelOnAnActor: try await waitForChannel(count, Listener.shared.count)
    case .waitingStream:
      try await waitForStreams(count) { stream in
        var received = 0
        for await _ in stream { received += 1 }
        return received
      }
    case .waitingStreamOnAnActor: try await waitForStreams(count, Listener.shared.count)
    case .waitingTask:
      try await waitForContinuations(count) { keep in
        await withUnsafeContinuation { keep($0) }
        return 1
      }
    case .waitingTaskOnAnActor: try await waitForContinuations(count, Listener.shared.park)
    case .idleChannel:
      try await keep(count, Channel<Int>()) { $0.subscriberCount == 0 }
    case .channelSentToOnce:
      try await keep(count, Channel<Int>()) { $0.send(1) == .sent(subscribers: 0) }
    case .idleInput:
      try await keep(count, Input<Int>()) { $0.received.pendingCount == 0 }
    case .inputSentToOnce:
      try await keep(count, Input<Int>()) { input in
        input.inlet.send(1)
        return await input.received.next() == 1
      }
    case .idleStream:
      try await keep(count, AsyncStream.makeStream(of: Int.self)) { _ in true }
    case .streamSentToOnce:
      try await keep(count, AsyncStream.makeStream(of: Int.self)) { stream, continuation in
        continuation.yield(1)
        var iterator = stream.makeAsyncIterator()
        return await iterator.next() == 1
      }
    case .burstChannel: try await burstToChannel(count)
    case .burstStream: try await burstToStream(count)
    }
  }
}

// MARK: Tasks that wait, each of which is woken afterwards

/// - Parameter listen: Returns how many elements it got.
private func waitForChannel(
  _ count: Int, _ listen: @escaping @Sendable (Outlet<Int>) async -> Int
) async throws -> Double {
  let channel = Channel<Int>()
  let outlet = channel.outlet
  return try await wait(count) { _ in
    await listen(outlet)
  } wake: {
    channel.send(1)
    channel.finish()
  }
}

private func waitForStreams(
  _ count: Int, _ listen: @escaping @Sendable (AsyncStream<Int>) async -> Int
) async throws -> Double {
  let continuations = Shared([AsyncStream<Int>.Continuation?](repeating: nil, count: count))
  return try await wait(count) { index in
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    continuations.withLock { $0[index] = continuation }
    return await listen(stream)
  } wake: {
    for continuation in continuations.withLock({ $0 }) {
      continuation?.yield(1)
      continuation?.finish()
    }
  }
}

private func waitForContinuations(
  _ count: Int,
  _ park:
    @escaping @Sendable (
      _ keep: @Sendable (UnsafeContinuation<Void, Never>) -> Void
    ) async -> Int
) async throws -> Double {
  let parked = Shared([UnsafeContinuation<Void, Never>?](repeating: nil, count: count))
  return try await wait(count) { index in
    await park { continuation in parked.withLock { $0[index] = continuation } }
  } wake: {
    for continuation in parked.withLock({ $0 }) { continuation?.resume() }
  }
}

private func wait(
  _ count: Int, _ listen: @escaping @Sendable (Int) async -> Int, wake: () -> Void
) async throws -> Double {
  let begun = Tally()
  let before = residentBytes()
  let tasks = (0..<count).map { index in
    Task.detached {
      begun.raise()
      return await listen(index)
    }
  }
  while begun.value < count { await Task.yield() }
  // The last of them still have to fall asleep.
  try await Task.sleep(for: .milliseconds(300))
  let after = residentBytes()
  wake()
  for task in tasks { try WrongCount.check("a waiting task", await task.value, is: 1) }
  return Double(after - before) / Double(count)
}

private actor Listener {
  static let shared = Listener()

  func count(_ outlet: Outlet<Int>) async -> Int {
    var received = 0
    for await _ in outlet { received += 1 }
    return received
  }

  func count(_ stream: AsyncStream<Int>) async -> Int {
    var received = 0
    for await _ in stream { received += 1 }
    return received
  }

  func park(_ keep: @Sendable (UnsafeContinuation<Void, Never>) -> Void) async -> Int {
    await withUnsafeContinuation { keep($0) }
    return 1
  }
}

// MARK: Objects and elements

/// - Parameter use: What is done with each before it is measured. False if something was lost.
private func keep<Object>(
  _ count: Int, _ make: @autoclosure () -> Object, _ use: (Object) async -> Bool
) async throws -> Double {
  let before = residentBytes()
  let objects = (0..<count).map { _ in make() }
  var correct = 0
  for object in objects where await use(object) { correct += 1 }
  let after = residentBytes()
  try WrongCount.check("objects", correct, is: count)
  return withExtendedLifetime(objects) { Double(after - before) / Double(count) }
}

private func burstToChannel(_ count: Int) async throws -> Double {
  let channel = Channel<Int>()
  return try await burst(
    count, to: channel.outlet.subscribe(), { channel.send($0) }, channel.finish)
}

private func burstToStream(_ count: Int) async throws -> Double {
  let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
  return try await burst(
    count, to: stream, { continuation.yield($0) }, { continuation.finish() })
}

private func burst(
  _ count: Int, to stream: some AsyncSequence<Int, Never> & Sendable, _ send: (Int) -> Void,
  _ finish: () -> Void
) async throws -> Double {
  let before = residentBytes()
  for number in 0..<count { send(number) }
  finish()
  // Not here on the main thread: the stream's reader would leave it and come back each time.
  try await inChildTask {
    var received = 0
    for await number in stream where number == received { received += 1 }
    try WrongCount.check("burst", received, is: count)
  }
  return Double(peakResidentBytes() - before) / Double(count)
}

/// From `/proc/self/status`, in bytes.
private func statusBytes(_ field: String) -> Int {
  let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
  let line = status.split(separator: "\n").first { $0.hasPrefix(field + ":") }
  return line.flatMap { $0.split(whereSeparator: \.isWhitespace).dropFirst().first }
    .flatMap { Int($0) }.map { $0 * 1024 } ?? 0
}

private func residentBytes() -> Int { statusBytes("VmRSS") }
private func peakResidentBytes() -> Int { statusBytes("VmHWM") }
