// What the libraries use of WASI's threads, as <pthread.h> is imported. In Swift 6.3 it is a module of its own, beside
// WASILibc; in later ones it is in WASILibc. It can be imported without threads, too, but then the functions are stubs
// or missing when linked: to be used under _runtime(_multithreaded) only.

public typealias pthread_t = OpaquePointer
public typealias pthread_key_t = UInt32
public struct pthread_mutex_t { public init() {} }
public struct pthread_mutexattr_t { public init() {} }

public func pthread_self() -> pthread_t! { fatalError() }
@discardableResult
public func pthread_key_create(
  _ key: UnsafeMutablePointer<pthread_key_t>!,
  _ destructor: (@convention(c) (UnsafeMutableRawPointer?) -> Void)!
) -> Int32 { 0 }
public func pthread_getspecific(_ key: pthread_key_t) -> UnsafeMutableRawPointer! { nil }
@discardableResult
public func pthread_setspecific(_ key: pthread_key_t, _ value: UnsafeRawPointer!) -> Int32 { 0 }

@discardableResult
public func pthread_mutex_init(
  _ mutex: UnsafeMutablePointer<pthread_mutex_t>!, _ attributes: UnsafePointer<pthread_mutexattr_t>!
) -> Int32 { 0 }
@discardableResult
public func pthread_mutex_lock(_ mutex: UnsafeMutablePointer<pthread_mutex_t>!) -> Int32 { 0 }
@discardableResult
public func pthread_mutex_unlock(_ mutex: UnsafeMutablePointer<pthread_mutex_t>!) -> Int32 { 0 }
@discardableResult
public func pthread_mutex_destroy(_ mutex: UnsafeMutablePointer<pthread_mutex_t>!) -> Int32 { 0 }

// Left out: pthread_getcpuclockid, pthread_setname_np. They are declared, but not in the library.
