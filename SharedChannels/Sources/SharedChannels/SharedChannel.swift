public import AsyncChannels
import Foundation
public import ServiceLifecycle

/// An input and a state whose order several machines share, through a log. Each machine has one.
///
/// ```swift
/// let seats = SharedChannel(Seats(), log: try SQLiteLog(path: "seats.sqlite"))
/// let services = ServiceGroup(services: [server, seats], gracefulShutdownSignals: [.sigterm], logger: logger)
///
/// switch await seats.commands.ask(Keyed(key: key, .take(seat: 7, by: "Ann"))) {
/// case .applied(.taken, at: _)?: …
/// case .applied(.refused(let owner), at: _)?: …
/// case .repeated?, .notStored?: …
/// case nil: …                                        // nobody knows: ask again, with the same key
/// }
/// ```
///
/// - **Commands** wait in a bounded queue. All that wait are appended in one step, and answered when they are
///   durable and part of ``state`` here. A command whose asker left before it was appended is dropped. When the
///   queue is full, a further command is dropped, and its asker gets nil immediately.
/// - **A lost connection**: the channel appends the same commands again, until the log answers. Their keys make that
///   harmless. If the log then refuses them, their askers get nil: nobody knows whether the first try stored them.
/// - **State** is what ``SharedState/apply(_:)`` makes of all commands of all machines, in the log's order. A
///   machine that was away catches up.
/// - **A log that was set back** has another ``Position/epoch``. The channel begins anew with what the log has.
///   Commands that were in progress get no answer.
/// - **The end**: ``finish()``, or the graceful shutdown of a `ServiceGroup`, refuses further commands. ``run()``
///   carries out those that wait, and returns. If its task is cancelled, it returns sooner, and commands in progress
///   get no answer. If the log does not answer, only cancelling ends it.
///
/// **Costs.** A command costs encoding it once, and decoding and applying it on each machine. A batch costs one
/// append, and one publication of the state on each machine. `apply` changes a state that was published, so it copies
/// once for each publication what it changes: an array or a dictionary as a whole.
public actor SharedChannel<State: SharedState>: Service {
  /// What ``commands`` answers.
  public typealias Outcome = CommandOutcome<State.Reply>

  /// Where commands are asked, from any thread. Commands wait in the queue while ``run()`` does not run.
  public nonisolated var commands: Inlet<Request<Keyed<State.Command>, Outcome>> {
    orders.inlet { Order(command: $0.question, request: $0) }
  }
  /// Sends a command without waiting for its outcome. Sent commands share one order with those that are asked. The
  /// channel gives each a key. A command is dropped if the queue is full, if the log refuses it, or if ``run()`` is
  /// cancelled while it is appended.
  public nonisolated var inlet: Inlet<State.Command> {
    orders.inlet { Order(command: Keyed(key: UUID().uuidString, $0), request: nil) }
  }
  /// The state, after the last commands that are known here. Within an epoch it never goes back. Until ``run()`` has
  /// read the log it is the initial state, without a position.
  public nonisolated var state: StateOutlet<Revised<State>> { current.outlet }
  /// Each command that is applied from now on, by whichever machine it was asked, after ``state`` has it. What was in
  /// the log when `run()` began, or when the log was set back, is only in the state.
  public nonisolated var entries: Outlet<Applied<State>> { news.outlet }
  /// Whether the state is there, and whether the log answers.
  public nonisolated var health: StateOutlet<Health> { condition.outlet }
  /// How many commands wait to be appended.
  public nonisolated var waitingCommands: Int { orders.received.pendingCount }
  /// What this machine has done.
  public internal(set) var counts = Counts()

  let initial: State
  let log: any SharedLog
  let batchSize: Int
  let snapshotInterval: Int64
  let orders: Input<Order>
  let current: CurrentValue<Revised<State>>
  let news = Channel<Applied<State>>()
  let condition = CurrentValue(Health())
  /// States to store, of which the newest counts.
  let snapshots = Input<Fold<State>>(buffering: .bufferingNewest(1))
  /// How many commands are appended and not yet answered.
  let unanswered = CurrentValue(0)

  /// Nil until the log was read, and after it was set back.
  var fold: Fold<State>?
  var replies: RecentReplies<State.Reply>
  /// Commands that are in the log, until ``fold`` has them.
  var appended: [Appended] = []
  /// The keys of ``appended``, and of the batch that is being appended.
  var ownKeys: Set<String> = []
  private var isRunning = false

  /// A command that waits to be appended.
  struct Order {
    let command: Keyed<State.Command>
    /// Nil if it was sent without an asker.
    let request: Request<Keyed<State.Command>, Outcome>?

    /// Whether its asker still waits, or there never was one.
    var isWanted: Bool { request?.isAwaited ?? true }
  }

  /// A command that is in the log.
  struct Appended {
    let order: Order
    let position: Position
  }

  /// - Parameters:
  ///   - initial: The state of an empty log, the same on all machines.
  ///   - log: The engine. It is a handle for this channel alone.
  ///   - capacity: How many commands may wait to be appended. Traps if it is less than 1.
  ///   - batchSize: How many commands are appended in one step at most. Traps if it is less than 1.
  ///   - snapshotInterval: After how many entries a snapshot is stored: by the machine whose command is the last of
  ///     them, and by a machine that read as many to start. Traps if it is less than 1.
  ///   - rememberedReplies: To how many commands, of all machines, the replies are kept for askers that ask again.
  ///     Traps if it is less than 1.
  public init(
    _ initial: State, log: any SharedLog, capacity: Int = 1_024, batchSize: Int = 256,
    snapshotInterval: Int = 10_000, rememberedReplies: Int = 16_384
  ) {
    precondition(batchSize >= 1, "A batch of \(batchSize) commands appends none.")
    precondition(snapshotInterval >= 1, "Snapshots cannot be \(snapshotInterval) entries apart.")
    precondition(rememberedReplies >= 1, "At least 1 reply is kept, not \(rememberedReplies).")
    self.initial = initial
    self.log = log
    self.batchSize = batchSize
    self.snapshotInterval = Int64(snapshotInterval)
    orders = Input(buffering: .bufferingOldest(capacity))
    current = CurrentValue(Revised(position: nil, value: initial))
    replies = RecentReplies(capacity: rememberedReplies)
  }

  /// Refuses commands from now on. `run()` carries out those that wait, and returns.
  public nonisolated func finish() {
    orders.finish()
  }

  /// Reads the log, appends commands, and answers them, until ``finish()`` or until its task is cancelled. In a
  /// `ServiceGroup`, graceful shutdown calls `finish()`.
  ///
  /// After a cancelled run, a further run continues. Traps if it runs twice at a time.
  ///
  /// - Throws: ``UnreadableEntry``. Then the program is too old for the log.
  public func run() async throws {
    precondition(!isRunning, "A channel of \(State.self) runs already.")
    isRunning = true
    defer {
      isRunning = false
      drop { _ in true }
    }
    try await withGracefulShutdownHandler {
      try await self.work()
    } onGracefulShutdown: {
      self.finish()
    }
  }

  /// Ends with the part that ends first: the commands, when there are no more, or the reading, with an error.
  private func work() async throws {
    try await withThrowingTaskGroup { group in
      group.addTask { try await self.follow() }
      group.addTask { await self.carryOutCommands() }
      group.addTask { await self.keepSnapshots() }
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  /// Asks the log for its end, and waits until the state has it: then ``state`` has each command that was answered
  /// anywhere before the call.
  ///
  /// It waits as long as ``run()`` does not run.
  ///
  /// - Returns: The state; nil if the task was cancelled, or if the log was set back meanwhile.
  /// - Throws: The log's error, if it does not answer.
  public func upToDateState() async throws -> Revised<State>? {
    let restarts = condition.value.restarts
    let end = try await log.end()
    for await revised in current.outlet {
      if condition.value.restarts != restarts { return nil }
      if end.index == 0 || revised.position?.isAtOrAfter(end) == true { return revised }
    }
    return nil
  }
}
