public import AsyncChannels
import Foundation
public import Logging
public import ServiceLifecycle
import Tracing

/// An input and a state whose order several machines share, through a log. Each machine has one.
///
/// ```swift
/// let seats = SharedChannel(Seats(), log: try SQLiteLog(path: "seats.sqlite"))
/// let services = ServiceGroup(services: [seats, server], gracefulShutdownSignals: [.sigterm], logger: logger)
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
///   harmless. If the log then refuses them, has another epoch, or has gone on for half of a `history`, their askers
///   get nil: nobody knows whether the first try stored them.
/// - **State** is what ``SharedState/apply(_:)`` makes of all commands of all machines, in the log's order. A
///   machine that was away catches up.
/// - **A log that was set back** has another ``Position/epoch``. The channel begins anew with what the log has.
///   Commands that were in progress get no answer.
/// - **Versions**: if ``SharedState/version`` is raised, machines of both versions can run beside each other. The older
///   ones serve until the newer takes over with an entry in the log (``takeOver()``). From there on the older ones keep
///   their last state, refuse commands with ``CommandOutcome/notStored(_:)``, and are not ``Health/isServing``. So they
///   do if an entry cannot be decoded.
/// - **The end**: ``finish()``, or the graceful shutdown of a `ServiceGroup`, refuses further commands. ``run()``
///   carries out those that wait, and returns. If its task is cancelled, it returns sooner, and commands in progress
///   get no answer. If the log does not answer, only cancelling ends it.
///
/// **Costs.** A command costs encoding it, decoding it and applying it to a copy once, and decoding and applying it on
/// each machine. A batch costs one append, and one publication of the state on each machine. `apply` changes a state that
/// was published, so it copies once for each publication, and once for each batch, what it changes: an array or a
/// dictionary as a whole.
public actor SharedChannel<State: SharedState>: Service {
  /// What ``commands`` answers.
  public typealias Outcome = CommandOutcome<State.Reply>

  /// Where commands are asked, from any thread. Commands wait in the queue while ``run()`` does not run.
  public nonisolated var commands: Inlet<Request<Keyed<State.Command>, Outcome>> {
    orders.inlet { Order(command: $0.question, request: $0) }
  }

  /// Sends a command without waiting for its outcome. Sent commands share one order with those that are asked. The
  /// channel gives each a key. A command is dropped if the queue is full, if the log refuses it, has another epoch
  /// after a lost connection or was out of reach for half of a `history`, if ``run()`` is cancelled while it is
  /// appended, or if another version serves.
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
  /// What this machine has done. swift-metrics gets it, too.
  public internal(set) var counts = Counts() {
    didSet { metrics.add(counts, since: oldValue) }
  }

  let initial: State
  let log: any SharedLog
  let batchSize: Int
  let snapshotInterval: Int64
  let history: Int64?
  let author: String
  let logger: Logger?
  /// What the logger was told last.
  let loggedHealth = CurrentValue(Health())
  let metrics = ChannelMetrics(of: State.self)
  /// Whether this version takes over where it finds an older one.
  var takesOver: Bool
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
  /// The entry behind ``fold``, if this program cannot apply it.
  var obstacle: Obstacle?
  /// ``fold``'s state with what was appended since; nil if nothing was.
  var rehearsed: State?
  var replies: RecentReplies<State.Reply>
  /// Commands that are in the log, until ``fold`` has them.
  var appended: [Appended] = []
  /// The keys of ``appended``, and of the batch that is being appended.
  var ownKeys: Set<String> = []
  /// Whether commands are being appended, which tells whether the log can be appended to.
  var isAppending = false
  private var isRunning = false

  /// A command that waits to be appended.
  struct Order {
    let command: Keyed<State.Command>
    /// Nil if it was sent without an asker.
    let request: Request<Keyed<State.Command>, Outcome>?
    /// That of the task that sent it.
    let context = ServiceContext.current

    /// Whether its asker still waits, or there never was one.
    var isWanted: Bool { request?.isAwaited ?? true }
  }

  /// A command that is in the log.
  struct Appended {
    let order: Order
    /// As it is decoded.
    let command: State.Command
    let position: Position
  }

  /// - Parameters:
  ///   - initial: The state of an empty log, the same on all machines.
  ///   - log: The engine. It is a handle for this channel alone.
  ///   - capacity: How many commands may wait to be appended. Traps if it is less than 1.
  ///   - batchSize: How many commands are appended in one step at most. Traps if it is less than 1.
  ///   - snapshotInterval: After how many entries a snapshot is stored: by the machine whose command is the last of
  ///     them, and by a machine that read as many to start. Traps if it is less than 1.
  ///   - history: How many entries before a snapshot are kept, with their keys: when this machine stores one, and its
  ///     version serves, it deletes older ones. Nil to delete none. A command that is asked again when its key is gone is
  ///     applied a second time, so keep more entries than come while an asker may ask again. The same on all machines. A
  ///     machine that is further behind begins anew from the snapshot. Traps if it is less than `snapshotInterval`.
  ///   - rememberedReplies: To how many commands, of all machines, the replies are kept for askers that ask again: at
  ///     most `history`. Traps if it is less than 1.
  ///   - takesOver: Whether this program takes over from an older ``SharedState/version`` when it has read the log.
  ///     Otherwise it does with ``takeOver()``.
  ///   - author: What entries that this machine appends call it (``Origin/author``). Traps if it has a line feed.
  ///   - logger: Is told what changes in ``health``.
  public init(
    _ initial: State, log: any SharedLog, capacity: Int = 1_024, batchSize: Int = 256,
    snapshotInterval: Int = 10_000, history: Int? = nil, rememberedReplies: Int = 16_384,
    takesOver: Bool = true, author: String = Origin.thisMachine, logger: Logger? = nil
  ) {
    precondition(
      State.version >= 1, "The version of \(State.self) is \(State.version): it is at least 1.")
    precondition(!author.contains("\n"), "The author \"\(author)\" has a line feed.")
    precondition(batchSize >= 1, "A batch of \(batchSize) commands appends none.")
    precondition(snapshotInterval >= 1, "Snapshots cannot be \(snapshotInterval) entries apart.")
    precondition(
      history ?? snapshotInterval >= snapshotInterval,
      "A history of \(history ?? 0) entries is shorter than the \(snapshotInterval) from one snapshot to the next."
    )
    precondition(rememberedReplies >= 1, "At least 1 reply is kept, not \(rememberedReplies).")
    self.initial = initial
    self.log = log
    self.batchSize = batchSize
    self.snapshotInterval = Int64(snapshotInterval)
    self.history = history.map { Int64($0) }
    (self.takesOver, self.author, self.logger) = (takesOver, author, logger)
    orders = Input(buffering: .bufferingOldest(capacity))
    current = CurrentValue(Revised(position: nil, value: initial))
    // None of a command whose key the log has forgotten.
    replies = RecentReplies(capacity: min(rememberedReplies, history ?? .max))
  }

  /// Refuses commands from now on. `run()` carries out those that wait, and returns.
  public nonisolated func finish() {
    orders.finish()
  }

  /// Reads the log, appends commands, and answers them, until ``finish()`` or until its task is cancelled. In a
  /// `ServiceGroup`, graceful shutdown calls `finish()`.
  ///
  /// After a cancelled run, a further run continues. Traps if it runs twice at a time.
  public func run() async {
    precondition(!isRunning, "A channel of \(State.self) runs already.")
    isRunning = true
    defer {
      isRunning = false
      rehearsed = nil
      drop { _ in true }
    }
    await withGracefulShutdownHandler {
      await self.work()
    } onGracefulShutdown: {
      self.finish()
    }
  }

  /// Ends when there are no more commands, or when the task is cancelled.
  private func work() async {
    await withTaskGroup { group in
      group.addTask { await self.follow() }
      group.addTask { await self.appendBlanks() }
      group.addTask { await self.keepSnapshots() }
      group.addTask { await self.logHealth() }
      await carryOutCommands()
      group.cancelAll()
    }
    log(condition.value)
  }

  /// Makes this program's ``SharedState/version`` the one that serves, if an older one does: for a channel with
  /// `takesOver: false`, when all machines of a deploy have read the log (``Health/Role/waiting``). Older versions
  /// refuse commands from the place in the order where this stands. From now on, this channel takes over again where it
  /// finds an older one: if the log is set back to before it. To go back to an older program, raise the version again.
  ///
  /// Returns when this version serves, or has been replaced. It waits as long as ``run()`` does not run.
  ///
  /// - Throws: ``LogFailure/refused(_:)`` if this program cannot apply an entry of the log: then the older version serves
  ///   on. The log's error, if it does not answer. `CancellationError`.
  public func takeOver() async throws {
    while true {
      let restarts = condition.value.restarts
      let isRead = try await upToDateState() != nil
      try Task.checkCancellation()
      if let obstacle {
        guard obstacle.version == nil else { return }
        throw LogFailure.refused("\(obstacle)")
      }
      guard isRead, condition.value.restarts == restarts else { continue }
      if condition.value.role == .waiting { try await appendBlank() }
      // Not before: commands wait for a version that takes over by itself.
      takesOver = true
      for await health in condition.outlet where health.isReady || obstacle != nil {
        if health.restarts != restarts || obstacle != nil { break }
        if health.role != .waiting { return }
      }
    }
  }

  /// Asks the log for its end, and waits until the state has it: then ``state`` has each command that was answered
  /// anywhere before the call.
  ///
  /// It waits as long as ``run()`` does not run.
  ///
  /// - Returns: The state; nil if the task was cancelled, if the log was set back meanwhile, or if this program cannot
  ///   apply an entry before the log's end.
  /// - Throws: The log's error, if it does not answer.
  public func upToDateState() async throws -> Revised<State>? {
    let restarts = condition.value.restarts
    let end = try await log.end()
    // Either may change: the state, or what it cannot go beyond.
    for await (revised, health) in StateOutlet.combine(current.outlet, condition.outlet) {
      if health.restarts != restarts { return nil }
      if end.index == 0 && health.isReady || revised.position?.isAtOrAfter(end) == true {
        return revised
      }
      if obstacle != nil { return nil }
    }
    return nil
  }
}
