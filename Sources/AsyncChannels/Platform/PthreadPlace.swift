#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(wasi_pthread)
  import wasi_pthread
#elseif canImport(WASILibc)
  import WASILibc
#endif

#if !os(Windows) && _runtime(_multithreaded)
  /// A place that each thread has for itself. What is in it when the thread ends is released.
  struct ThreadPlace: Sendable {
    private let key: pthread_key_t

    init() {
      var key = pthread_key_t()
      let status = pthread_key_create(&key) { releaseContent($0) }
      precondition(status == 0, "pthread_key_create failed with \(status)")
      self.key = key
    }

    var content: UnsafeMutableRawPointer? {
      get { pthread_getspecific(key) }
      nonmutating set { pthread_setspecific(key, newValue) }
    }
  }
#endif
