import AsyncChannels
import Foundation
import Synchronization

/// The newest lines of all programs, within a bound. It is the buffer of each page: one that is slow misses some, and
/// is told how many.
final class LineStore: Sendable {
  /// A line, and the number of its program.
  typealias Line = (source: Int, text: String)

  private struct State {
    var lines: [Line] = []
    /// The number of the first of them.
    var first = 0
    var bytes = 0
    /// The programs, by what tells their runs apart.
    var runs: [String: Int] = [:]
    /// What was said before the first line, and is still to be known: of each program its head and its lanes.
    var base: [Int: [String: String]] = [:]
  }

  private static let limit = (lines: 200_000, bytes: 100_000_000, runs: 64, lanes: 10_000)
  private let state = Mutex(State())
  private let end = CurrentValue(0)

  /// A program, with its first line.
  func begin(run: String, head: String) -> Int {
    let source = state.withLock { state in
      if let known = state.runs[run] { return known }
      state.runs[run] = state.runs.count
      return state.runs.count - 1
    }
    append(head, of: source)
    return source
  }

  var hasRoom: Bool { state.withLock { $0.runs.count < Self.limit.runs } }

  func append(_ text: String, of source: Int) {
    let count = state.withLock { state in
      state.lines.append((source, text))
      state.bytes += text.utf8.count
      if state.lines.count > Self.limit.lines || state.bytes > Self.limit.bytes {
        Self.dropTenth(of: &state)
      }
      return state.first + state.lines.count
    }
    end.value = count
  }

  private static func dropTenth(of state: inout State) {
    let count = state.lines.count / 10 + 1
    for (source, text) in state.lines.prefix(count) {
      state.bytes -= text.utf8.count
      guard let key = key(of: text) else { continue }
      if key == "" { state.base[source] = [:] }  // it begins anew
      if state.base[source, default: [:]].count < limit.lanes { state.base[source]?[key] = text }
    }
    state.lines.removeFirst(count)
    state.first += count
  }

  /// Nothing for a head, `{"lane":3` for a lane's line.
  private static func key(of text: String) -> String? {
    if text.hasPrefix("{\"v\":") { return "" }
    return text.hasPrefix("{\"lane\":") ? String(text.prefix { $0 != "," }) : nil
  }

  /// What a page is told first, and the number of the line after it.
  func beginning() -> (lines: [Line], next: Int) {
    state.withLock { state in
      let base = state.base.sorted { $0.key < $1.key }.flatMap { source, lines in
        lines.sorted { $0.key < $1.key }.map { (source: source, text: $0.value) }
      }
      return (base, state.first)
    }
  }

  /// At most so many, from this number on.
  func lines(from next: Int, atMost limit: Int) -> (lines: ArraySlice<Line>, missed: Int) {
    state.withLock { state in
      let start = max(next, state.first) - state.first
      return (state.lines.dropFirst(start).prefix(limit), max(0, state.first - next))
    }
  }

  /// How many lines there have been, the newest number only.
  var ends: Subscription<Int> { end.outlet.subscribe(buffering: .bufferingNewest(1)) }
}
