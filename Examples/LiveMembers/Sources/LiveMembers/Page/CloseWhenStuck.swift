import NIOCore

/// Closes a connection on which nothing could be written for some time: its browser does not read, or
/// asks for nothing. Added behind an `IdleStateHandler`, which measures that.
final class CloseWhenStuck: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = Any

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    guard case IdleStateHandler.IdleStateEvent.write = event else {
      return context.fireUserInboundEventTriggered(event)
    }
    context.close(promise: nil)
  }
}
