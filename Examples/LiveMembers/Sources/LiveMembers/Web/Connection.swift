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
  private var progress = Progress()
  #if !os(Linux)
    private var lastLeft = 0
  #endif
  private var nextLook: Scheduled<Void>?
  /// How the work under way is cancelled, and when it is in any case.
  private var work: (cancel: @Sendable () -> Void, limit: Scheduled<Void>)?

  /// - Parameters:
  ///   - silence: For how long nothing that was sent may be acknowledged.
  ///   - enter: Takes a place for the connection. If there is none, it is closed.
  init(silence: TimeAmount, enter: @escaping (SocketAddress?) throws -> Places.Place) {
    (self.silence, self.enter) = (silence, enter)
  }

  func handlerAdded(context: ChannelHandlerContext) {
    lookLater(context)
    if context.channel.isActive { takePlace(context) }
  }

  func handlerRemoved(context: ChannelHandlerContext) { nextLook?.cancel() }

  func channelActive(context: ChannelHandlerContext) {
    context.fireChannelActive()
    takePlace(context)
  }

  private func takePlace(_ context: ChannelHandlerContext) {
    guard place == nil else { return }
    do { place = try enter(context.remoteAddress) } catch { context.close(promise: nil) }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    // A browser that leaves closes both ways, which cannot be told from one that only sends no more.
    if event as? ChannelEvent == .inputClosed { leave() }
    context.fireUserInboundEventTriggered(event)
  }

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
    guard let socket = context.channel as? any SocketOptionProvider,
      let left = try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)
    else { return }
    #if os(Linux)
      // What is left may be in the system's buffer, which has megabytes. A host that vanished acknowledges
      // nothing, whatever is sent. To one that does not read, nothing is sent, though it says that it has no room.
      socket.getTCPInfo().assumeIsolated().whenSuccess { [self] info in
        progress.note(
          hasLeft: left > 0 || info.tcpi_unacked > 0 || info.tcpi_backoff > 0,
          pause: .milliseconds(Int64(max(info.tcpi_last_data_sent, info.tcpi_last_ack_recv))))
        closeIfStuck(context, socket)
      }
    #else
      // Of the system's own buffer, nothing is known.
      progress.note(hasLeft: left > 0, pause: left == lastLeft ? silence : .zero)
      lastLeft = left
      closeIfStuck(context, socket)
    #endif
  }

  private func closeIfStuck(_ context: ChannelHandlerContext, _ socket: any SocketOptionProvider) {
    guard progress.hasPaused(for: silence) else { return }
    // Nobody will read what is left, so the system need not keep it.
    socket.setSoLinger(.init(l_onoff: 1, l_linger: 0)).whenComplete { _ in }
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

/// When something of what is to be sent has last reached the other side, or nothing was left.
private struct Progress {
  private var last = NIODeadline.now()

  func hasPaused(for limit: TimeAmount) -> Bool { NIODeadline.now() - last >= limit }

  /// - Parameter pause: Since when nothing has been sent, or nothing acknowledged.
  mutating func note(hasLeft: Bool, pause: TimeAmount) {
    last = hasLeft ? max(last, .now() - pause) : .now()
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
