import NIOCore
import NIOHTTP1
import NIOPosix

/// A tab: reads its stream line by line, and tells the meter each event's number.
final class TabHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let meter: Meter
  private var received = ByteBuffer()
  private var revision: Int?

  init(_ meter: Meter) {
    self.meter = meter
  }

  func channelActive(context: ChannelHandlerContext) {
    let request = ByteBuffer(string: "GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    context.writeAndFlush(wrapOutboundOut(request), promise: nil)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var part = unwrapInboundIn(data)
    received.writeBuffer(&part)
    while let end = received.readableBytesView.firstIndex(of: UInt8(ascii: "\n")) {
      let length = end - received.readerIndex + 1
      // Lines of markup are long, and not looked at.
      if length < 100, let line = received.getString(at: received.readerIndex, length: length - 1),
        line.hasPrefix("id: "), let number = line.split(separator: "-").last.flatMap({ Int($0) })
      {
        saw(number)
      }
      received.moveReaderIndex(forwardBy: length)
    }
    received.discardReadBytes()
  }

  private func saw(_ number: Int) {
    if let revision { meter.changed(from: revision, to: number) } else { meter.opened(at: number) }
    revision = number
  }
}

/// A connection for one command after the other.
struct CommandClient {
  private let channel: any Channel
  private let port: Int

  static func connect(to port: Int, on group: any EventLoopGroup) async throws -> CommandClient {
    let channel = try await ClientBootstrap(group: group)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHTTPClientHandlers()
          try channel.pipeline.syncOperations.addHandler(AnswerHandler())
        }
      }
      .connect(host: "127.0.0.1", port: port).get()
    return CommandClient(channel: channel, port: port)
  }

  /// Sends a form; gives the status of the answer.
  func post(_ path: String, _ form: String) async throws -> Int {
    let promise = channel.eventLoop.makePromise(of: Int.self)
    channel.write(Command(path: path, form: form, host: "127.0.0.1:\(port)", answer: promise))
      .cascadeFailure(to: promise)
    channel.flush()
    return try await promise.futureResult.get()
  }
}

private struct Command {
  let path: String
  let form: String
  let host: String
  let answer: EventLoopPromise<Int>
}

private final class AnswerHandler: ChannelDuplexHandler {
  typealias InboundIn = HTTPClientResponsePart
  typealias OutboundIn = Command
  typealias OutboundOut = HTTPClientRequestPart

  private var answer: EventLoopPromise<Int>?
  private var status = 0

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    let command = unwrapOutboundIn(data)
    answer = command.answer
    let headers: HTTPHeaders = [
      "Host": command.host, "Content-Type": "application/x-www-form-urlencoded",
      "Content-Length": "\(command.form.utf8.count)",
    ]
    let head = HTTPRequestHead(
      version: .http1_1, method: .POST, uri: command.path, headers: headers)
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    context.write(
      wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: command.form)))), promise: nil)
    context.write(wrapOutboundOut(.end(nil)), promise: promise)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head): status = Int(head.status.code)
    case .body: break
    case .end:
      answer?.succeed(status)
      answer = nil
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    answer?.fail(ChannelError.ioOnClosedChannel)
    answer = nil
  }
}
