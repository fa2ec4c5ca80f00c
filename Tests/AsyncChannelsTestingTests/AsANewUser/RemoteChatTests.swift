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
  @Input var write: Inlet<String>
  @CurrentValue private(set) var lines: [String] = []
  @CurrentValue private(set) var connection: (any Connection)?
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

  func run() async {
    await together({ await self.stayConnected() }, { await self.sendMessages() })
  }

  private func stayConnected() async {
    var pause = Duration.seconds(1)
    while !Task.isCancelled {
      if let connection = try? await connect() {
        self.connection = connection
        pause = .seconds(1)
        while let line = try? await connection.receive() { lines.append(line) }
        self.connection = nil
      }
      try? await self.clock.sleep(for: pause)
      pause = min(pause * 2, .seconds(60))
    }
  }

  private func sendMessages() async {
    let connections = $connection
    await _write.received.answer { text in
      for await connection in connections {
        if let connection, (try? await connection.send(text)) != nil { return }
      }
    } publish: { _, _ in
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
