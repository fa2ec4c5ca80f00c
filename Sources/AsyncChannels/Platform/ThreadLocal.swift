/// An object of each thread, made when the thread first asks for it, and released when the thread ends.
struct ThreadLocal<Object: AnyObject>: Sendable {
  private let place = ThreadPlace()

  /// Nil if this thread has none yet.
  var known: Object? {
    place.content.map { Unmanaged<Object>.fromOpaque($0).takeUnretainedValue() }
  }

  func object(_ make: () -> Object) -> Object {
    if let known { return known }
    let made = make()
    place.content = Unmanaged.passRetained(made).toOpaque()
    return made
  }
}

/// For the system to call when a thread ends.
func releaseContent(_ content: UnsafeMutableRawPointer?) {
  if let content { Unmanaged<AnyObject>.fromOpaque(content).release() }
}
