import SharedChannels

/// What clients of a ``Tally`` asked and were told, and when: to be checked for linearizability.
///
/// The log's order is a witness, so the check is exact and does not search. A command has its place in the log, and a
/// read has a place just after the last entry of its state. In this order, each reply and each state must be what one
/// tally gives. And an operation that began after the answer of another must have its place after the other's.
///
/// - **Tries** with one key are one command, from the first try that may have stored it to the first answer.
/// - **A command without an answer** may be in the log or not. If it is, it has its effect any time after it was asked.
///   So it has no latest time.
/// - **A refused command** must not be in the log, unless another try may have stored it.
///
/// This is a part of the tests, not of `SharedLogConformance`: it checks what clients of a channel are told, while an
/// engine promises only the sentences of `SharedLog`, and those have their own checks.
struct ClientHistory: Sendable {
  typealias Instant = ContinuousClock.Instant

  private struct Try {
    let key: String
    let outcome: CommandOutcome<Int>?
    let began, ended: Instant
  }

  private struct Read {
    let state: Revised<Tally>
    let began, ended: Instant
  }

  /// A command or a read with its place.
  private struct Operation {
    let name: String
    let isRead: Bool
    /// How many entries of the log its place is after. A command's own entry is the last of them.
    let index: Int
    var began: Instant
    /// Nil if nobody was told.
    var ended: Instant?
  }

  /// Why a history is not linearizable in the log's order.
  enum Violation: Error, Equatable {
    case storedTwice(String)
    case neverAsked(String)
    case refusedAndStored(String)
    case answeredAndLost(String)
    case otherPlace(String, told: Int64, stored: Int)
    case otherReply(String, told: Int, expected: Int)
    case otherState(index: Int64)
    case otherEpoch(Position)
    /// The first began after the second was answered, and its place is not after the other's.
    case outOfOrder(String, after: String)
  }

  private var tries: [Try] = []
  private var reads: [Read] = []

  var answeredCount: Int { tries.count { $0.outcome?.position != nil } }
  var readCount: Int { reads.count }

  mutating func note(
    _ outcome: CommandOutcome<Int>?, for key: String, from began: Instant, to ended: Instant = .now
  ) {
    tries.append(Try(key: key, outcome: outcome, began: began, ended: ended))
  }

  mutating func note(
    read state: Revised<Tally>, from began: Instant, to ended: Instant = .now
  ) {
    reads.append(Read(state: state, began: began, ended: ended))
  }

  static func += (history: inout ClientHistory, other: ClientHistory) {
    history.tries += other.tries
    history.reads += other.reads
  }

  /// Sorting the operations by time is what it costs.
  ///
  /// - Parameter log: The keys of all entries, read after the last answer; nil for blank ones.
  func check(against log: [String?]) throws(Violation) {
    var (model, replies, states) = (Tally(), [Int](), [Tally()])
    for key in log {
      replies.append(key.map { model.apply($0) } ?? 0)
      states.append(model)
    }
    try requireOneEpoch()
    let operations = try commands(in: log, replies) + reads(of: states)
    try requireOrder(of: operations)
  }

  private func requireOneEpoch() throws(Violation) {
    let positions = tries.compactMap(\.outcome?.position) + reads.compactMap(\.state.position)
    for position in positions where position.epoch != positions[0].epoch {
      throw .otherEpoch(position)
    }
  }

  private func commands(
    in log: [String?], _ replies: [Int]
  ) throws(Violation) -> [Operation] {
    var places: [String: Int] = [:]
    for (place, key) in log.enumerated() {
      guard let key else { continue }
      guard places.updateValue(place + 1, forKey: key) == nil else { throw .storedTwice(key) }
    }
    var commands: [String: Operation] = [:]
    var refused: Set<String> = []
    for one in tries {
      if case .notStored? = one.outcome {
        refused.insert(one.key)
        continue
      }
      guard let place = places[one.key] else {
        if one.outcome == nil { continue }
        throw .answeredAndLost(one.key)
      }
      try one.outcome?.require(one.key, at: place, replies[place - 1])
      let ended = one.outcome.map { _ in one.ended }
      var command =
        commands[one.key]
        ?? Operation(name: one.key, isRead: false, index: place, began: one.began, ended: ended)
      command.began = min(command.began, one.began)
      command.ended = [command.ended, ended].compactMap(\.self).min()
      commands[one.key] = command
    }
    for key in log.compactMap(\.self) where commands[key] == nil {
      throw refused.contains(key) ? .refusedAndStored(key) : .neverAsked(key)
    }
    return Array(commands.values)
  }

  private func reads(of states: [Tally]) throws(Violation) -> [Operation] {
    var operations: [Operation] = []
    for read in reads {
      let index = read.state.position?.index ?? 0
      guard index < states.count, states[Int(index)] == read.state.value else {
        throw .otherState(index: index)
      }
      operations.append(
        Operation(
          name: "a read of \(index)", isRead: true, index: Int(index), began: read.began,
          ended: read.ended))
    }
    return operations
  }

  /// Goes through the operations as they began, and remembers the last place among those that were answered before.
  private func requireOrder(of operations: [Operation]) throws(Violation) {
    var answered = operations.filter { $0.ended != nil }.sorted { $0.ended! > $1.ended! }
    var last: Operation?
    for operation in operations.sorted(by: { $0.began < $1.began }) {
      while let next = answered.last, next.ended! < operation.began {
        if next.index >= last?.index ?? 0 { last = next }
        answered.removeLast()
      }
      guard let last else { continue }
      // Several reads may have one place. A read's place is after the command that is its last entry.
      guard last.index < operation.index || operation.isRead && last.index == operation.index else {
        throw .outOfOrder(operation.name, after: last.name)
      }
    }
  }
}

extension CommandOutcome<Int> {
  fileprivate var position: Position? {
    switch self {
    case .applied(_, let position), .repeated(let position): position
    case .notStored: nil
    }
  }

  fileprivate func require(
    _ key: String, at place: Int, _ expected: Int
  ) throws(ClientHistory.Violation) {
    if let position, position.index != place {
      throw .otherPlace(key, told: position.index, stored: place)
    }
    if case .applied(let reply, _) = self, reply != expected {
      throw .otherReply(key, told: reply, expected: expected)
    }
  }
}
