// What the libraries use of Darwin, as its headers are imported: <pthread.h>, <sched.h>, <unistd.h>, <time.h>,
// <stdio.h>, <stdlib.h>, <dlfcn.h>.

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

public struct timespec {
  public var tv_sec: Int
  public var tv_nsec: Int
  public init() { (tv_sec, tv_nsec) = (0, 0) }
}

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
@discardableResult
public func getline(
  _ line: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!,
  _ capacity: UnsafeMutablePointer<Int>!, _ file: UnsafeMutablePointer<FILE>!
) -> Int { 0 }
public func free(_ pointer: UnsafeMutableRawPointer!) {}

public var RTLD_NOW: Int32 { 2 }
public func dlopen(_ path: UnsafePointer<CChar>!, _ mode: Int32) -> UnsafeMutableRawPointer! { nil }
public func dlsym(
  _ handle: UnsafeMutableRawPointer!, _ name: UnsafePointer<CChar>!
) -> UnsafeMutableRawPointer! { nil }
