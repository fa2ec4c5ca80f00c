// What the libraries use of Darwin, as its headers are imported, apart from POSIX.swift.

public struct _opaque_pthread_t {}
public struct _opaque_pthread_mutex_t { public init() {} }
public struct _opaque_pthread_mutexattr_t {}
public typealias pthread_t = UnsafeMutablePointer<_opaque_pthread_t>
public typealias pthread_mutex_t = _opaque_pthread_mutex_t
public typealias pthread_mutexattr_t = _opaque_pthread_mutexattr_t

public func pthread_self() -> pthread_t { fatalError() }
public func write(_ descriptor: Int32, _ buffer: UnsafeRawPointer!, _ count: Int) -> Int { 0 }

@discardableResult
public func pthread_mutex_init(
  _ mutex: UnsafeMutablePointer<pthread_mutex_t>, _ attributes: UnsafePointer<pthread_mutexattr_t>?
) -> Int32 { 0 }
@discardableResult
public func pthread_mutex_lock(_ mutex: UnsafeMutablePointer<pthread_mutex_t>) -> Int32 { 0 }
@discardableResult
public func pthread_mutex_unlock(_ mutex: UnsafeMutablePointer<pthread_mutex_t>) -> Int32 { 0 }
@discardableResult
public func pthread_mutex_destroy(_ mutex: UnsafeMutablePointer<pthread_mutex_t>) -> Int32 { 0 }

public typealias pthread_key_t = UInt
@discardableResult
public func pthread_key_create(
  _ key: UnsafeMutablePointer<pthread_key_t>!,
  _ destructor: (@convention(c) (UnsafeMutableRawPointer) -> Void)?
) -> Int32 { 0 }
public func pthread_getspecific(_ key: pthread_key_t) -> UnsafeMutableRawPointer? { nil }
@discardableResult
public func pthread_setspecific(_ key: pthread_key_t, _ value: UnsafeRawPointer?) -> Int32 { 0 }

public struct clockid_t: RawRepresentable, Sendable {
  public var rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }
}
public var CLOCK_MONOTONIC: clockid_t { clockid_t(rawValue: 6) }
@discardableResult
public func clock_gettime(_ clock: clockid_t, _ time: UnsafeMutablePointer<timespec>!) -> Int32 { 0 }

public struct __sFILE {}
public typealias FILE = __sFILE
public func fopen(_ path: UnsafePointer<CChar>!, _ mode: UnsafePointer<CChar>!) -> UnsafeMutablePointer<FILE>! { nil }
@discardableResult public func fclose(_ file: UnsafeMutablePointer<FILE>!) -> Int32 { 0 }

public var RTLD_NOW: Int32 { 2 }
public func dlopen(_ path: UnsafePointer<CChar>!, _ mode: Int32) -> UnsafeMutableRawPointer! { nil }
public func dlsym(
  _ handle: UnsafeMutableRawPointer!, _ name: UnsafePointer<CChar>!
) -> UnsafeMutableRawPointer! { nil }

public var EAGAIN: Int32 { 35 }
public typealias sa_family_t = UInt8
public var MSG_DONTWAIT: Int32 { 128 }
public func poll(_ place: UnsafeMutablePointer<pollfd>!, _ count: UInt32, _ time: Int32) -> Int32 { 0 }
public var O_CREAT: Int32 { 512 }
public var O_TRUNC: Int32 { 1024 }
public func open(_ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: UInt16) -> Int32 { 0 }
public func pthread_main_np() -> Int32 { 0 }
public var SOL_SOCKET: Int32 { 0xFFFF }
public var SO_NOSIGPIPE: Int32 { 0x1022 }
@discardableResult
public func setsockopt(
  _ socket: Int32, _ level: Int32, _ name: Int32, _ value: UnsafeRawPointer!, _ length: socklen_t
) -> Int32 { 0 }
public func mmap(
  _ address: UnsafeMutableRawPointer!, _ size: Int, _ protection: Int32, _ flags: Int32,
  _ descriptor: Int32, _ offset: Int64
) -> UnsafeMutableRawPointer! { nil }
public typealias off_t = Int64
public func lseek(_ descriptor: Int32, _ offset: off_t, _ whence: Int32) -> off_t { 0 }
