#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// An object of each thread, made when the thread first asks for it, and released when the thread ends.
///
/// `@unchecked Sendable`: the key is constant, and each thread finds its own object only.
struct ThreadLocal<Object: AnyObject>: @unchecked Sendable {
  private let key: pthread_key_t

  init() {
    var key = pthread_key_t()
    let status = pthread_key_create(&key) { object in
      // Glibc says that it may be nil; it is not.
      let object: UnsafeMutableRawPointer? = object
      if let object { Unmanaged<AnyObject>.fromOpaque(object).release() }
    }
    precondition(status == 0, "pthread_key_create failed with \(status)")
    self.key = key
  }

  /// Nil if this thread has none yet.
  var known: Object? {
    pthread_getspecific(key).map { Unmanaged<Object>.fromOpaque($0).takeUnretainedValue() }
  }

  func object(_ make: () -> Object) -> Object {
    if let known { return known }
    let made = make()
    pthread_setspecific(key, Unmanaged.passRetained(made).toOpaque())
    return made
  }
}
