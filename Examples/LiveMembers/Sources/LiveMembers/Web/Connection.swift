import Hummingbird
import HummingbirdCore
import NIOCore

/// What is done for each connection, whatever is asked on it: one that is dead or stuck is closed, and work
/// whose answer nobody is there to read is cancelled.
final class Connection: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = Any

  private let silence: TimeAmount
  private let enter: (SocketAddress?) throws -> Places.Place
  private var place: Places.Place?
  private var hasGone = false
  #if os(Linux)
    private var progress = Progress()
    private var nextLook: Scheduled<Void>?
  #endif
  /// How the work under way is cancelled, and when it is in any case.
  private var work: (cancel: @Sendable () -> Void, limit: Scheduled<Void>)?

  /// - Parameters:
  ///   - silence: For how long nothing that was sent may be acknowledged. A host that answers may have no room for four
  ///     times as long.
  ///   - enter: Takes a place for the connection. If there is none, it is closed.
  init(silence: TimeAmount, enter: @escaping (SocketAddress?) throws -> Places.Place) {
    (self.silence, self.enter) = (silence, enter)
  }

  static func handlers(
    silence: TimeAmount, enter: @escaping (SocketAddress?) throws -> Places.Place
  ) -> [any RemovableChannelHandler] {
    let connection = Connection(silence: silence, enter: enter)
    #if os(Linux)
      return [connection]
    #else
      return [IdleStateHandler(writeTimeout: silence), connection]
    #endif
  }

  func handlerAdded(context: ChannelHandlerContext) {
    #if os(Linux)
      lookLater(context)
    #else
      // A host that vanished acknowledges nothing. Without this the system sends again for a quarter of an hour.
      let (name, value) = (0x80, silence.nanoseconds / 1_000_000_000)  // TCP_RXT_CONNDROPTIME, in s
      let option = ChannelOptions.Types.SocketOption(
        level: .tcp, name: .init(rawValue: .init(name)))
      context.channel.setOption(option, value: .init(value)).whenFailure { _ in }
    #endif
    if context.channel.isActive { takePlace(context) }
  }

  #if os(Linux)
    func handlerRemoved(context: ChannelHandlerContext) { nextLook?.cancel() }
  #endif

  func channelActive(context: ChannelHandlerContext) {
    context.fireChannelActive()
    takePlace(context)
  }

  private func takePlace(_ context: ChannelHandlerContext) {
    guard place == nil else { return }
    do { place = try enter(context.remoteAddress) } catch { context.close(promise: nil) }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    switch event {
    // A browser that leaves closes both ways, which cannot be told from one that only sends no more.
    case ChannelEvent.inputClosed: leave()
    #if !os(Linux)
      // No write has ended for long. If something is left to be written, nobody reads.
      case IdleStateHandler.IdleStateEvent.write where hasLeft(context): close(context)
    #endif
    default: break
    }
    context.fireUserInboundEventTriggered(event)
  }

  private func hasLeft(_ context: ChannelHandlerContext) -> Bool {
    (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0 > 0
  }

  #if os(Linux)
    private func lookLater(_ context: ChannelHandlerContext) {
      let pause = TimeAmount.nanoseconds(silence.nanoseconds / 3)
      nextLook = context.eventLoop.assumeIsolated().scheduleTask(in: pause) {
        self.lookLater(context)
        self.look(context)
      }
    }

    /// Closes a connection whose other side has vanished or does not read: not one that reads slowly.
    ///
    /// The system's own limit (`TCP_USER_TIMEOUT`) is not used. With it, Linux also ends the connection of
    /// somebody who reads all the time, but never has room for as much as the system would send next.
    private func look(_ context: ChannelHandlerContext) {
      guard let socket = context.channel as? any SocketOptionProvider else { return }
      let info: EventLoopFuture<TCPInfo> = socket.unsafeGetSocketOption(
        level: .tcp, name: .tcp_info)
      info.assumeIsolated().whenSuccess { [self] info in
        progress.note(info, hasLeft: hasLeft(context))
        if progress.hasStopped(for: silence) { close(context) }
      }
    }
  #endif

  private func close(_ context: ChannelHandlerContext) {
    // Nobody will read what is left, so the system need not keep it.
    if let socket = context.channel as? any SocketOptionProvider {
      socket.setSoLinger(.init(l_onoff: 1, l_linger: 0)).whenComplete { _ in }
    }
    context.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) {
    place = nil
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

#if os(Linux)
  /// The beginning of the system's `tcp_info` (linux/tcp.h). The C library's is shorter.
  private typealias TCPInfo = InlineArray<37, UInt32>

  extension TCPInfo {
    fileprivate var unacknowledged: UInt32 { self[6] }
    fileprivate var notSent: UInt32 { self[36] }
    /// The time since then.
    fileprivate var sent: TimeAmount { .milliseconds(Int64(self[11])) }
    fileprivate var acknowledged: TimeAmount { .milliseconds(Int64(self[14])) }
  }

  /// Until when a connection went on, or had nothing to send.
  private struct Progress {
    /// When data was last sent: to one that does not read, nothing is, though it says that it has no room. One that
    /// reads slowly says that it has room when most of its buffer is free, which may take minutes.
    private var sent = NIODeadline.now()
    /// When something was last acknowledged: a host that vanished does not, whatever is sent.
    private var acknowledged = NIODeadline.now()

    func hasStopped(for silence: TimeAmount) -> Bool {
      let now = NIODeadline.now()
      return now - acknowledged >= silence || now - sent >= .nanoseconds(4 * silence.nanoseconds)
    }

    /// - Parameter hasLeft: Whether something is left that the system does not have yet. It may have megabytes itself.
    mutating func note(_ info: TCPInfo, hasLeft: Bool) {
      let now = NIODeadline.now()
      let isAllThere = !hasLeft && info.notSent == 0 && info.unacknowledged == 0
      sent = isAllThere ? now : max(sent, now - info.sent)
      acknowledged = isAllThere ? now : max(acknowledged, now - info.acknowledged)
    }
  }
#endif

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
