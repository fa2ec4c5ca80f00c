import AsyncChannels
import Journeys
import Observation
import OpenCombine

extension Workload {
  /// Writing and reading state, with 0 and 8 subscribers; and writing what somebody has read before,
  /// and may observe.
  static func currentValue(_ scale: Scale) -> Workload {
    let count = scale.count(200_000)
    return Workload(
      name: "current-value", unit: "operation",
      cases: [
        reading(count, subscribers: 0),
        reading(count, subscribers: 8),
        writing(count, onceRead: false, reference: "OpenCombine"),
        writing(count, onceRead: true, reference: "@Observable"),
        Case(
          subscribers: 8, element: "Int write",
          subjects: [
            Subject(name: "AsyncChannels") { try await writeValue(count, subscribers: 8) },
            Subject(name: "OpenCombine") { try await writeSubject(count, subscribers: 8) },
          ], reference: "OpenCombine"),
      ])
  }

  private static func reading(_ count: Int, subscribers: Int) -> Case {
    Case(
      subscribers: subscribers, element: "Int read",
      subjects: [
        Subject(name: "AsyncChannels") { try await readValue(count, subscribers: subscribers) },
        Subject(name: "OpenCombine") { try await readSubject(count, subscribers: subscribers) },
      ], reference: "OpenCombine")
  }

  /// With no subscribers. Views observe what they have read.
  private static func writing(_ count: Int, onceRead: Bool, reference: String) -> Case {
    Case(
      subscribers: 0, element: onceRead ? "Int write, once read" : "Int write",
      subjects: [
        Subject(name: "AsyncChannels") {
          try await writeValue(count, subscribers: 0, onceRead: onceRead)
        },
        Subject(name: "OpenCombine") {
          try await writeSubject(count, subscribers: 0, onceRead: onceRead)
        },
        Subject(name: "@Observable") { try await writeObservable(count, onceRead: onceRead) },
      ], reference: reference)
  }
}

private func readValue(_ count: Int, subscribers: Int) async throws -> Double {
  try await inChildTask {
    let value = CurrentValue(1)
    let subscriptions = (0..<subscribers).map { _ in value.outlet.subscribe() }
    var sum = 0
    let time = await nanoseconds { for _ in 0..<count { sum += value.value } }
    try WrongCount.check("read", sum, is: count)
    value.finish()
    for subscription in subscriptions {
      var received = 0
      for await number in subscription { received += number }
      try WrongCount.check("read", received, is: 1)
    }
    return time / Double(count)
  }
}

private func readSubject(_ count: Int, subscribers: Int) async throws -> Double {
  try await inChildTask {
    let value = CurrentValueSubject<Int, Never>(1)
    let counter = Counter()
    let tokens = (0..<subscribers).map { _ in value.sink { counter.count += $0 } }
    var sum = 0
    let time = await nanoseconds { for _ in 0..<count { sum += value.value } }
    try WrongCount.check("read", sum, is: count)
    try WrongCount.check("read", counter.count, is: subscribers)
    withExtendedLifetime(tokens) {}
    return time / Double(count)
  }
}

/// What one write costs its caller; that every subscriber gets each value is checked afterwards.
private func writeValue(
  _ count: Int, subscribers: Int, onceRead: Bool = false
) async throws -> Double {
  try await inChildTask {
    let value = CurrentValue(0)
    if onceRead { try WrongCount.check("write", value.value, is: 0) }
    let subscriptions = (0..<subscribers).map { _ in value.outlet.subscribe() }
    let time = await nanoseconds { for number in 1...count { value.value = number } }
    try WrongCount.check("write", value.value, is: count)
    value.finish()
    for subscription in subscriptions {
      var received = 0
      for await number in subscription where number == received { received += 1 }
      try WrongCount.check("write", received, is: count + 1)
    }
    return time / Double(count)
  }
}

private func writeSubject(
  _ count: Int, subscribers: Int, onceRead: Bool = false
) async throws -> Double {
  try await inChildTask {
    let value = CurrentValueSubject<Int, Never>(0)
    if onceRead { try WrongCount.check("write", value.value, is: 0) }
    let counter = Counter()
    let tokens = (0..<subscribers).map { _ in value.sink { _ in counter.count += 1 } }
    let time = await nanoseconds { for number in 1...count { value.value = number } }
    try WrongCount.check("write", counter.count, is: subscribers * (count + 1))
    withExtendedLifetime(tokens) {}
    return time / Double(count)
  }
}

private func writeObservable(_ count: Int, onceRead: Bool) async throws -> Double {
  try await inChildTask {
    let model = Model()
    if onceRead { try WrongCount.check("write", model.number, is: 0) }
    let time = await nanoseconds { for number in 1...count { model.number = number } }
    try WrongCount.check("write", model.number, is: count)
    return time / Double(count)
  }
}

private final class Counter {
  var count = 0
}

@Observable
private final class Model {
  var number = 0
}
