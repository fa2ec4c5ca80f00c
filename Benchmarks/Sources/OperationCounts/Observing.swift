import AsyncChannels

extension Operation {
  /// Observers on the main actor: from the write until the last of them has been called, and the writer goes on.
  static let observing = [
    Operation("observe-a-burst", times: 8_192, isConcurrent: true) { await observeBurst($0) },
    Operation("write-and-observe", times: 512, isConcurrent: true) {
      await observeRounds($0, states: 1)
    },
    Operation("write-and-observe-100-states", times: 16, isConcurrent: true) {
      await observeRounds($0, states: 100)
    },
    Operation("observe-and-cancel", times: 512, isConcurrent: true) { await observeAndCancel($0) },
  ]
}

/// Counts the calls of observers, and resumes the writer.
@MainActor
private final class Calls {
  private(set) var sum = 0
  private var missing = 0
  private var writer: UnsafeContinuation<Void, Never>?

  func wait(for count: Int, _ write: () -> Void) async {
    await withUnsafeContinuation { continuation in
      (missing, writer) = (count, continuation)
      write()
    }
  }

  func note(_ number: Int) {
    sum += number
    missing -= 1
    if missing == 0 { writer?.resume() }
  }
}

@MainActor
private func observeBurst(_ times: Int) async -> Bool {
  let channel = Channel<Int>()
  let calls = Calls()
  let token = channel.outlet.observe { calls.note($0) }
  await calls.wait(for: times) { for number in 0..<times { channel.send(number) } }
  token.cancel()
  return calls.sum == times * (times - 1) / 2
}

@MainActor
private func observeRounds(_ times: Int, states count: Int) async -> Bool {
  let states = (0..<count).map { _ in CurrentValue(0) }
  let calls = Calls()
  let tokens = states.map { state in state.outlet.observe { calls.note($0) } }
  for number in 1...times {
    await calls.wait(for: count) { for state in states { state.value = number } }
  }
  withExtendedLifetime(tokens) {}
  return calls.sum == count * times * (times + 1) / 2
}

/// A window that is opened and closed: its first call comes before `observe` returns.
@MainActor
private func observeAndCancel(_ times: Int) async -> Bool {
  let state = CurrentValue(1)
  let calls = Calls()
  for _ in 0..<times { state.outlet.observe { calls.note($0) }.cancel() }
  while state.subscriberCount > 0 { await Task.yield() }
  return calls.sum == times
}
