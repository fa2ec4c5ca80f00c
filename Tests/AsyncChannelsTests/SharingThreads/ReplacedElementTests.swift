import AsyncChannelsRecording
import Dispatch
import TestSupport
import XCTest

@testable import AsyncChannels

/// What was replaced is destroyed when all were rung: its `deinit` may take long.
final class ReplacedElementTests: XCTestCase {
  func test_C93_aSendRingsBeforeItDestroysWhatIsNotReplayedAnyMore() async throws {
    let channel = Channel<Frame>(replaying: 1)
    try await listen(to: channel.outlet, first: { channel.send($0) }) { channel.send($0) }
  }

  func test_C93_aRecordedSendDoesToo() async throws {
    let channel = Channel<Frame>(replaying: 1)
    let recording = Recording()
    recording.add(channel, as: "frames")
    try await listen(to: channel.outlet, first: { channel.send($0) }) { channel.send($0) }
    withExtendedLifetime(recording) {}
  }

  func test_C93_aWriteAndAnUpdateDoToo() async throws {
    for updates in [false, true] {
      let frame = CurrentValue(Frame(nil))
      try await listen(to: frame.outlet.outlet, first: { frame.value = $0 }) { next in
        if updates { frame.update { $0 = next } } else { frame.value = next }
      }
    }
  }

  func test_C93_finishRingsBeforeItDestroysWhatWasReplayed() async throws {
    let channel = Channel<Frame>(replaying: 1)
    let hasHeard = DispatchSemaphore(value: 0)
    channel.send(Frame(hasHeard))
    let subscription = channel.outlet.subscribe(buffering: .bufferingNewest(1))
    let consumer = Task.detached {
      for await _ in subscription {}
      hasHeard.signal()
    }
    try await channel.untilAsleep(1)
    onAnotherThread { channel.finish() }
    try await within { await consumer.value }
  }

  /// The first frame is destroyed by the sending of the second, and waits until the consumer has that.
  private func listen(
    to outlet: Outlet<Frame>, first: (Frame) -> Void, second: @escaping @Sendable (Frame) -> Void
  ) async throws {
    let hasHeard = DispatchSemaphore(value: 0)
    first(Frame(hasHeard))
    let subscription = outlet.subscribe()
    let began = Gate()
    let consumer = Task.detached {
      for await frame in subscription {
        if frame.isLast {
          hasHeard.signal()
          return
        }
        began.open()
      }
    }
    try await within { await began.pass() }
    // Before that its consumer may be the last who has the first frame.
    try await until("the consumer sleeps") { outlet.logs.allSatisfy { $0.sleeperCount == 1 } }
    onAnotherThread { second(Frame(nil, isLast: true)) }
    try await within { await consumer.value }
  }
}

/// Something whose `deinit` waits, and fails if that is in vain.
private final class Frame: Sendable {
  let isLast: Bool
  private let mayEnd: DispatchSemaphore?

  init(_ mayEnd: DispatchSemaphore?, isLast: Bool = false) {
    (self.mayEnd, self.isLast) = (mayEnd, isLast)
  }

  deinit {
    guard let mayEnd else { return }
    XCTAssertEqual(mayEnd.wait(timeout: .now() + 10), .success, "destroyed before the ring")
  }
}
