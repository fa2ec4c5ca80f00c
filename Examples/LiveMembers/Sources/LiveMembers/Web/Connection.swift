import Hummingbird
import HummingbirdCore
import NIOCore

/// What is done for each connection, whatever is asked on it: one that is dead or stuck is closed, and work
/// whose answer nobody is there to read is cancelled.
final class Connection: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = Any
  typealias OutboundIn = Any

  private let silence: TimeAmount
  private var hasGone = false
  private var progress = Progress()
  private var nextLook: Scheduled<Void>?
  /// How the work under way is cancelled, and when it is in any case.
  private var work: (cancel: @Sendable () -> Void, limit: Scheduled<Void>)?

  /// - Parameter silence: For how long nothing that was sent may be acknowledged.
  init(silence: TimeAmount) {
    self.silence = silence
  }

  func handlerAdded(context: ChannelHandlerContext) {
    look(in: context)
    // A host that vanished acknowledges nothing. Without this the system sends again for a quarter of an hour.
    #if os(Linux)
      let (name, value) = (18, silence.nanoseconds / 1_000_000)  // TCP_USER_TIMEOUT, in ms
    #else
      let (name, value) = (0x80, silence.nanoseconds / 1_000_000_000)  // TCP_RXT_CONNDROPTIME, in s
    #endif
    let option = ChannelOptions.Types.SocketOption(level: .tcp, name: .init(rawValue: .init(name)))
    context.channel.setOption(option, value: .init(value)).whenFailure { _ in }
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    nextLook?.cancel()
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    let promise = promise ?? context.eventLoop.makePromise()
    promise.futureResult.assumeIsolated().whenSuccess { self.progress.hasWritten = true }
    context.write(data, promise: promise)
  }

  /// Closes the connection if its browser does not read.
  private func look(in context: ChannelHandlerContext) {
    let left = try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)
    if progress.isStuck(with: left ?? 0) { return context.close(promise: nil) }
    let interval = TimeAmount.nanoseconds(silence.nanoseconds / Int64(Progress.limit))
    nextLook = context.eventLoop.assumeIsolated().scheduleTask(in: interval) {
      self.look(in: context)
    }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    // A browser that leaves closes both ways, which cannot be told from one that only sends no more.
    if case .inputClosed? = event as? ChannelEvent { leave() }
    context.fireUserInboundEventTriggered(event)
  }

  func channelInactive(context: ChannelHandlerContext) {
    leave()
    context.fireChannelInactive()
  }

  private func leave() {
    hasGone = true
    work?.cancel()
    forgetWork()
  }

  private func forgetWork() {
    work?.limit.cancel()
    work = nil
  }

  fileprivate func began(_ cancel: @escaping @Sendable () -> Void, limit: Scheduled<Void>) {
    forgetWork()
    work = (cancel, limit)
    if hasGone { leave() }
  }
}

/// Tells a browser that reads slowly from one that does not read.
private struct Progress {
  /// How often in a row no byte may have been read since the look before.
  static let limit = 3
  var hasWritten = false
  private var left = 0
  private var looks = 0

  /// - Parameter left: How many bytes are not written yet. A long list is one write, which ends late.
  mutating func isStuck(with left: Int) -> Bool {
    let isUnchanged = !hasWritten && self.left > 0 && left >= self.left
    looks = isUnchanged ? looks + 1 : 0
    (self.left, hasWritten) = (left, false)
    return looks == Self.limit
  }
}

/// A request's context, which knows its connection.
struct PageContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  private let channel: any Channel

  init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
    channel = source.channel
  }

  var address: SocketAddress? { channel.remoteAddress }

  /// Runs this in a task that is cancelled when the other side closes the connection, or the time is over.
  ///
  /// The task is loose, since neither is an event in the life of the task that answers the request. It
  /// ends with this call all the same.
  func whileSomebodyWaits<Value: Sendable>(
    atMost limit: TimeAmount, _ body: @escaping @Sendable () async -> Value
  ) async -> Value {
    let work = Task { await body() }
    channel.eventLoop.execute { [channel] in
      let limit = channel.eventLoop.scheduleTask(in: limit) { work.cancel() }
      if let connection = try? channel.pipeline.syncOperations.handler(type: Connection.self) {
        connection.began({ work.cancel() }, limit: limit)
      } else {
        // A connection that was reset has left its pipeline already.
        limit.cancel()
        work.cancel()
      }
    }
    return await withTaskCancellationHandler {
      await work.value
    } onCancel: {
      work.cancel()
    }
  }
}
