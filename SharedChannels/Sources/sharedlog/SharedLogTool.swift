import Foundation
import SharedChannels
import SharedLogArguments

/// Shows a log to an operator, and repairs it. It knows nothing of the state.
@main
struct SharedLogTool {
  static let usage = """
    usage: sharedlog entries LOG [INDEX]   prints the entries that are there, or those from this one on
           sharedlog follow LOG            prints each entry that is appended from now on
           sharedlog blank LOG INDEX       takes away what an entry contains: no machine applies it then
           sharedlog compact LOG INDEX VERSION
                                           deletes the entries before this one that are part of the snapshot of the
                                           version that serves, with their keys
           sharedlog verify LOG            tells what is there, and whether entries are missing
           sharedlog export LOG            prints the log with its keys and snapshots, as an archive
           sharedlog import FILE LOG       stores an archive in a log that is empty or missing
    A line has the index, the time by the clock of the machine that appended it, the version of its state, its name, the
    key, and the command, with a tab between them.
    \(Arguments.log)

    """

  static func main() async {
    var arguments = Arguments(CommandLine.arguments.dropFirst())
    do {
      switch try arguments.next() {
      case "entries":
        let log = try arguments.openLog(isThere: true)
        let first = arguments.isEmpty ? 1 : try arguments.number()
        try arguments.end()
        try await log.forEachEntry { if $0.position.index >= first { print(line: $0) } }
      case "follow":
        let log = try arguments.openLog(isThere: true)
        try arguments.end()
        try await follow(log)
      case "blank":
        let (log, index) = (try arguments.openLog(isThere: true), try arguments.number())
        try arguments.end()
        try await blank(index, in: log)
      case "compact":
        let log = try arguments.openLog(isThere: true)
        let (index, version) = (try arguments.number(), try arguments.number())
        try arguments.end()
        try await compact(log, before: index, behindVersion: version)
      case "verify":
        let log = try arguments.openLog(isThere: true)
        try arguments.end()
        try await verify(log)
      case "export":
        let log = try arguments.openLog(isThere: true)
        try arguments.end()
        try await Archive.export(log, to: FileHandle.standardOutput.write(contentsOf:))
      case "import":
        // Before a log is made that is missing.
        let archive = try Archive(path: try arguments.next())
        let log = try arguments.openLog()
        try arguments.end()
        try await archive.restore(to: log)
      case let name: throw WrongUsage("there is no \(name)")
      }
    } catch let error as WrongUsage {
      end(64, "\(error.reason)\n\(usage)")
    } catch LogFailure.refused(let reason) {
      end(1, "\(reason)\n")
    } catch {
      end(1, "\(error)\n")
    }
  }

  private static func follow(_ log: any SharedLog) async throws {
    var last: Position? = try await log.end()
    while true {
      do {
        for entry in try await log.entries(after: last) {
          last = entry.position
          print(line: entry)
        }
      } catch LogFailure.otherEpoch(let epoch) {
        tell("the log was set back, or entries were taken out of it: its epoch is \(epoch) now\n")
        last = try await log.end()
      } catch LogFailure.gap(_, let found) {
        tell("entries before \(found) were deleted and not printed\n")
        last = nil
      }
    }
  }

  private static func blank(_ index: Int, in log: any SharedLog) async throws {
    guard let found = try await entry(index, in: log) else {
      throw LogFailure.refused("the log has no entry \(index)")
    }
    // It may tell which version has taken over.
    if found.isBlank { throw LogFailure.refused("the entry \(index) is blank") }
    try await log.blank(found.position)
    guard let after = try await entry(index, in: log), after.isBlank else {
      throw LogFailure.refused("the log was set back meanwhile")
    }
    print("This entry is blank now, and the log's epoch is \(after.position.epoch):")
    print(line: found)
  }

  private static func compact(
    _ log: any SharedLog, before index: Int, behindVersion version: Int
  ) async throws {
    guard let snapshot = try await log.snapshot(upToVersion: version), snapshot.version == version
    else { throw LogFailure.refused("the log has no snapshot of version \(version)") }
    var (deleted, count) = (0, 0)
    repeat {
      count = try await log.compact(before: Int64(index), behind: snapshot.position)
      deleted += count
      // Servers need the log, too.
      try await Task.sleep(for: .milliseconds(5))
    } while count > 0
    print("\(deleted) entries are deleted.")
  }

  private static func verify(_ log: any SharedLog) async throws {
    var (blank, versions) = (0, Set<Int>())
    let shape = try await LogShape(of: log) { entry in
      if entry.isBlank { blank += 1 }
      if let version = entry.origin?.version { versions.insert(version) }
    }
    print("entries: \(shape.count), \(blank) of them blank, the last at \(shape.last)")
    if shape.begin > 1 { print("none is missing from \(shape.begin) on") }
    if !versions.isEmpty {
      print("appended by versions: \(versions.sorted().map(String.init).joined(separator: ", "))")
    }
    for (version, index) in shape.snapshots {
      print(
        "a start of version \(version): the snapshot at \(index), and \(shape.last - index) entries"
      )
    }
  }

  private static func entry(_ index: Int, in log: any SharedLog) async throws -> Logged<Data>? {
    var found: Logged<Data>?
    try await log.forEachEntry { if $0.position.index == index { found = $0 } }
    return found
  }

  private static func print(line entry: Logged<Data>) {
    let origin = entry.origin
    let fields = [
      "\(entry.position.index)", origin?.time.formatted(.iso8601) ?? "-",
      origin.map { "\($0.version)" } ?? "-", origin?.author ?? "-", entry.key,
      entry.content.map { String(decoding: $0, as: UTF8.self) } ?? "(blank)",
    ]
    print(fields.map(printable).joined(separator: "\t"))
  }

  private static func print(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
  }

  /// A log's text comes from clients: it may not write what a terminal obeys.
  private static func printable(_ text: String) -> String {
    text.unicodeScalars.map {
      $0.properties.generalCategory.isPrinted ? "\($0)" : $0.escaped(asASCII: true)
    }
    .joined()
  }

  private static func end(_ code: Int32, _ text: String) -> Never {
    tell(text)
    exit(code)
  }

  private static func tell(_ text: String) {
    FileHandle.standardError.write(Data(text.utf8))
  }
}

extension Unicode.GeneralCategory {
  fileprivate var isPrinted: Bool {
    switch self {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
      .paragraphSeparator:
      false
    default: true
    }
  }
}
