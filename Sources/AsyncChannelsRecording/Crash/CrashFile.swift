import AsyncChannels

/// The newest events and states as text in a file that is mapped into memory, so the system has it when the program is
/// gone, however it ended.
///
/// First a head: a mark, and how many bytes of events were ever written. Then places of 256 bytes for states, and a ring
/// of lines for events. Half of the file is for each. A line counts only when it is written whole. The newest line may
/// have overwritten a part of the oldest ones, so a reader leaves out as many bytes as a line can have.
///
/// `@unchecked Sendable`: it is written with the lock of an `EventStore` held.
final class CrashFile: @unchecked Sendable {
  private static let mark = "AsyncChannels crash report 1\n"
  private static let (head, place) = (64, 256)

  private let memory: UnsafeMutableRawBufferPointer
  private var ring: Range<Int>
  private var end: UInt64 = 0
  private var places: [Int: Int] = [:]
  private var free: [Int]

  /// Nil if it cannot be written.
  init?(_ path: String, kilobytes: Int) {
    guard let memory = System.map(path, bytes: kilobytes * 1024) else { return nil }
    self.memory = memory
    ring = Self.ring(in: memory.count)
    free = stride(from: Self.head, to: ring.lowerBound, by: Self.place).reversed()
    put(Self.mark.utf8, at: 0)
  }

  deinit { System.unmap(memory) }

  private static func ring(in count: Int) -> Range<Int> {
    let states = (count / 2 - head) / place * place
    return (head + states)..<count
  }

  func write(_ lane: Flow.Lane, in number: Int) {
    guard lane.kind == .state, let value = lane.value else { return }
    if places[number] == nil { places[number] = free.popLast() }
    guard let place = places[number] else { return }
    let words = "\(lane.title)  \(value.printable)".utf8.prefix(Self.place - 2)
    // Zero, until it is there.
    memory[place] = 0
    put(words.dropFirst(), at: place + 1)
    memory[place + words.count] = 0
    memory[place] = words.first ?? 0
  }

  func forget(_ lane: Int) {
    guard let place = places.removeValue(forKey: lane) else { return }
    memory[place] = 0
    free.append(place)
  }

  func write(_ event: Flow.Event, _ words: String?, in lane: RecordedLane) {
    write(lane.known, in: event.lane)
    for byte in CrashReport.line(RecordedEvent(event, words, in: lane.lane)).utf8 { append(byte) }
    append(UInt8(ascii: "\n"))
    memory.storeBytes(of: end.littleEndian, toByteOffset: Self.head - 8, as: UInt64.self)
  }

  private func append(_ byte: UInt8) {
    memory[ring.lowerBound + Int(end % UInt64(ring.count))] = byte
    end += 1
  }

  private func put(_ bytes: some Collection<UInt8>, at place: Int) {
    for (offset, byte) in bytes.enumerated() { memory[place + offset] = byte }
  }

  /// The states and events in a file, the oldest first; nil if it is none of these.
  static func read(_ path: String) -> (states: [String], events: [String])? {
    guard let bytes = System.contents(of: path, atMost: CrashReport.limit * 1024),
      bytes.count > head, bytes.starts(with: mark.utf8)
    else { return nil }
    let ring = ring(in: bytes.count)
    let states = stride(from: head, to: ring.lowerBound, by: place).compactMap { start in
      let words = bytes[start..<(start + place)].prefix { $0 != 0 }
      return words.isEmpty ? nil : String(decoding: words, as: UTF8.self)
    }
    let end = bytes[(head - 8)..<head].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    let kept = min(end, UInt64(ring.count - CrashReport.line))
    let text = ((end - kept)..<end).map { bytes[ring.lowerBound + Int($0 % UInt64(ring.count))] }
    let lines = text.split(separator: UInt8(ascii: "\n")).dropFirst(end > kept ? 1 : 0)
    return (states, lines.map { String(decoding: $0, as: UTF8.self) })
  }
}
