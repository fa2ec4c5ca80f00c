// What the libraries use of musl, as its headers are imported. A thread is a pointer to a type that is not
// declared, so it is an opaque pointer, and implicitly unwrapped, since musl does not say what may be null.

public struct pthread_mutex_t { public init() {} }
public struct pthread_mutexattr_t {}
public typealias pthread_t = OpaquePointer

public func pthread_self() -> pthread_t! { fatalError() }
public func write(_ descriptor: Int32, _ buffer: UnsafeRawPointer!, _ count: Int) -> Int { 0 }

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

public typealias pthread_key_t = UInt32
@discardableResult
public func pthread_key_create(
  _ key: UnsafeMutablePointer<pthread_key_t>!,
  _ destructor: (@convention(c) (UnsafeMutableRawPointer?) -> Void)!
) -> Int32 { 0 }
public func pthread_getspecific(_ key: pthread_key_t) -> UnsafeMutableRawPointer! { nil }
@discardableResult
public func pthread_setspecific(_ key: pthread_key_t, _ value: UnsafeRawPointer!) -> Int32 { 0 }

public typealias clockid_t = Int32
public var CLOCK_MONOTONIC: Int32 { 1 }
@discardableResult
public func clock_gettime(_ clock: clockid_t, _ time: UnsafeMutablePointer<timespec>!) -> Int32 { 0 }

public typealias FILE = OpaquePointer
public func fopen(_ path: UnsafePointer<CChar>!, _ mode: UnsafePointer<CChar>!) -> FILE! { nil }
@discardableResult public func fclose(_ file: FILE!) -> Int32 { 0 }

@discardableResult
public func lseek(_ descriptor: Int32, _ offset: Int, _ whence: Int32) -> Int { 0 }
public func mmap(
  _ address: UnsafeMutableRawPointer!, _ size: Int, _ protection: Int32, _ flags: Int32,
  _ descriptor: Int32, _ offset: Int
) -> UnsafeMutableRawPointer! { nil }

// Of <sys/socket.h>, <sys/un.h>, <netdb.h>, <poll.h>, <fcntl.h>, <sys/mman.h>, <unistd.h> and <errno.h>.
public var EAGAIN: Int32 { 11 }
public typealias sa_family_t = UInt16
public var MSG_DONTWAIT: Int32 { 64 }
public func poll(_ place: UnsafeMutablePointer<pollfd>!, _ count: UInt, _ time: Int32) -> Int32 { 0 }
public var O_CREAT: Int32 { 64 }
public var O_TRUNC: Int32 { 512 }
public func open(_ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: UInt32) -> Int32 { 0 }
public var MSG_NOSIGNAL: Int32 { 0x4000 }
public func pthread_getcpuclockid(
  _ thread: pthread_t, _ clock: UnsafeMutablePointer<clockid_t>!
) -> Int32 { 0 }
