import Dispatch
import Foundation
import NIOCore
import NIOPosix

/// Takes the lines of programs.
struct Intake: Sendable {
  let lines: LineStore
  let token: String?

  private struct Head: Decodable {
    let v: Int
    let program: String
    let run: String
    let token: String?
  }

  private struct Refusal: Error {}

  /// One program's lines. What comes before its first line is not read.
  private struct Reader {
    let intake: Intake
    /// Whether the first line has to be that of a program, as in a connection.
    let isStrict: Bool
    var splitter = LineSplitter()
    private var run = ""
    private var source: Int?

    init(intake: Intake, isStrict: Bool) { (self.intake, self.isStrict) = (intake, isStrict) }

    mutating func read(_ bytes: UnsafeRawBufferPointer) throws {
      var refused = 0
      for line in splitter.lines(in: bytes) {
        if let line {
          try read(line)
        } else if source == nil, isStrict {
          throw Refusal()
        } else {
          refused += 1
        }
      }
      if let source, refused > 0, isStrict {
        intake.lines.append("{\"bad\":\(refused)}", of: source)
      }
    }

    private mutating func read(_ line: String) throws {
      if line.hasPrefix("{\"v\":"),
        let head = try? JSONDecoder().decode(Head.self, from: Data(line.utf8))
      {
        guard head.v == 1, head.token == intake.token || !isStrict else { throw Refusal() }
        // Not the line itself, which may have a token in it.
        let names = try JSONEncoder().encode(["program": head.program, "run": head.run])
        let text = String(decoding: names, as: UTF8.self)
        source = intake.lines.begin(run: head.run, head: "{\"v\":1," + text.dropFirst())
        run = head.run
        if source == nil { throw Refusal() }
      } else if let source {
        intake.lines.append(line, of: source)
      } else if isStrict {
        throw Refusal()
      }
    }

    func end() {
      if let source { intake.lines.end(run: run, source) }
    }
  }

  /// - Returns: Where it listens.
  func listen(
    at host: String, port: Int, unix: String?,
    in group: inout ThrowingDiscardingTaskGroup<any Error>
  ) async throws -> String {
    let bootstrap = ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
    let network = try await bootstrap.bind(host: host, port: port, childChannelInitializer: wrap)
    group.addTask { try await serve(network) }
    if let unix {
      let local = try await bootstrap.bind(
        unixDomainSocketPath: unix, cleanupExistingSocketFile: true, childChannelInitializer: wrap)
      chmod(unix, 0o600)
      group.addTask { try await serve(local) }
    }
    return "\(host):\(network.channel.localAddress?.port ?? 0)"
      + (unix.map { " and unix:\($0)" } ?? "")
  }

  private typealias Program = NIOAsyncChannel<ByteBuffer, ByteBuffer>

  private func wrap(_ channel: any Channel) -> EventLoopFuture<Program> {
    channel.eventLoop.makeCompletedFuture { try Program(wrappingChannelSynchronously: channel) }
  }

  private func serve(_ server: NIOAsyncChannel<Program, Never>) async throws {
    try await server.executeThenClose { programs in
      try await withThrowingDiscardingTaskGroup { group in
        for try await program in programs {
          // One that is gone or refused ends itself alone.
          group.addTask { try? await take(program) }
        }
      }
    }
  }

  private func take(_ program: Program) async throws {
    try await program.executeThenClose { inbound, _ in
      var reader = Reader(intake: self, isStrict: true)
      defer { reader.end() }
      for try await buffer in inbound { try buffer.withUnsafeReadableBytes { try reader.read($0) } }
    }
  }

  /// Follows a file while it grows, or the standard input to its end.
  func read(_ file: String, in group: inout ThrowingDiscardingTaskGroup<any Error>) throws {
    guard file != "-" else {
      // It may wait for ever, so it has a thread of its own.
      DispatchQueue(label: "inspector.input").async {
        var reader = Reader(intake: self, isStrict: false)
        while true {
          let data = FileHandle.standardInput.availableData
          if data.isEmpty { return reader.end() }
          try? data.withUnsafeBytes { try reader.read($0) }
        }
      }
      return
    }
    guard let handle = FileHandle(forReadingAtPath: file) else {
      throw CleanError(description: "\(file) cannot be read.")
    }
    group.addTask {
      var reader = Reader(intake: self, isStrict: false)
      while !Task.isCancelled {
        if let data = try handle.read(upToCount: 1 << 20), !data.isEmpty {
          try? data.withUnsafeBytes { try reader.read($0) }
        } else {
          try? await Task.sleep(for: .milliseconds(100))
        }
      }
    }
  }
}

struct CleanError: Error, CustomStringConvertible {
  let description: String
}
