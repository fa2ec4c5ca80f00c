import AsyncChannelsRunning
import Proof

/// How `answer` is called in a history.
struct Setup: Sendable {
  /// Nil if each element has its own, which the seed decides, or if it has a key.
  var overlap: Overlap?
  /// That of elements with the same key, if they have keys.
  var keyed: Overlap?
  /// How many elements are worked on at a time, at most.
  var limit = Int.max
  var seed: UInt64 = 0
  /// For how many units of time it has to be quiet; nil if work begins immediately.
  var pause: Int?
  /// Whether an element says how long it has to be quiet after it.
  var hasOwnPauses = false
  /// Whether work of some elements fails once, and is called again.
  var retries = false
  var busyFromArrival = false
  var reportsBusy = false
  var tellsIgnored = false
  var tellsAbandoned = false
  /// Whether answers are published on the main actor.
  var isIsolated = false

  var mayAnswerTogether: Bool { overlap == .concurrent || overlap == nil }

  func overlap(of element: Int) -> Overlap {
    if let overlap = overlap ?? keyed { return overlap }
    var random = SplitMix64(seed: seed &+ UInt64(element))
    return random.pick(Overlap.allCases)
  }

  /// Nil if an element concerns all others.
  func key(of element: Int) -> Int? { keyed.map { _ in element % 3 } }

  /// For how many units of time it has to be quiet after an element.
  func pause(after element: Int) -> Int? {
    pause.map { hasOwnPauses ? 1 + (element * 7 + $0) % 6 : $0 }
  }

  /// Whether the first attempt at the work on an element fails.
  func fails(_ element: Int) -> Bool { retries && element % 10 == 5 }

  func kind(of element: Int) -> WorkKind {
    let kind = WorkKind(of: element)
    // Work that is superseded by what is ready with it may be begun or not: then it has no answer in either case.
    let mayBeSupersededAtOnce = overlap == nil && overlap(of: element) != .oneAtATime
    return kind == .isImmediate && mayBeSupersededAtOnce ? .endsWhenCancelled : kind
  }
}

/// One step of a history. After it, everything that can run has run. Elements are numbered as they are sent.
enum Step: Sendable {
  case send(Int)
  /// A call, unless one runs that is not cancelled.
  case run
  /// Lets the work on one of those elements end that are worked on.
  case complete(Int)
  case advance(Int)
  /// Sends, and after so many turns of the others cancels the call, while it may be doing anything. The next call may
  /// begin before anything else has run.
  case cancel(afterSending: Int, turns: Int, thenRun: Bool)
  case finish
}

/// What can be seen from outside.
enum Event: Hashable, Sendable {
  case published(Int)
  case ignored(Int)
  case abandoned(Int)
  case busy(Bool)
}

/// What can be seen after a step.
struct Observation: Equatable, Sendable {
  /// Of this step.
  var events: [Event] = []
  var isBusy = false
  /// Work that was begun, in ascending order.
  var begun: [Int] = []
  /// Work that has not ended, and whether it was cancelled.
  var underWay: [Int: Bool] = [:]
  var returnedCalls = 0
  var pending = 0

  /// Concurrent answers come in any order: here they come in ascending order.
  mutating func sortAnswers() {
    let places = events.indices.filter { if case .published = events[$0] { true } else { false } }
    let numbers = places.map { events[$0].number }.sorted()
    for (place, number) in zip(places, numbers) { events[place] = .published(number) }
  }
}

extension Event {
  var number: Int {
    switch self {
    case .published(let number), .ignored(let number), .abandoned(let number): number
    case .busy: 0
    }
  }

  var isBusyReport: Bool { if case .busy = self { true } else { false } }
}

/// How the work on an element goes.
enum WorkKind {
  case isImmediate, endsWhenCancelled, endsWhenTold

  init(of element: Int) {
    self =
      switch element % 5 {
      case 0: .isImmediate
      case 1, 2: .endsWhenCancelled
      default: .endsWhenTold
      }
  }
}
