#if os(Windows) || os(WASI)
  #if os(Windows)
    import CRT
  #else
    import WASILibc
  #endif

  /// What a recording asks of the operating system, as in POSIX.swift: there are files, and neither sockets nor mapped
  /// memory. So no inspector is reached, and no crash report is kept. This has only been compiled against declarations.
  package enum System {
    /// Writes all of it, or returns false.
    package static func writeText(_ text: String, to descriptor: Int32) -> Bool {
      var text = text
      return text.withUTF8 { bytes in
        var rest = UnsafeRawBufferPointer(bytes)
        while let start = rest.baseAddress, rest.count > 0 {
          #if os(Windows)
            let count = Int(_write(descriptor, start, UInt32(min(rest.count, 1 << 20))))
          #else
            let count = write(descriptor, start, rest.count)
          #endif
          guard count > 0 else { return false }
          rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
        }
        return true
      }
    }

    static func sendText(_ text: String, to socket: Int32) -> Bool { false }
    static func hasEnded(_ socket: Int32) -> Bool { true }
    static func disconnect(_ socket: Int32) {}
    static func closeDescriptor(_ descriptor: Int32) {}
    static func connection(to address: String) -> Int32? { nil }
    static func map(_ path: String, bytes count: Int) -> UnsafeMutableRawBufferPointer? { nil }
    static func unmap(_ memory: UnsafeMutableRawBufferPointer) {}

    /// The bytes of a file; nil if it cannot be read.
    static func contents(of path: String, atMost limit: Int) -> [UInt8]? {
      #if os(Windows)
        var opened: UnsafeMutablePointer<FILE>?
        guard fopen_s(&opened, path, "rb") == 0, let file = opened else { return nil }
      #else
        guard let file = fopen(path, "rb") else { return nil }
      #endif
      defer { fclose(file) }
      var bytes = [UInt8](repeating: 0, count: limit)
      let count = fread(&bytes, 1, limit, file)
      return Array(bytes.prefix(count))
    }

    /// Reads a file of up to 16 MiB; nil if it cannot be read.
    package static func withContents<Result>(
      of path: String, _ read: (UnsafeRawBufferPointer) -> Result
    ) -> Result? {
      contents(of: path, atMost: 1 << 24).map { $0.withUnsafeBytes(read) }
    }
  }
#endif
