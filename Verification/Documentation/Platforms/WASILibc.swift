// What the libraries use of WASI's C library, with threads and without, as its headers are imported into the clang
// module SwiftWASILibc, which the Swift module WASILibc exports, and what that adds. An Int has 32 bits there: this
// stand-in cannot show what then does not fit. What threads need is in wasi_pthread.swift.

// <unistd.h>, <fcntl.h>. open is variadic, so it is not imported; WASILibc adds it in Swift. Of the flags, the importer
// understands these only: O_CREAT, O_TRUNC, O_APPEND, O_EXCL and SEEK_* are macros with a call or a cast.
public typealias mode_t = UInt32
public typealias off_t = Int64
public typealias pid_t = Int32
@discardableResult
public func write(_ descriptor: Int32, _ buffer: UnsafeRawPointer!, _ count: Int) -> Int { 0 }
public func read(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer!, _ count: Int) -> Int { 0 }
@discardableResult public func close(_ descriptor: Int32) -> Int32 { 0 }
@discardableResult
public func lseek(_ descriptor: Int32, _ offset: off_t, _ whence: Int32) -> off_t { 0 }
public func open(_ path: UnsafePointer<CChar>, _ oflag: Int32) -> Int32 { 0 }
public func open(_ path: UnsafePointer<CChar>, _ oflag: Int32, _ mode: mode_t) -> Int32 { 0 }
public func isatty(_ descriptor: Int32) -> Int32 { 0 }
public var O_RDONLY: Int32 { 0x0400_0000 }
public var O_RDWR: Int32 { 0x1400_0000 }
@available(*, deprecated, message: "WASI lacks process identifiers")
public func getpid() -> pid_t { 1 }

// <time.h>. CLOCK_MONOTONIC is a pointer to a structure of a type that is not declared, by a macro: not imported, and
// neither is _CLOCK_MONOTONIC. So clock_gettime cannot be called without a C target.
public typealias time_t = Int64
public struct timespec {
  public var tv_sec: time_t
  public var tv_nsec: Int
  public init() { (tv_sec, tv_nsec) = (0, 0) }
}
public typealias clockid_t = OpaquePointer
@discardableResult
public func clock_gettime(_ clock: clockid_t!, _ time: UnsafeMutablePointer<timespec>!) -> Int32 { 0 }

// <stdio.h>. FILE is not declared, so there is no type of this name, and a file is an opaque pointer.
public func fopen(_ path: UnsafePointer<CChar>!, _ mode: UnsafePointer<CChar>!) -> OpaquePointer! { nil }
@discardableResult public func fclose(_ file: OpaquePointer!) -> Int32 { 0 }
@discardableResult
public func fread(
  _ items: UnsafeMutableRawPointer!, _ size: Int, _ count: Int, _ file: OpaquePointer!
) -> Int { 0 }

// <stdlib.h>, <string.h>
public func free(_ pointer: UnsafeMutableRawPointer!) {}
public func exit(_ code: Int32) -> Never { fatalError() }
public func strerror(_ number: Int32) -> UnsafeMutablePointer<CChar>! { nil }

// <errno.h>. What C has is not imported well; WASILibc adds these in Swift.
public var errno: Int32 { get { 0 } set {} }
public var EAGAIN: Int32 { 6 }
public var EINTR: Int32 { 27 }

// <poll.h>, <sys/socket.h>: for sockets that the host has opened. There is no way to open one.
public typealias nfds_t = UInt
public struct pollfd {
  public init() {}
  public init(fd: Int32, events: Int16, revents: Int16) {}
}
public var POLLOUT: Int32 { 2 }
public func poll(_ places: UnsafeMutablePointer<pollfd>!, _ count: nfds_t, _ time: Int32) -> Int32 { 0 }
public func send(_ socket: Int32, _ buffer: UnsafeRawPointer!, _ count: Int, _ flags: Int32) -> Int { 0 }
public func recv(_ socket: Int32, _ buffer: UnsafeMutableRawPointer!, _ count: Int, _ flags: Int32) -> Int { 0 }
@discardableResult public func shutdown(_ socket: Int32, _ how: Int32) -> Int32 { 0 }

// Missing, with threads and without: socket, connect, setsockopt, getaddrinfo and addrinfo (no <netdb.h>), sun_path in
// sockaddr_un, AF_UNIX sockets, SOCK_STREAM and SHUT_RDWR (not imported), MSG_DONTWAIT, MSG_NOSIGNAL, dladdr, <termios.h>,
// pipe, fork, sigaction, SIG_IGN. dlopen and dlsym are declared, but not in the library.
//
// Emulated, and left out here since it needs a macro and a library from whoever builds the program
// (-Xcc -D_WASI_EMULATED_MMAN -Xlinker -lwasi-emulated-mman, and SIGNAL alike): mmap and munmap in module
// wasi_emulated_mman (a private copy of the file in memory, never written back), signal and raise in wasi_emulated_signal.
