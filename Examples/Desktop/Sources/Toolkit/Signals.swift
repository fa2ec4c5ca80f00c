import CGtk

/// What a signal calls. The signal keeps it, and lets it go with its object.
private final class Handler {
  let body: (UnsafeMutableRawPointer?) -> Void

  init(_ body: @escaping (UnsafeMutableRawPointer?) -> Void) {
    self.body = body
  }
}

/// A handler that is connected "swapped".
private typealias Call = @convention(c) (UnsafeMutableRawPointer, UnsafeMutableRawPointer?) -> Void

/// Calls a closure at each signal of an object, as long as the object lives.
///
/// The handler is connected "swapped", so GTK calls it with the closure first, then the signal's own
/// argument (or the object, if the signal has none). It passes more to signals with more arguments;
/// the C calling convention lets a function ignore them. The signal must return nothing.
///
/// - Parameter body: Called on the main thread, where GTK sends all of its signals. An object that is
///   kept by its own handler is never released: capture what the closure needs, or `[weak self]`.
public func connect(
  _ object: UnsafeMutableRawPointer, _ signal: String,
  _ body: @escaping (UnsafeMutableRawPointer?) -> Void
) {
  let call: Call = { data, argument in
    nonisolated(unsafe) let (data, argument) = (data, argument)
    MainActor.assumeIsolated {
      Unmanaged<Handler>.fromOpaque(data).takeUnretainedValue().body(argument)
    }
  }
  g_signal_connect_data(
    object, signal, unsafeBitCast(call, to: GCallback.self),
    Unmanaged.passRetained(Handler(body)).toOpaque(),
    { data, _ in Unmanaged<Handler>.fromOpaque(data!).release() }, G_CONNECT_SWAPPED)
}
