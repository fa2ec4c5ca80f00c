import AsyncChannels
import Foundation
import Synchronization

/// The newest lines of all programs, within a bound. It is the buffer of each page: one that is too slow begins again.
final class LineStore: Sendable {
  /// A line, and the number of its program.
  typealias Line = (source: Int, text: String)

  private struct State {
    var lines: [Line] = []
    /// The number of the first of them.
    var first = 0
    var bytes = 0
    /// The programs, by what tells their runs apart, and how many there were.
    var runs: [String: Int] = [:]
    var programs = 0
    /// Those that have ended, the first to end first.
    var ended: [String] = []
    /// What was said before the first line, and is still to be known: of each program its head and its lanes.
    var base: [Int: [String: String]] = [:]
  }

  private static let limit = (lines: 200_000, bytes: 100_000_000, runs: 64, lanes: 10_000)
  private let state = Mutex(State())
  private let end = CurrentValue(0)
  /// Another one when the inspector is started again.
  private let run = String(UInt64.random(in: .min ... .max), radix: 36)

  /// A program, with its first line. Of too many, those that ended first are forgotten.
  ///
  /// - Returns: Its number; nil if there is no room.
  func begin(run: String, head: String) -> Int? {
    let source: Int? = state.withLock { state in
      state.ended.removeAll { $0 == run }
      if let known = state.runs[run] { return known }
      if state.runs.count == Self.limit.runs {
        guard let first = state.ended.first else { return nil }
        state.ended.removeFirst()
        if let old = state.runs.removeValue(forKey: first) { state.base[old] = nil }
      }
      state.runs[run] = state.programs
      state.programs += 1
      return state.programs - 1
    }
    if let source { append(head, of: source) }
    return source
  }

  func end(run: String, _ source: Int) {
    append("{\"end\":true}", of: source)
    state.withLock { if $0.runs[run] == source { $0.ended.append(run) } }
  }

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
    let known = Set(state.runs.values)
    for (source, text) in state.lines.prefix(count) {
      state.bytes -= text.utf8.count
      guard known.contains(source), let key = key(of: text) else { continue }
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

  /// At most so many, from this number on; nil if that is not kept any more.
  func lines(from next: Int, atMost limit: Int) -> ArraySlice<Line>? {
    state.withLock { state in
      next < state.first ? nil : state.lines.dropFirst(next - state.first).prefix(limit)
    }
  }

  /// A place, for a page that comes back.
  func name(of next: Int) -> String { "\(run)-\(next)" }

  /// Nil if it is none of these.
  func place(named name: String) -> Int? {
    let parts = name.split(separator: "-")
    guard parts.count == 2, parts[0] == run, let next = Int(parts[1]), next >= 0 else { return nil }
    return state.withLock { next <= $0.first + $0.lines.count ? next : nil }
  }

  /// How many lines there have been, the newest number only.
  var ends: Subscription<Int> { end.outlet.subscribe(buffering: .bufferingNewest(1)) }
}
