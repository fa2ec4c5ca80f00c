import AsyncChannelsRunning
import AsyncChannelsTesting
import Observation
import XCTest

/// A connection to a server. Throws when it cannot be opened, has broken, or the task is cancelled.
protocol Connection: Sendable {
  func send(_ text: String) async throws
  func receive() async throws -> String
}

@MainActor
final class RemoteChatViewModel: ViewModel, Observable {
  nonisolated private final class Written: Sendable {
    let text: String
    init(_ text: String) { self.text = text }
  }

  @CurrentValue private(set) var lines: [String] = []
  @CurrentValue private(set) var isConnected = false
  /// What no connection has taken yet.
  @CurrentValue private var outbox: [Written] = []
  @Input private var open: Inlet<Void>
  private let clock: any Clock<Duration>
  private let connect: @Sendable () async throws -> any Connection

  init(
    clock: any Clock<Duration> = ContinuousClock(),
    connect: @escaping @Sendable () async throws -> any Connection
  ) {
    self.clock = clock
    self.connect = connect
    open.send()
  }

  var write: Inlet<String> { _outbox.inlet { $0.append(Written($1)) } }

  func run() async {
    await _open.received.answerWithProgress(
      clock: self.clock, retry: .exponential(from: .seconds(1), upTo: .seconds(60))
    ) { (_, isConnected: Inlet<Bool>) -> Void in
      defer { isConnected.send(false) }
      let connection = try await self.connect()
      isConnected.send(true)
      try await self.exchange(over: connection)
    } progress: { _, isConnected in
      self.isConnected = isConnected
    } abandoned: { _ in
      self.isConnected = false
      // For the next run.
      self.open.send()
    } publish: { _, _ in
    }
  }

  /// If either fails, both end, and the connection is made again.
  private func exchange(over connection: any Connection) async throws {
    try await together(
      { while true { self.lines.append(try await connection.receive()) } },
      {
        for await message in self.$outbox.map(\.first) {
          guard let message else { continue }
          try await connection.send(message.text)
          // A run that is not over yet may have sent it, too.
          self._outbox.update { if $0.first === message { $0.removeFirst() } }
        }
      })
  }
}

final class RemoteChatTests: XCTestCase {
  @MainActor
  func test_aMessageWaitsUntilThereIsAConnection() async throws {
    try await withTestTime { time in
      let server = StandInServer()
      let chat = RemoteChatViewModel(clock: time.clock) { try await server.connect() }
      await withRunning(chat) {
        chat.write.send("Hello")
        await time.advance(by: .milliseconds(999))
        XCTAssertFalse(chat.isConnected)
        await server.start()
        await time.advance(by: .milliseconds(1))
        XCTAssertEqual(chat.lines, ["Hello"])
        await server.stop()
        await time.idle()
        XCTAssertFalse(chat.isConnected)
      }
    }
  }
}

struct Unreachable: Error {}

/// Sends back what it gets, while it runs.
actor StandInServer {
  private var lines: Channel<String>?

  func start() { lines = Channel() }
  func stop() { lines = nil }

  func connect() throws -> any Connection {
    guard let lines else { throw Unreachable() }
    return StandInConnection(lines: lines.inlet, received: lines.outlet.subscribe())
  }
}

struct StandInConnection: Connection {
  let lines: Inlet<String>
  let received: Subscription<String>

  func send(_ text: String) async throws {
    if case .finished = lines.send(text) { throw Unreachable() }
  }

  func receive() async throws -> String {
    guard let line = await received.next() else { throw Unreachable() }
    return line
  }
}

final class OfflineChatTests: XCTestCase {
  @MainActor
  func test_whatIsWrittenOfflineIsSentByALaterRun() async throws {
    try await withTestTime { time in
      let server = StandInServer()
      let chat = RemoteChatViewModel(clock: time.clock) { try await server.connect() }
      await withRunning(chat) {
        for text in ["a", "b", "b"] { chat.write.send(text) }
        await time.advance(by: .seconds(100))
      }
      await server.start()
      await withRunning(chat) {
        await time.idle()
        XCTAssertEqual(chat.lines, ["a", "b", "b"])
      }
    }
  }
}

/// A view comes back before its cancelled run is over.
final class OverlappingChatTests: XCTestCase {
  @MainActor
  func test_twoRunsLoseNoMessageAndNoConnection() async throws {
    try await withTestTime { time in
      let server = SlowServer()
      let chat = RemoteChatViewModel(clock: time.clock) { server }
      for text in ["a", "b"] { chat.write.send(text) }
      let old = Task { await chat.run() }
      await time.idle()
      old.cancel()
      let new = Task { await chat.run() }
      await time.idle()
      await server.answerAll()
      await time.idle()
      await server.answerAll()
      await old.value
      let sent = await server.sent
      XCTAssertEqual(sent, ["a", "a", "b"])
      XCTAssertTrue(chat.isConnected)
      new.cancel()
      await server.answerAll()
      await new.value
    }
  }

  @MainActor
  func test_inAnyOrderTheNewRunIsConnectedAndSends() async throws {
    try await withTestTime(orders: .random(100, seed: 1)) { time in
      let server = StandInServer()
      await server.start()
      let chat = RemoteChatViewModel(clock: time.clock) { try await server.connect() }
      let old = Task { await chat.run() }
      await time.idle()
      old.cancel()
      let new = Task { await chat.run() }
      chat.write.send("Hello")
      await time.idle()
      guard chat.isConnected, chat.lines == ["Hello"] else {
        throw Unexpected(what: "\(chat.isConnected), \(chat.lines)")
      }
      new.cancel()
      await new.value
      await old.value
    }
  }

  @MainActor
  func test_aSendThatFailsMakesTheConnectionAnew() async throws {
    try await withTestTime { time in
      let failures = CurrentValue(0)
      let server = SlowServer()
      let chat = RemoteChatViewModel(clock: time.clock) {
        failures.update { $0 += 1 }
        return failures.value == 1 ? DeafConnection() : server
      }
      let run = Task { await chat.run() }
      chat.write.send("Hello")
      await time.advance(by: .seconds(1))
      let sent = await server.sent
      XCTAssertEqual(sent, ["Hello"])
      run.cancel()
      await server.answerAll()
      await run.value
    }
  }
}

private struct Unexpected: Error {
  let what: String
}

/// Receives for ever, and takes nothing.
private struct DeafConnection: Connection {
  func send(_ text: String) async throws { throw Unreachable() }

  func receive() async throws -> String {
    let line = await Outlet<String>.never.subscribe().next()
    guard let line else { throw CancellationError() }
    return line
  }
}

/// Answers when the test says so. Cancelling changes nothing.
private actor SlowServer: Connection {
  private(set) var sent: [String] = []
  private var waiting: [CheckedContinuation<Void, Never>] = []

  func send(_ text: String) async {
    sent.append(text)
    await answer()
  }

  func receive() async throws -> String {
    while !Task.isCancelled { await answer() }
    throw CancellationError()
  }

  func answerAll() {
    for one in waiting { one.resume() }
    waiting = []
  }

  private func answer() async {
    await withCheckedContinuation { waiting.append($0) }
  }
}
