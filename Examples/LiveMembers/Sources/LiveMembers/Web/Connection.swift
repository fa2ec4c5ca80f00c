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
  /// How the work under way is cancelled, and when it is in any case.
  private var work: (cancel: @Sendable () -> Void, limit: Scheduled<Void>)?

  /// - Parameters:
  ///   - silence: For how long nothing that was sent may be acknowledged.
  ///   - enter: Takes a place for the connection. If there is none, it is closed.
  init(silence: TimeAmount, enter: @escaping (SocketAddress?) throws -> Places.Place) {
    (self.silence, self.enter) = (silence, enter)
  }

  static func handlers(
    silence: TimeAmount, enter: @escaping (SocketAddress?) throws -> Places.Place
  ) -> [any RemovableChannelHandler] {
    [IdleStateHandler(writeTimeout: silence), Connection(silence: silence, enter: enter)]
  }

  /// A host that vanished acknowledges nothing. Without this the system sends again for a quarter of an hour.
  func handlerAdded(context: ChannelHandlerContext) {
    #if os(Linux)
      let (name, value) = (18, silence.nanoseconds / 1_000_000)  // TCP_USER_TIMEOUT, in ms
    #else
      let (name, value) = (0x80, silence.nanoseconds / 1_000_000_000)  // TCP_RXT_CONNDROPTIME, in s
    #endif
    let option = ChannelOptions.Types.SocketOption(level: .tcp, name: .init(rawValue: .init(name)))
    context.channel.setOption(option, value: .init(value)).whenFailure { _ in }
    if context.channel.isActive { takePlace(context) }
  }

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
    case IdleStateHandler.IdleStateEvent.write: closeIfStuck(context)
    // A browser that leaves closes both ways, which cannot be told from one that only sends no more.
    case ChannelEvent.inputClosed: leave()
    default: break
    }
    context.fireUserInboundEventTriggered(event)
  }

  /// No write has ended for long: because there was none, or because the browser reads slowly, or not at all.
  private func closeIfStuck(_ context: ChannelHandlerContext) {
    let left = try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)
    guard left != 0 else { return }
    #if os(Linux)
      // While a browser reads, the system sends what it has in its own buffer, which may be megabytes.
      guard let socket = context.channel as? any SocketOptionProvider else { return }
      socket.getTCPInfo().assumeIsolated().whenSuccess { [silence] info in
        let pause = TimeAmount.milliseconds(Int64(info.tcpi_last_data_sent))
        if pause >= silence { context.close(promise: nil) }
      }
    #else
      context.close(promise: nil)
    #endif
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
