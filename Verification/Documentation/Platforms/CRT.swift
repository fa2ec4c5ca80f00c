// What the libraries use of Windows' C library, as its headers are imported into the clang module ucrt, which the
// Swift module CRT exports, and what that adds. Left out: names without an underscore that POSIX has, and
// functions that Microsoft calls insecure. Both are deprecated there.

public struct _iobuf {}
public typealias FILE = _iobuf
public typealias errno_t = Int32
public typealias time_t = Int64

// <io.h>, <fcntl.h>
@discardableResult
public func _write(_ _FileHandle: Int32, _ _Buf: UnsafeRawPointer!, _ _MaxCharCount: UInt32) -> Int32 { 0 }
public func _read(_ _FileHandle: Int32, _ _DstBuf: UnsafeMutableRawPointer!, _ _MaxCharCount: UInt32) -> Int32 { 0 }
@discardableResult public func _close(_ _FileHandle: Int32) -> Int32 { 0 }
// _open is variadic, so it is not imported. CRT adds open in Swift.
public func open(_ path: UnsafePointer<CChar>, _ oflag: Int32) -> Int32 { 0 }
public func open(_ path: UnsafePointer<CChar>, _ oflag: Int32, _ mode: Int32) -> Int32 { 0 }
public var O_RDONLY: Int32 { 0x0000 }
public var O_RDWR: Int32 { 0x0002 }
public var O_CREAT: Int32 { 0x0100 }
public var O_TRUNC: Int32 { 0x0200 }

// <stdio.h>
public func fopen_s(
  _ _Stream: UnsafeMutablePointer<UnsafeMutablePointer<FILE>?>!, _ _FileName: UnsafePointer<CChar>!,
  _ _Mode: UnsafePointer<CChar>!
) -> errno_t { 0 }
@discardableResult public func fclose(_ _Stream: UnsafeMutablePointer<FILE>!) -> Int32 { 0 }
@discardableResult
public func fread(
  _ _Buffer: UnsafeMutableRawPointer!, _ _ElementSize: Int, _ _ElementCount: Int, _ _Stream: UnsafeMutablePointer<FILE>!
) -> Int { 0 }

// <stdlib.h>, <string.h>, <process.h>, <errno.h>
public func free(_ _Block: UnsafeMutableRawPointer!) {}
public func exit(_ _Code: Int32) -> Never { fatalError() }
public func _exit(_ _Code: Int32) -> Never { fatalError() }
@available(*, deprecated, message: "Use strerror_s")
public func strerror(_ _ErrorMessage: Int32) -> UnsafeMutablePointer<CChar>! { nil }
// A macro; CRT adds it in Swift.
public var errno: Int32 { get { 0 } set {} }
public var EINTR: Int32 { 4 }
public var EAGAIN: Int32 { 11 }

// <time.h>. A long has 32 bits. There is no clock_gettime.
public struct timespec {
  public var tv_sec: time_t
  public var tv_nsec: Int32
  public init() { (tv_sec, tv_nsec) = (0, 0) }
}

// <signal.h>: SIGINT and SIGTERM exist, SIGPIPE, SIGTSTP and sigaction do not.
public typealias _crt_signal_t = @convention(c) (Int32) -> Void
@discardableResult
public func signal(_ _Signal: Int32, _ _Function: _crt_signal_t!) -> _crt_signal_t! { nil }
public var SIGINT: Int32 { 2 }
public var SIGTERM: Int32 { 15 }
