import AsyncChannels
import Foundation
import SharedChannels
import Synchronization
import XCTest

/// A channel of a trial, of either version of the program, with a worker that carries out effects.
protocol TrialMachine: AnyObject, Sendable {
  func ask(_ key: String) async -> CommandOutcome<Int>?
  func upToDateTally() async throws -> Revised<Tally>?
  var lastTally: Tally { get }
  /// Their keys.
  var waitingEffects: [String] { get }
  var health: StateOutlet<Health> { get }
  var counts: Counts { get async }

  func runWithWorker(_ ledger: TrialLedger) async
  func takeOver() async throws
  func finish()
  /// Checks, when it is called, the states since this call: none is older than the one before, in one epoch.
  func followingStates() -> @Sendable () -> Void
}

extension SharedChannel: TrialMachine where State: TrialState {
  func ask(_ key: String) async -> CommandOutcome<Int>? {
    await commands.ask(Keyed(key: key, .count(key)))
  }

  func upToDateTally() async throws -> Revised<Tally>? {
    try await upToDateState().map { Revised(position: $0.position, value: $0.value.tally) }
  }

  nonisolated var lastTally: Tally { state.value.value.tally }
  nonisolated var waitingEffects: [String] { state.value.value.effects.waiting.map(\.key) }

  /// Until the channel ends.
  nonisolated func runWithWorker(_ ledger: TrialLedger) async {
    let worker = OutboxWorker(
      self, \.effects, command: { .effects($0) }, lease: .seconds(2), tries: .max,
      pause: .zero
    ) { _, key in
      ledger.note(key)
    }
    await withTaskGroup { group in
      group.addTask { await worker.run() }
      await run()
      group.cancelAll()
    }
  }

  nonisolated func followingStates() -> @Sendable () -> Void {
    let (states, seen) = (state.subscribe(), CurrentValue([Position]()))
    let following = Task {
      for await revised in states {
        if let position = revised.position { seen.update { $0.append(position) } }
      }
    }
    return {
      following.cancel()
      let positions = seen.value
      XCTAssertGreaterThan(positions.count, 1)
      for (last, next) in zip(positions, positions.dropFirst()) {
        XCTAssertTrue(next.isAtOrAfter(last), "\(next) comes after \(last)")
      }
    }
  }
}

/// The effects that a trial's machines have carried out, in their order.
final class TrialLedger: Sendable {
  private let noted = Mutex<[String]>([])

  func note(_ key: String) {
    noted.withLock { $0.append(key) }
  }

  /// Each where it was carried out first.
  var keys: [String] {
    var seen: Set<String> = []
    return noted.withLock { $0.filter { seen.insert($0).inserted } }
  }
}

/// How many commands were applied, and a digest of their keys in order.
struct Tally: SharedState, Equatable {
  private(set) var count = 0
  private var digest: UInt32 = 0

  mutating func apply(_ key: String) -> Int {
    for byte in key.utf8 { digest = digest &* 31 &+ UInt32(byte) }
    count += 1
    return count
  }
}

/// A tally of a trial, some of whose commands have an effect.
protocol TrialState: SharedState where Command == TrialCommand, Reply == Int {
  var tally: Tally { get set }
  var effects: Outbox<String> { get set }
}

/// The string of a command is what processes beside the channels append.
enum TrialCommand: Codable, Sendable {
  case count(String)
  case effects(Outbox<String>.Command)

  init(from decoder: any Decoder) throws {
    self =
      if let key = try? decoder.singleValueContainer().decode(String.self) {
        .count(key)
      } else { .effects(try Outbox<String>.Command(from: decoder)) }
  }

  func encode(to encoder: any Encoder) throws {
    switch self {
    case .count(let key): try key.encode(to: encoder)
    case .effects(let command): try command.encode(to: encoder)
    }
  }

  /// Whether a command with this key has an effect: one of 8 that clients ask.
  static func hasEffect(_ key: String) -> Bool { key.hasPrefix("0") || key.hasPrefix("1") }
  /// Whether an entry with this key is a worker's.
  static func isOfWorker(_ key: String) -> Bool { key.hasPrefix("outbox ") }
}

extension TrialState {
  mutating func apply(_ command: TrialCommand) -> Int {
    switch command {
    case .count(let key):
      if TrialCommand.hasEffect(key) { effects.add(key, key: key) }
      return tally.apply(key)
    case .effects(let command):
      effects.apply(command)
      return tally.count
    }
  }
}

struct OldTrialState: TrialState {
  var tally = Tally()
  var effects = Outbox<String>()
}

struct NewTrialState: TrialState {
  var tally = Tally()
  var effects = Outbox<String>()
  static var version: Int { 2 }

  static func upcast(state: Data, from version: Int) throws -> Self? {
    let old = try JSONDecoder().decode(OldTrialState.self, from: state)
    return NewTrialState(tally: old.tally, effects: old.effects)
  }
}
