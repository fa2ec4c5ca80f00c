#if !canImport(Darwin) && !os(Windows) && !os(WASI)
  import AsyncChannels
  import AsyncChannelsRecording
  import Synchronization

  /// The functions of an ELF file of 64 bits, with those that it does not export. Empty for any other file.
  struct SymbolTable: Sendable {
    /// By address, from the beginning of the file's image.
    private var functions: [(address: UInt64, name: String)] = []

    private static let known = Locked<[String: SymbolTable]>([:])

    static func of(_ path: String) -> SymbolTable {
      if let table = known.withLock({ $0[path] }) { return table }
      // The program itself may be known by a path that was relative to another folder.
      let table = SymbolTable(path) ?? SymbolTable("/proc/self/exe") ?? SymbolTable()
      known.withLock { $0[path] = table }
      return table
    }

    func name(of address: UInt) -> String? {
      var (low, high) = (0, functions.count)
      while low < high {
        let middle = (low + high) / 2
        if functions[middle].address <= UInt64(address) { low = middle + 1 } else { high = middle }
      }
      // A task goes on at a function's beginning.
      return low > 0 && functions[low - 1].address == UInt64(address)
        ? functions[low - 1].name : nil
    }

    private init() {}

    private init?(_ path: String) {
      let table = System.withContents(of: path) { file in
        var table = SymbolTable()
        if file.count > 64 { table.read(file) }
        return table
      }
      guard let table else { return nil }
      self = table
    }

    private mutating func read(_ file: UnsafeRawBufferPointer) {
      func number<Value: FixedWidthInteger>(_ offset: Int, _: Value.Type) -> Int {
        guard offset >= 0, offset + MemoryLayout<Value>.size <= file.count else { return 0 }
        return Int(truncatingIfNeeded: file.loadUnaligned(fromByteOffset: offset, as: Value.self))
      }
      // The mark of such a file, and its list of sections.
      guard number(0, UInt32.self) == 0x464C_457F, file[4] == 2 else { return }
      let (sections, size) = (number(40, UInt64.self), number(58, UInt16.self))
      for index in 0..<number(60, UInt16.self) {
        let section = sections + index * size
        // A table of symbols; its names are in the section that it links to.
        guard number(section + 4, UInt32.self) == 2 else { continue }
        let (start, length) = (number(section + 24, UInt64.self), number(section + 32, UInt64.self))
        let names = number(sections + number(section + 40, UInt32.self) * size + 24, UInt64.self)
        for symbol in stride(from: start, to: min(start + length, file.count - 24), by: 24)
        where file[symbol + 4] & 0xF == 2 {
          let name = names + number(symbol, UInt32.self)
          guard name < file.count, let base = file.baseAddress else { continue }
          functions.append(
            (
              UInt64(number(symbol + 8, UInt64.self)),
              String(cString: (base + name).assumingMemoryBound(to: CChar.self))
            ))
        }
      }
      functions.sort { $0.address < $1.address }
    }
  }
#endif
