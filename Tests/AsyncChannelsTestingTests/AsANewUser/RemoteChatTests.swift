import AsyncChannels
import AsyncChannelsTesting
import Observation
import XCTest

/// A connection to a server. Throws when it cannot be opened, or has broken.
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
  @CurrentValue private(set) var connection: (any Connection)?
  /// What no connection has taken yet.
  @CurrentValue private var outbox: [Written] = []
  private let clock: any Clock<Duration>
  private let connect: @Sendable () async throws -> any Connection

  init(
    clock: any Clock<Duration> = ContinuousClock(),
    connect: @escaping @Sendable () async throws -> any Connection
  ) {
    self.clock = clock
    self.connect = connect
  }

  var isConnected: Bool { connection != nil }

  var write: Inlet<String> { _outbox.inlet { $0.append(Written($1)) } }

  func run() async {
    await together({ await self.listen() }, { await self.sendMessages() })
  }

  private func listen() async {
    let lines = _lines.inlet { (lines, line: String) in lines.append(line) }
    await Outlet.just(connect).answerWithProgress(
      clock: self.clock, retry: .exponential(from: .seconds(1), upTo: .seconds(60))
    ) { (connect, connections: Inlet<(any Connection)?>) -> Void in
      defer { connections.send(nil) }
      let connection = try await connect()
      connections.send(connection)
      while true { lines.send(try await connection.receive()) }
    } progress: { _, connection in
      self.connection = connection
    } abandoned: { _ in
      self.connection = nil
    } publish: { _, _ in
    }
  }

  private func sendMessages() async {
    for await (message, connection) in StateOutlet.combine($outbox.map(\.first), $connection) {
      if let message, let connection, (try? await connection.send(message.text)) != nil {
        // A run that is not over yet may have sent it, too.
        _outbox.update { if $0.first === message { $0.removeFirst() } }
      }
    }
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
actor StandInServer: Connection {
  private var lines: Channel<String>?

  func start() { lines = Channel(replaying: 10) }
  func stop() { lines = nil }

  func connect() throws -> any Connection {
    guard lines != nil else { throw Unreachable() }
    return self
  }

  func send(_ text: String) throws {
    guard let lines else { throw Unreachable() }
    lines.send(text)
  }

  private var received: Subscription<String>?

  func receive() async throws -> String {
    let received = received ?? lines?.outlet.subscribe()
    self.received = received
    guard let line = await received?.next() else {
      self.received = nil
      throw Unreachable()
    }
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

/// A view comes back before its cancelled run is over, which waits for a server.
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
