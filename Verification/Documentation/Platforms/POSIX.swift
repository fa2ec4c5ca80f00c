// What the headers of Darwin, musl and Android declare alike.

public struct timespec {
  public var tv_sec: Int
  public var tv_nsec: Int
  public init() { (tv_sec, tv_nsec) = (0, 0) }
}
public func free(_ pointer: UnsafeMutableRawPointer!) {}
public var errno: Int32 { 0 }
public var EINTR: Int32 { 4 }
public func getpid() -> Int32 { 0 }
public typealias socklen_t = UInt32
public struct sockaddr {}
public struct sockaddr_un {
  public var sun_family: sa_family_t = 0
  public var sun_path: (CChar, CChar, CChar, CChar) = (0, 0, 0, 0)
  public init() {}
}
public struct addrinfo {
  public var ai_family: Int32 = 0
  public var ai_socktype: Int32 = 0
  public var ai_addr: UnsafeMutablePointer<sockaddr>!
  public var ai_addrlen: socklen_t = 0
  public var ai_next: UnsafeMutablePointer<addrinfo>!
  public init() {}
}
public struct pollfd {
  public init(fd: Int32, events: Int16, revents: Int16) {}
}
public var AF_UNIX: Int32 { 1 }
public var SOCK_STREAM: Int32 { 1 }
public var SHUT_RDWR: Int32 { 2 }
public var POLLOUT: Int32 { 4 }
public func send(_ socket: Int32, _ buffer: UnsafeRawPointer!, _ count: Int, _ flags: Int32) -> Int { 0 }
public func recv(
  _ socket: Int32, _ buffer: UnsafeMutableRawPointer!, _ count: Int, _ flags: Int32
) -> Int { 0 }
public func shutdown(_ socket: Int32, _ how: Int32) -> Int32 { 0 }
public func socket(_ family: Int32, _ kind: Int32, _ protocol: Int32) -> Int32 { 0 }
public func connect(
  _ socket: Int32, _ address: UnsafePointer<sockaddr>!, _ length: socklen_t
) -> Int32 { 0 }
public func getaddrinfo(
  _ host: UnsafePointer<CChar>!, _ service: UnsafePointer<CChar>!,
  _ hints: UnsafePointer<addrinfo>!, _ found: UnsafeMutablePointer<UnsafeMutablePointer<addrinfo>?>!
) -> Int32 { 0 }
public func freeaddrinfo(_ found: UnsafeMutablePointer<addrinfo>!) {}
public var O_RDWR: Int32 { 2 }
public var PROT_WRITE: Int32 { 2 }
public var MAP_SHARED: Int32 { 1 }
public func read(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer!, _ count: Int) -> Int { 0 }
public var O_RDONLY: Int32 { 0 }
public var PROT_READ: Int32 { 1 }
public var MAP_FAILED: UnsafeMutableRawPointer! { UnsafeMutableRawPointer(bitPattern: -1) }
public func open(_ path: UnsafePointer<CChar>, _ flags: Int32) -> Int32 { 0 }
@discardableResult public func close(_ descriptor: Int32) -> Int32 { 0 }
@discardableResult
public func munmap(_ address: UnsafeMutableRawPointer!, _ size: Int) -> Int32 { 0 }
public var SEEK_END: Int32 { 2 }
public var MAP_PRIVATE: Int32 { 2 }
