import Foundation
import SharedChannels

/// A log as lines of text: for a backup, or for another engine.
///
/// First come its snapshots, then its entries in their order, then the end, without which it is not whole. Indexes are those
/// of the log that was exported.
struct Archive {
  private let file: FileHandle
  private let shape: LogShape

  private enum Line: Codable {
    case archive(format: Int)
    case snapshot(version: Int, index: Int64, data: Data)
    case entry(index: Int64, key: String, data: Data)
    case end(entries: Int)
  }

  /// - Parameter print: Gets each line.
  /// - Throws: ``LogFailure``: then the lines before are not whole.
  static func export(_ log: any SharedLog, to print: (Data) throws -> Void) async throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    func write(_ line: Line) throws { try print(encoder.encode(line) + Data("\n".utf8)) }
    try write(.archive(format: 1))
    let shape = try await LogShape(of: log) { snapshot in
      try write(
        .snapshot(version: snapshot.version, index: snapshot.position.index, data: snapshot.data))
    } _: { entry in
      try write(.entry(index: entry.position.index, key: entry.key, data: entry.value))
    }
    try write(.end(entries: shape.count))
  }

  /// Looks through the file.
  ///
  /// - Throws: ``LogFailure/refused(_:)`` with the line that is wrong, or if no state can be made of the entries.
  init(path: String) throws {
    guard let file = FileHandle(forReadingAtPath: path) else {
      throw LogFailure.refused("\(path) cannot be read")
    }
    (self.file, shape) = (file, try Self.checkedShape(file, path))
  }

  private static func checkedShape(_ file: FileHandle, _ path: String) throws -> LogShape {
    var (shape, lines, isWhole) = (LogShape(), try Lines(file), false)
    func require(_ condition: Bool, _ reason: String) throws {
      if !condition { throw LogFailure.refused("line \(lines.number) of \(path): \(reason)") }
    }
    let decoder = JSONDecoder()
    while let text = try lines.next() {
      guard let line = try? decoder.decode(Line.self, from: text) else {
        throw LogFailure.refused("line \(lines.number) of \(path) is none of an archive")
      }
      try require(!isWhole, "it comes after the end")
      if lines.number == 1, case .archive = line {
      } else {
        try require(lines.number > 1, "an archive does not begin so")
      }
      switch line {
      case .archive(let format):
        try require(lines.number == 1, "another archive begins")
        try require(format == 1, "a newer program has made it, with the format \(format)")
      case .snapshot(let version, let index, _):
        try require(shape.count == 0, "a snapshot comes after an entry")
        let newer = shape.snapshots.last?.version ?? .max
        try require(
          0 < version && version < newer, "the version \(version) is none, or not in its place")
        shape.addSnapshot(version: version, index: index)
      case .entry(let index, let key, _):
        try require(index > shape.last, "the entry \(index) comes after \(shape.last)")
        try require(
          Keyed(key: key, ()).hasValidKey, "a key has 1 to 255 printable characters of ASCII")
        shape.addEntry(index)
      case .end(let entries):
        try require(entries == shape.count, "there are \(shape.count) of \(entries) entries")
        isWhole = true
      }
    }
    guard isWhole else { throw LogFailure.refused("\(path) is not whole: it has no end") }
    try shape.requireState()
    return shape
  }

  /// Stores it in an empty log, with the same order, keys and snapshots. Indexes are others if entries are missing.
  func restore(to log: any SharedLog) async throws {
    guard try await log.end().index == 0 else {
      throw LogFailure.refused(
        "the log has entries: only an empty one can be one that was exported")
    }
    do {
      try await store(in: log)
    } catch {
      var reason = "\(error)"
      if case LogFailure.refused(let text) = error { reason = text }
      throw LogFailure.refused(
        "what is stored of the archive is not whole, so drop the log: \(reason)")
    }
  }

  private func store(in log: any SharedLog) async throws {
    var (batch, places) = (Batch(log), [Int64: Position]())
    // It is deleted below, when there are the snapshots without which nobody can make a state of the others.
    let hasPlaceholder = shape.begin > 1
    if hasPlaceholder {
      try await batch.add(Keyed(key: "archive \(UUID())", LogShape.placeholder))
    }
    var lines = try Lines(file)
    let decoder = JSONDecoder()
    var snapshots: [(version: Int, index: Int64, data: Data)] = []
    while let text = try lines.next() {
      switch try decoder.decode(Line.self, from: text) {
      case .snapshot(let version, let index, let data): snapshots.append((version, index, data))
      case .entry(let index, let key, let data):
        try await batch.add(Keyed(key: key, data))
        if snapshots.contains(where: { $0.index == index }) {
          places[index] = try await batch.append()
        }
      case .archive, .end: break
      }
    }
    try await batch.append()
    guard batch.stored == shape.count + (hasPlaceholder ? 1 : 0) else {
      throw LogFailure.refused("the file was changed meanwhile")
    }
    for (version, index, data) in snapshots {
      guard let place = places[index] else { throw Batch.intrusion }
      try await log.keep(Snapshot(version: version, position: place, data: data))
    }
    guard hasPlaceholder, let oldest = places.values.min(by: { $0.index < $1.index }) else {
      return
    }
    guard try await log.delete([], behind: oldest) else { throw Batch.intrusion }
  }

  /// What is appended in one step.
  private struct Batch {
    private let log: any SharedLog
    private var elements: [Keyed<Data>] = []
    private var bytes = 0
    private(set) var stored = 0
    static let intrusion = LogFailure.refused(
      "somebody else changes the log, or two entries have one key")

    init(_ log: any SharedLog) {
      self.log = log
    }

    mutating func add(_ element: Keyed<Data>) async throws {
      if elements.count == 1000 || bytes + element.value.count > 4 << 20 { try await append() }
      elements.append(element)
      bytes += element.value.count
    }

    /// - Returns: The place of the last entry.
    @discardableResult
    mutating func append() async throws -> Position? {
      let receipts = try await log.append(elements)
      for receipt in receipts {
        stored += 1
        if receipt.isRepeated || receipt.position.index != Int64(stored) { throw Self.intrusion }
      }
      (elements, bytes) = ([], 0)
      return receipts.last?.position
    }
  }
}

/// The lines of a file.
private struct Lines {
  /// That of the last line, from 1 on.
  private(set) var number = 0
  private let file: FileHandle
  private var rest = Data()
  private var whole: ArraySlice<Data> = []

  /// Begins anew.
  init(_ file: FileHandle) throws {
    do { try file.seek(toOffset: 0) } catch {
      throw LogFailure.refused("an archive is read twice, so it has to be a file, and no pipe")
    }
    self.file = file
  }

  mutating func next() throws -> Data? {
    while whole.isEmpty {
      guard let chunk = try file.read(upToCount: 1 << 20), !chunk.isEmpty else {
        if rest.isEmpty { return nil }
        number += 1
        defer { rest = Data() }
        return rest
      }
      var parts = chunk.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)[...]
      rest += parts.removeFirst()
      while let part = parts.popFirst() {
        whole.append(rest)
        rest = Data(part)
      }
    }
    number += 1
    return whole.popFirst()
  }
}
