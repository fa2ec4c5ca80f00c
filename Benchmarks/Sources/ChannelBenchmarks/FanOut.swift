import AsyncAlgorithms
import AsyncChannels
import Journeys
import OpenCombine

extension Workload {
  /// One producer, S subscribers in `for await` loops, everything sent to everybody.
  static func fanOut(_ scale: Scale) -> Workload {
    Workload(
      name: "fan-out", unit: "delivery",
      cases: [1, 8, 100, 1000].flatMap { subscribers in
        [
          fanOutCase(subscribers, scale, "Int") { $0 },
          fanOutCase(subscribers, scale, "String", makeString),
        ]
      })
  }

  private static func fanOutCase<Element: Sendable>(
    _ subscribers: Int, _ scale: Scale, _ element: String,
    _ make: @escaping @Sendable (Int) -> Element
  ) -> Case {
    // Elements are made before the clock starts, and the same for all subjects.
    let fast = scale.elements(subscribers, deliveries: 1_000_000)
    let slow = scale.elements(subscribers, deliveries: 200_000)
    let slowest = scale.elements(subscribers, deliveries: 40_000)
    var subjects = [
      Subject(name: "AsyncChannels, outlet") {
        try await fanOutOutlet(subscribers, fast.map(make))
      },
      Subject(name: "AsyncChannels, subscription") {
        try await fanOutSubscriptions(subscribers, fast.map(make))
      },
      Subject(name: "AsyncStream dictionary") {
        try await fanOutStreams(subscribers, slow.map(make))
      },
      Subject(name: "OpenCombine") { try await fanOutSubject(subscribers, fast.map(make)) },
    ]
    if subscribers <= 100 {
      subjects.append(
        Subject(name: "share()") { try await fanOutShare(subscribers, slowest.map(make)) })
    }
    if subscribers == 1 {
      subjects.append(
        Subject(name: "AsyncChannel") { try await fanOutAsyncChannel(slow.map(make)) })
    }
    return Case(
      subscribers: subscribers, element: element, subjects: subjects, reference: "OpenCombine")
  }
}

@Sendable
func makeString(_ number: Int) -> String {
  "an element that is too long to be stored inline: \(number)"
}

private func fanOutOutlet<Element: Sendable>(
  _ subscribers: Int, _ elements: [Element]
) async throws -> Double {
  let channel = Channel<Element>()
  return try await deliver(elements, to: subscribers, each: channel.outlet) {
    for element in elements { channel.send(element) }
    channel.finish()
  }
}

private func fanOutSubscriptions<Element: Sendable>(
  _ subscribers: Int, _ elements: [Element]
) async throws -> Double {
  let channel = Channel<Element>()
  let subscriptions = (0..<subscribers).map { _ in channel.outlet.subscribe() }
  return try await deliver(elements, to: subscriptions) {
    for element in elements { channel.send(element) }
    channel.finish()
  }
}

private func fanOutStreams<Element: Sendable>(
  _ subscribers: Int, _ elements: [Element]
) async throws -> Double {
  let listeners = StreamDictionary<Element>()
  return try await deliver(elements, to: (0..<subscribers).map { _ in listeners.subscribe() }) {
    for element in elements { listeners.send(element) }
    listeners.finish()
  }
}

private func fanOutShare<Element: Sendable>(
  _ subscribers: Int, _ elements: [Element]
) async throws -> Double {
  let (stream, continuation) = AsyncStream.makeStream(of: Element.self)
  let shared = stream.share(bufferingPolicy: .unbounded)
  return try await deliver(elements, to: subscribers, each: shared) {
    for element in elements { continuation.yield(element) }
    continuation.finish()
  }
}

/// The same for a sequence whose subscribers each get what comes after they asked for an iterator: all
/// ask first.
private func deliver<Stream: AsyncSequence & Sendable>(
  _ elements: [Stream.Element], to subscribers: Int, each stream: Stream,
  produce: @escaping @Sendable () async -> Void
) async throws -> Double where Stream.Failure == Never, Stream.Element: Sendable {
  let arrived = Tally()
  let clock = Shared<ContinuousClock.Instant?>(nil)
  let total = elements.count
  try await withThrowingTaskGroup(of: Int.self) { group in
    for _ in 0..<subscribers {
      group.addTask {
        var iterator = stream.makeAsyncIterator()
        arrived.raise()
        var count = 0
        while let _ = await iterator.next(isolation: nil) { count += 1 }
        return count
      }
    }
    group.addTask {
      while arrived.value < subscribers { await Task.yield() }
      clock.withLock { $0 = .now }
      await produce()
      return total
    }
    for try await count in group { try WrongCount.check("\(Stream.self)", count, is: total) }
  }
  let start = clock.withLock { $0 } ?? .now
  return (ContinuousClock.now - start).nanoseconds / Double(total * subscribers)
}

private func fanOutAsyncChannel<Element: Sendable>(_ elements: [Element]) async throws -> Double {
  let channel = AsyncChannel<Element>()
  return try await deliver(elements, to: [channel]) {
    for element in elements { await channel.send(element) }
    channel.finish()
  }
}

private func fanOutSubject<Element: Sendable>(
  _ subscribers: Int, _ elements: [Element]
) async throws -> Double {
  try await inChildTask {
    let subject = PassthroughSubject<Element, Never>()
    var counts = [Int](repeating: 0, count: subscribers)
    let pointer = UnsafeMutablePointer<Int>.allocate(capacity: subscribers)
    pointer.initialize(from: &counts, count: subscribers)
    defer { pointer.deallocate() }
    let tokens = (0..<subscribers).map { index in
      subject.sink { _ in pointer[index] += 1 }
    }
    let start = ContinuousClock.now
    for element in elements { subject.send(element) }
    subject.send(completion: .finished)
    let time = (ContinuousClock.now - start).nanoseconds
    withExtendedLifetime(tokens) {}
    for index in 0..<subscribers {
      try WrongCount.check("OpenCombine", pointer[index], is: elements.count)
    }
    return time / Double(elements.count * subscribers)
  }
}

/// Runs one producer and a consumer for each sequence in child tasks, and checks that each got all.
private func deliver<Stream: AsyncSequence & Sendable>(
  _ elements: [Stream.Element], to streams: [Stream], produce: @escaping @Sendable () async -> Void
) async throws -> Double where Stream.Failure == Never, Stream.Element: Sendable {
  let total = elements.count
  let time = try await nanoseconds {
    try await withThrowingTaskGroup(of: Int.self) { group in
      for stream in streams {
        group.addTask {
          var count = 0
          for await _ in stream { count += 1 }
          return count
        }
      }
      group.addTask {
        await produce()
        return total
      }
      for try await count in group { try WrongCount.check("\(Stream.self)", count, is: total) }
    }
  }
  return time / Double(total * streams.count)
}

/// The main task runs on another executor than the tasks measured, which slows some subjects.
func inChildTask<Result: Sendable>(
  _ work: @escaping @Sendable () async throws -> Result
) async throws -> Result {
  try await withThrowingTaskGroup(of: Result.self) { group in
    group.addTask { try await work() }
    guard let result = try await group.next() else { throw CancellationError() }
    return result
  }
}
