// What the libraries can use of Windows' C library, as its headers are imported into the clang module ucrt, which the
// Swift module CRT exports, and what that adds. Names without an underscore that POSIX has are deprecated there, and
// so are functions that Microsoft calls insecure.

public struct _iobuf {}
public typealias FILE = _iobuf
public typealias errno_t = Int32
public typealias time_t = Int64
public typealias wchar_t = UInt16

// <io.h>, <fcntl.h>
@discardableResult
public func _write(_ _FileHandle: Int32, _ _Buf: UnsafeRawPointer!, _ _MaxCharCount: UInt32) -> Int32 { 0 }
public func _read(_ _FileHandle: Int32, _ _DstBuf: UnsafeMutableRawPointer!, _ _MaxCharCount: UInt32) -> Int32 { 0 }
@discardableResult public func _close(_ _FileHandle: Int32) -> Int32 { 0 }
@discardableResult
public func _lseek(_ _FileHandle: Int32, _ _Offset: Int32, _ _Origin: Int32) -> Int32 { 0 }
public func _fileno(_ _Stream: UnsafeMutablePointer<FILE>!) -> Int32 { 0 }
public func _isatty(_ _FileHandle: Int32) -> Int32 { 0 }
@discardableResult
public func _sopen_s(
  _ _FileHandle: UnsafeMutablePointer<Int32>!, _ _FileName: UnsafePointer<CChar>!, _ _OpenFlag: Int32,
  _ _ShareFlag: Int32, _ _PermissionMode: Int32
) -> errno_t { 0 }
@available(*, deprecated, message: "Use _write") @discardableResult
public func write(_ _FileHandle: Int32, _ _Buf: UnsafeRawPointer!, _ _MaxCharCount: UInt32) -> Int32 { 0 }
@available(*, deprecated, message: "Use _read")
public func read(_ _FileHandle: Int32, _ _DstBuf: UnsafeMutableRawPointer!, _ _MaxCharCount: UInt32) -> Int32 { 0 }
@available(*, deprecated, message: "Use _close") @discardableResult
public func close(_ _FileHandle: Int32) -> Int32 { 0 }
// _open is variadic, so it is not imported. CRT adds open in Swift.
public func open(_ path: UnsafePointer<CChar>, _ oflag: Int32) -> Int32 { 0 }
public func open(_ path: UnsafePointer<CChar>, _ oflag: Int32, _ mode: Int32) -> Int32 { 0 }
public var O_RDONLY: Int32 { 0x0000 }
public var O_WRONLY: Int32 { 0x0001 }
public var O_RDWR: Int32 { 0x0002 }
public var O_APPEND: Int32 { 0x0008 }
public var O_CREAT: Int32 { 0x0100 }
public var O_TRUNC: Int32 { 0x0200 }
public var O_BINARY: Int32 { 0x8000 }
public var _O_RDONLY: Int32 { 0x0000 }
public var _O_BINARY: Int32 { 0x8000 }
public var _SH_DENYNO: Int32 { 0x40 }

// <stdio.h>. There is no getline. The three streams are macros; CRT adds them in Swift.
public var stdin: UnsafeMutablePointer<FILE> { fatalError() }
public var stdout: UnsafeMutablePointer<FILE> { fatalError() }
public var stderr: UnsafeMutablePointer<FILE> { fatalError() }
public var STDIN_FILENO: Int32 { 0 }
public var STDOUT_FILENO: Int32 { 1 }
public var STDERR_FILENO: Int32 { 2 }
@available(*, deprecated, message: "Use fopen_s")
public func fopen(_ _FileName: UnsafePointer<CChar>!, _ _Mode: UnsafePointer<CChar>!) -> UnsafeMutablePointer<FILE>! { nil }
public func fopen_s(
  _ _Stream: UnsafeMutablePointer<UnsafeMutablePointer<FILE>?>!, _ _FileName: UnsafePointer<CChar>!,
  _ _Mode: UnsafePointer<CChar>!
) -> errno_t { 0 }
public func _wfopen_s(
  _ _Stream: UnsafeMutablePointer<UnsafeMutablePointer<FILE>?>!, _ _FileName: UnsafePointer<wchar_t>!,
  _ _Mode: UnsafePointer<wchar_t>!
) -> errno_t { 0 }
@discardableResult public func fclose(_ _Stream: UnsafeMutablePointer<FILE>!) -> Int32 { 0 }
@discardableResult
public func fgets(
  _ _Buffer: UnsafeMutablePointer<CChar>!, _ _MaxCount: Int32, _ _Stream: UnsafeMutablePointer<FILE>!
) -> UnsafeMutablePointer<CChar>! { nil }
@discardableResult
public func fputs(_ _Buffer: UnsafePointer<CChar>!, _ _Stream: UnsafeMutablePointer<FILE>!) -> Int32 { 0 }
@discardableResult
public func fwrite(
  _ _Buffer: UnsafeRawPointer!, _ _ElementSize: Int, _ _ElementCount: Int, _ _Stream: UnsafeMutablePointer<FILE>!
) -> Int { 0 }
@discardableResult
public func fread(
  _ _Buffer: UnsafeMutableRawPointer!, _ _ElementSize: Int, _ _ElementCount: Int, _ _Stream: UnsafeMutablePointer<FILE>!
) -> Int { 0 }
@discardableResult public func fflush(_ _Stream: UnsafeMutablePointer<FILE>!) -> Int32 { 0 }

// <stdlib.h>, <string.h>, <process.h>, <errno.h>
public func free(_ _Block: UnsafeMutableRawPointer!) {}
public func exit(_ _Code: Int32) -> Never { fatalError() }
public func _exit(_ _Code: Int32) -> Never { fatalError() }
public func abort() -> Never { fatalError() }
@available(*, deprecated, message: "Use _dupenv_s")
public func getenv(_ _VarName: UnsafePointer<CChar>!) -> UnsafeMutablePointer<CChar>! { nil }
@available(*, deprecated, message: "Use strerror_s")
public func strerror(_ _ErrorMessage: Int32) -> UnsafeMutablePointer<CChar>! { nil }
public func _getpid() -> Int32 { 1 }
// A macro; CRT adds it in Swift.
public var errno: Int32 { get { 0 } set {} }
public var ENOENT: Int32 { 2 }
public var EINTR: Int32 { 4 }
public var EAGAIN: Int32 { 11 }
public var EACCES: Int32 { 13 }

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
