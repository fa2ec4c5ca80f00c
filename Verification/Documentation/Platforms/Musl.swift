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

public struct timespec {
  public var tv_sec: Int
  public var tv_nsec: Int
  public init() { (tv_sec, tv_nsec) = (0, 0) }
}

public typealias clockid_t = Int32
public var CLOCK_MONOTONIC: Int32 { 1 }
@discardableResult
public func clock_gettime(_ clock: clockid_t, _ time: UnsafeMutablePointer<timespec>!) -> Int32 { 0 }

public typealias FILE = OpaquePointer
public func fopen(_ path: UnsafePointer<CChar>!, _ mode: UnsafePointer<CChar>!) -> FILE! { nil }
@discardableResult public func fclose(_ file: FILE!) -> Int32 { 0 }
@discardableResult
public func getline(
  _ line: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!,
  _ capacity: UnsafeMutablePointer<Int>!, _ file: FILE!
) -> Int { 0 }
public func free(_ pointer: UnsafeMutableRawPointer!) {}

public var O_RDONLY: Int32 { 0 }
public var SEEK_END: Int32 { 2 }
public var PROT_READ: Int32 { 1 }
public var MAP_PRIVATE: Int32 { 2 }
public var MAP_FAILED: UnsafeMutableRawPointer! { UnsafeMutableRawPointer(bitPattern: -1) }
public func open(_ path: UnsafePointer<CChar>, _ flags: Int32) -> Int32 { 0 }
@discardableResult public func close(_ descriptor: Int32) -> Int32 { 0 }
@discardableResult
public func lseek(_ descriptor: Int32, _ offset: Int, _ whence: Int32) -> Int { 0 }
public func mmap(
  _ address: UnsafeMutableRawPointer!, _ size: Int, _ protection: Int32, _ flags: Int32,
  _ descriptor: Int32, _ offset: Int
) -> UnsafeMutableRawPointer! { nil }
@discardableResult
public func munmap(_ address: UnsafeMutableRawPointer!, _ size: Int) -> Int32 { 0 }
