#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

#if canImport(Darwin) || canImport(Glibc) || canImport(Musl) || canImport(Android)
  /// What recordings, and reports of failing tests, ask of the system: here, of POSIX. WithoutPOSIX.swift has the same
  /// functions. The pointers do not leave the calls.
  package enum System {
    /// Writes all of it, or returns false.
    package static func writeText(_ text: String, to descriptor: Int32) -> Bool {
      writeAll(text, to: descriptor) { write(descriptor, $0, $1) }
    }

    /// The same for a socket, whose other end may be gone.
    static func sendText(_ text: String, to socket: Int32) -> Bool {
      #if canImport(Darwin)
        let flags: Int32 = 0  // SO_NOSIGPIPE is set
      #else
        let flags = Int32(MSG_NOSIGNAL)
      #endif
      return writeAll(text, to: socket) { send(socket, $0, $1, flags) }
    }

    private static func writeAll(
      _ text: String, to descriptor: Int32, _ part: (UnsafeRawPointer, Int) -> Int
    ) -> Bool {
      var text = text
      return text.withUTF8 { bytes in
        var rest = UnsafeRawBufferPointer(bytes)
        while let start = rest.baseAddress, rest.count > 0 {
          let count = part(start, rest.count)
          if count >= 0 {
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            continue
          }
          guard errno == EAGAIN || errno == EINTR else { return false }
          var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
          if errno == EAGAIN { _ = poll(&waiting, 1, -1) }
        }
        return true
      }
    }

    /// Whether the other end of a socket has gone. It is not expected to send anything.
    static func hasEnded(_ socket: Int32) -> Bool {
      var byte: UInt8 = 0
      return recv(socket, &byte, 1, Int32(MSG_DONTWAIT)) == 0
    }

    static func disconnect(_ socket: Int32) { _ = shutdown(socket, Int32(SHUT_RDWR)) }

    static func closeDescriptor(_ descriptor: Int32) { _ = close(descriptor) }

    /// - Parameter address: `host:port`, or `unix:` and a path.
    /// - Returns: A socket, or nil if nobody listens there.
    static func connection(to address: String) -> Int32? {
      if address.hasPrefix("unix:") { return connection(toPath: String(address.dropFirst(5))) }
      guard let colon = address.lastIndex(of: ":") else { return nil }
      let host = address[..<colon].filter { $0 != "[" && $0 != "]" }
      var hints = addrinfo()
      hints.ai_socktype = streams
      var found: UnsafeMutablePointer<addrinfo>?
      guard getaddrinfo(host, String(address[colon...].dropFirst()), &hints, &found) == 0 else {
        return nil
      }
      defer { freeaddrinfo(found) }
      var next = found
      while let place = next {
        let info = place.pointee
        if let socket = connection(info.ai_family, info.ai_addr, info.ai_addrlen) { return socket }
        next = info.ai_next
      }
      return nil
    }

    private static func connection(toPath path: String) -> Int32? {
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      let fits = withUnsafeMutableBytes(of: &address.sun_path) { room in
        guard path.utf8.count < room.count else { return false }
        room.copyBytes(from: path.utf8)
        return true
      }
      guard fits else { return nil }
      return withUnsafePointer(to: &address) { place in
        place.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connection(AF_UNIX, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
    }

    private static func connection(
      _ family: Int32, _ address: UnsafePointer<sockaddr>?, _ length: socklen_t
    ) -> Int32? {
      let descriptor = socket(family, streams, 0)
      guard descriptor >= 0, let address else { return nil }
      #if canImport(Darwin)
        var on: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
      #endif
      if connect(descriptor, address, length) == 0 { return descriptor }
      _ = close(descriptor)
      return nil
    }

    #if canImport(Glibc)
      private static let streams = Int32(SOCK_STREAM.rawValue)
    #else
      private static let streams = SOCK_STREAM
    #endif

    /// The bytes of a file; nil if it cannot be read.
    static func contents(of path: String, atMost limit: Int) -> [UInt8]? {
      let descriptor = open(path, O_RDONLY)
      guard descriptor >= 0 else { return nil }
      defer { _ = close(descriptor) }
      var bytes = [UInt8](repeating: 0, count: limit)
      let count = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
      return count < 0 ? nil : Array(bytes.prefix(count))
    }

    /// A new file of zeros, in memory. Its blocks exist: a page that the disk has no room for would end the program.
    static func map(_ path: String, bytes count: Int) -> UnsafeMutableRawBufferPointer? {
      let descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC, 0o600)
      guard descriptor >= 0 else { return nil }
      defer { _ = close(descriptor) }
      let zeros = String(repeating: "\0", count: count)
      guard writeText(zeros, to: descriptor) else { return nil }
      let place = mmap(nil, count, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
      guard let place, place != MAP_FAILED else { return nil }
      return UnsafeMutableRawBufferPointer(start: place, count: count)
    }

    static func unmap(_ memory: UnsafeMutableRawBufferPointer) {
      munmap(memory.baseAddress!, memory.count)
    }

    /// Reads a file of any size; nil if it cannot be read.
    package static func withContents<Result>(
      of path: String, _ read: (UnsafeRawBufferPointer) -> Result
    ) -> Result? {
      let descriptor = open(path, O_RDONLY)
      guard descriptor >= 0 else { return nil }
      defer { _ = close(descriptor) }
      let count = Int(lseek(descriptor, 0, SEEK_END))
      guard count > 0, let place = mmap(nil, count, PROT_READ, MAP_PRIVATE, descriptor, 0),
        place != MAP_FAILED
      else { return nil }
      defer { munmap(place, count) }
      return read(UnsafeRawBufferPointer(start: place, count: count))
    }
  }
#endif
