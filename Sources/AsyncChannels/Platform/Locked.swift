#if ASYNCCHANNELS_PTHREAD_LOCK
  #if canImport(Darwin)
    import Darwin
  #elseif canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #elseif canImport(Android)
    import Android
  #endif

  /// A value that can only be reached with its lock held: the form for Thread Sanitizer.
  ///
  /// The sanitizer does not see how a contended `Mutex` is handed over, and reports races where
  /// there are none; it does understand `pthread_mutex_t`. For it, build with
  /// `-D ASYNCCHANNELS_PTHREAD_LOCK`.
  ///
  /// `@unchecked Sendable`: the value is reached only inside `withLock`, which excludes all others.
  @usableFromInline
  package struct Locked<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let value: UnsafeMutablePointer<Value>

    @usableFromInline
    package init(_ initialValue: consuming Value) {
      mutex = .allocate(capacity: 1)
      mutex.initialize(to: pthread_mutex_t())
      let status = pthread_mutex_init(mutex, nil)
      precondition(status == 0, "pthread_mutex_init failed with \(status)")
      value = .allocate(capacity: 1)
      value.initialize(to: initialValue)
    }

    deinit {
      value.deinitialize(count: 1)
      value.deallocate()
      pthread_mutex_destroy(mutex)
      mutex.deallocate()
    }

    @usableFromInline
    package borrowing func withLock<Result, Failure: Error>(
      _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
      pthread_mutex_lock(mutex)
      defer { pthread_mutex_unlock(mutex) }
      return try body(&value.pointee)
    }
  }
#else
  public import Synchronization

  /// A value that can only be reached with its lock held.
  @usableFromInline
  package typealias Locked = Mutex
#endif
