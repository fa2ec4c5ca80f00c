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
  // What the demos ask of the operating system: here, of POSIX. WithoutPOSIX.swift has the same functions.

  func endProcess(_ status: Int32) -> Never { exit(status) }

  /// A write that failed.
  struct OutputError: Error {
    let code: Int32

    /// Nil if the reader of the output has closed it: that is a wish to stop, not an error.
    var sentence: String? {
      code == EPIPE ? nil : "cannot write: \(String(cString: strerror(code)))"
    }

    var exitStatus: ExitStatus { code == EPIPE ? .success : .inputOutput }
  }

  /// A read that failed.
  struct InputError: Error, CustomStringConvertible {
    let code: Int32

    var description: String { "cannot read standard input: \(String(cString: strerror(code)))" }
  }

  /// Makes a closed standard input an empty one. Writing to a closed output stays an error. What is
  /// opened later would take their places otherwise.
  func openClosedDescriptors() {
    for descriptor: Int32 in 0...2 where fcntl(descriptor, F_GETFD) == -1 {
      // The lowest number that is free, and so this one.
      _ = open("/dev/null", O_RDONLY)
    }
  }

  func isTerminal(_ descriptor: Int32) -> Bool {
    isatty(descriptor) == 1
  }

  /// Returns how many bytes were read; zero at the end.
  func readDescriptor(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) throws -> Int
  {
    while true {
      let count = read(descriptor, buffer.baseAddress, buffer.count)
      if count >= 0 { return count }
      switch errno {
      case EINTR: continue
      case EAGAIN: waitFor(descriptor, POLLIN)
      case let code: throw InputError(code: code)
      }
    }
  }

  func writeDescriptor(_ descriptor: Int32, _ text: String) throws {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if count >= 0 {
        rest = rest.dropFirst(count)
        continue
      }
      switch errno {
      case EINTR: continue
      case EAGAIN: waitFor(descriptor, POLLOUT)
      case let code: throw OutputError(code: code)
      }
    }
  }

  /// For a descriptor that is non-blocking.
  private func waitFor(_ descriptor: Int32, _ events: some BinaryInteger) {
    var waiting = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    _ = poll(&waiting, 1, -1)
  }
#endif
