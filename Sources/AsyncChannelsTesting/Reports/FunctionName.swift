/// The names of functions, as a test's author knows them.
enum FunctionName {
  /// Nil for what has no name, for the runtime's own, and for what the compiler has made.
  static func of(_ address: UInt) -> String? {
    guard address != 0, let symbol = symbol(at: address), let name = demangle(symbol) else {
      return nil
    }
    return readable(name)
  }

  /// `(1) await resume partial function for Search.SearchViewModel.run() async -> ()` is
  /// `SearchViewModel.run`.
  static func readable(_ name: String) -> String? {
    var name = name[...]
    if let prefix = name.firstRange(of: "partial function for ") {
      name = name[prefix.upperBound...]
    }
    for made in ["thunk", "partial apply", "implicit closure", "merged"] where name.hasPrefix(made)
    { return nil }
    // A private name has its file's number beside it.
    name = name.replacing(/\((\w+) in _[0-9A-F]+\)/) { $0.output.1 }[...]
    var isOfClosure = false
    while name.hasPrefix("closure #"), let end = name.firstRange(of: " in ") {
      isOfClosure = true
      name = name[end.upperBound...]
    }
    if name.hasPrefix("(extension in "), let end = name.firstRange(of: "):") {
      name = name[end.upperBound...]
    }
    let words = withoutBrackets(name).prefix { $0 != " " }
    var parts = words.split(separator: ".")
    guard parts.count > 1, !["Swift", "_Concurrency"].contains(parts[0]) || parts.last == "answer"
    else { return nil }
    let isOurs = modules.contains(parts.removeFirst())
    if isOurs, hidden.contains(parts[0]) || parts.last == "nextUnlessCancelled" { return nil }
    return (isOfClosure && !isOurs ? "a closure in " : "") + parts.joined(separator: ".")
  }

  private static let modules: Set<Substring> = [
    "AsyncChannels", "AsyncChannelsRunning", "AsyncChannelsTesting",
  ]

  /// What only this package's authors know.
  private static let hidden: Set<Substring> = [
    "Answering", "BroadcastLogBase", "Consumer", "Cursor", "Doorbell", "Upstream", "LogCursor",
    "Debounce", "Settling",
    "TestJobs", "TestRun", "Waiter",
  ]

  /// Without parameters and generic arguments.
  private static func withoutBrackets(_ name: Substring) -> String {
    var (depth, result) = (0, "")
    var previous: Character = " "
    for character in name {
      switch character {
      case "<", "(": depth += 1
      case ">" where previous != "-", ")": depth -= 1
      default: if depth == 0 { result.append(character) }
      }
      previous = character
    }
    return result
  }

  private static func demangle(_ symbol: String) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4_096) { room in
      var size = room.count
      let name = symbol.withCString {
        demangleSymbol($0, symbol.utf8.count, room.baseAddress, &size, 0)
      }
      return name.map { String(cString: $0) }
    }
  }

  #if os(Windows) || os(WASI)
    private static func symbol(at address: UInt) -> String? { nil }
  #else
    private static func symbol(at address: UInt) -> String? {
      var info = ImageInfo()
      guard imageInfo(address, &info) != 0 else { return nil }
      #if !canImport(Darwin)
        // Here it knows only what is exported, and takes the next one before for any other.
        if let base = info.base, let file = info.file,
          let name = SymbolTable.of(String(cString: file)).name(
            of: address - UInt(bitPattern: base))
        {
          return name
        }
      #endif
      return info.symbol.map { String(cString: $0) }
    }
  #endif
}

@_silgen_name("swift_demangle")
private func demangleSymbol(
  _ symbol: UnsafePointer<CChar>, _ length: Int, _ buffer: UnsafeMutablePointer<CChar>?,
  _ size: UnsafeMutablePointer<Int>?, _ flags: UInt32
) -> UnsafeMutablePointer<CChar>?

#if !os(Windows) && !os(WASI)
  /// The C library's `Dl_info`: the module for Linux leaves it out.
  private struct ImageInfo {
    var file: UnsafePointer<CChar>?
    var base: UnsafeRawPointer?
    var symbol: UnsafePointer<CChar>?
    var address: UnsafeRawPointer?
  }

  @_silgen_name("dladdr")
  private func imageInfo(_ address: UInt, _ info: UnsafeMutablePointer<ImageInfo>) -> CInt
#endif
