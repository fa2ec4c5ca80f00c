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
  @CurrentValue private(set) var lines: [String] = []
  @CurrentValue private(set) var connection: (any Connection)?
  /// What no connection has taken yet.
  @CurrentValue private var outbox: [String] = []
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

  var write: Inlet<String> { _outbox.inlet { $0.append($1) } }

  func run() async {
    await together(
      {
        await Outlet.just(self).answer(
          clock: self.clock, retry: .exponential(from: .seconds(1), upTo: .seconds(60))
        ) { chat in
          try await chat.listen()
        } publish: { _, _ in
        }
      },
      { await self.sendMessages() })
  }

  private func listen() async throws {
    let connection = try await connect()
    self.connection = connection
    defer { self.connection = nil }
    while true { lines.append(try await connection.receive()) }
  }

  private func sendMessages() async {
    for await (text, connection) in StateOutlet.combine($outbox.map(\.first), $connection) {
      if let text, let connection, (try? await connection.send(text)) != nil {
        outbox.removeFirst()
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

/// Sends back what it gets, while it runs.
actor StandInServer: Connection {
  private var lines: Channel<String>?

  func start() { lines = Channel(replaying: 10) }
  func stop() { lines = nil }

  func connect() throws -> any Connection {
    guard lines != nil else { throw CancellationError() }
    return self
  }

  func send(_ text: String) throws {
    guard let lines else { throw CancellationError() }
    lines.send(text)
  }

  private var received: Subscription<String>?

  func receive() async throws -> String {
    let received = received ?? lines?.outlet.subscribe()
    self.received = received
    guard let line = await received?.next() else {
      self.received = nil
      throw CancellationError()
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
