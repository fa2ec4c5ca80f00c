import AsyncChannels
public import ServiceLifecycle

/// Many shared states of one kind, such as chat rooms or documents, each with a log of its own. A room is opened when
/// somebody uses it, and closed some time after.
///
/// ```swift
/// let logs = PostgresLogs(try PostgresAddress(text))
/// let rooms = SharedRooms { name in
///   SharedChannel(Document(), log: try logs.log(name), snapshotInterval: 500)
/// }
/// let services = ServiceGroup(services: [rooms, server], gracefulShutdownSignals: [.sigterm], logger: logger)
///
/// let outcome = try await rooms.withRoom("minutes") { room in
///   await room.commands.ask(Keyed(key: key, .insert("Hello", at: 0)))
/// }
/// ```
///
/// There is an order of commands in each room, and none between rooms. A machine applies only the commands of the rooms
/// that it has open, so more machines carry out more commands, if the users of a room come to one machine or few.
///
/// - **Opening** a room reads its snapshot and what came after it, so let snapshots be close together. A command that is
///   asked meanwhile waits.
/// - **Closing** one lets its commands end, and leaves nothing behind on this machine.
/// - **The end**: ``finish()``, or the graceful shutdown of a `ServiceGroup`, refuses to open rooms, and finishes those
///   that are open. ``run()`` returns when they have ended. If its task is cancelled, it returns sooner, and commands in
///   progress get no answer.
///
/// **Costs.** An open room costs its state and a ``SharedChannel``, whose tasks wait. A closed one costs nothing.
public actor SharedRooms<State: SharedState>: Service {
  private let makeChannel: @Sendable (String) throws -> SharedChannel<State>
  private let limit: Int
  private let idle: Duration
  private let clock: any Clock<Duration>
  /// The rooms that `run()` has to run.
  private let opened = Input<Opened>(buffering: .unbounded)
  /// How many rooms were closed.
  private let closings = CurrentValue(0)
  private var rooms: [String: Room] = [:]
  /// Those that nobody uses, and that are not being closed.
  private var unused: Set<String> = []
  /// How many wait for a room to be closed, by the name that they ask for.
  private var waiting: [String: Int] = [:]
  /// How many are being closed.
  private var closing = 0
  private var isRunning = false

  private struct Opened: Sendable {
    let name: String
    let channel: SharedChannel<State>
  }

  private struct Room {
    let channel: SharedChannel<State>
    /// How many use it now.
    var users = 0
    /// Whether it was found without a user since its last use.
    var hasRested = false
    var isClosing = false
  }

  /// - Parameters:
  ///   - limit: How many rooms may be open. If more are asked for, one that nobody uses is closed before its time. If
  ///     all are in use, ``withRoom(_:_:)`` throws. Traps if it is less than 1.
  ///   - idle: How long a room stays open when nobody uses it any more, or up to twice as long. Traps if it is not
  ///     positive.
  ///   - clock: What measures that.
  ///   - makeChannel: Makes the channel of the room of this name, with a log of its own. ``run()`` runs it.
  public init(
    limit: Int = 1_000, idle: Duration = .seconds(30),
    clock: any Clock<Duration> = ContinuousClock(),
    makeChannel: @escaping @Sendable (_ name: String) throws -> SharedChannel<State>
  ) {
    precondition(limit >= 1, "At least 1 room may be open, not \(limit).")
    precondition(idle > .zero, "A room stays open for some time, not for \(idle).")
    (self.limit, self.idle, self.clock, self.makeChannel) = (limit, idle, clock, makeChannel)
  }

  /// Opens a room if it is not open, and keeps it open until the work ends. Its state may not be read yet: a command
  /// waits for it, and ``SharedChannel/upToDateState()`` does.
  ///
  /// It waits for a room that is being closed, and so as long as ``run()`` does not run.
  ///
  /// - Throws: ``LogFailure/refused(_:)`` if ``finish()`` was called, or if as many rooms are in use as may be open.
  ///   `CancellationError`. What `makeChannel` or the work throws.
  public nonisolated(nonsending) func withRoom<Value>(
    _ name: String, _ work: (SharedChannel<State>) async throws -> Value
  ) async throws -> Value {
    let channel = try await open(name)
    do {
      let value = try await work(channel)
      await leave(name, channel)
      return value
    } catch {
      await leave(name, channel)
      throw error
    }
  }

  /// Those that are open, or being closed: to add up their health and counts.
  public var openRooms: [String: SharedChannel<State>] { rooms.mapValues(\.channel) }

  /// Refuses to open rooms from now on. `run()` finishes those that are open, and returns.
  public nonisolated func finish() {
    opened.finish()
  }

  /// Runs the rooms until ``finish()`` or until its task is cancelled. In a `ServiceGroup`, graceful shutdown calls
  /// `finish()`. After a cancelled run, a further run continues. Traps if it runs twice at a time.
  public func run() async {
    precondition(!isRunning, "The rooms of \(State.self) run already.")
    isRunning = true
    defer { isRunning = false }
    await withGracefulShutdownHandler {
      await withTaskGroup { group in
        group.addTask { await self.closeIdleRooms() }
        await self.runRooms()
        group.cancelAll()
      }
    } onGracefulShutdown: {
      self.finish()
    }
  }

  private func runRooms() async {
    await withDiscardingTaskGroup { group in
      for await room in opened.received {
        group.addTask {
          await room.channel.run()
          await self.end(room)
        }
      }
      for name in rooms.keys where !Task.isCancelled { close(name) }
    }
  }

  private func end(_ room: Opened) {
    // A further run goes on with it, unless there are to be no more.
    if Task.isCancelled, rooms[room.name]?.isClosing == false,
      case .sent = opened.inlet.send(room)
    {
      return
    }
    // It may have ended because somebody else finished it.
    room.channel.finish()
    if rooms.removeValue(forKey: room.name)?.isClosing == true { closing -= 1 }
    unused.remove(room.name)
    closings.update { $0 += 1 }
  }

  private func open(_ name: String) async throws -> SharedChannel<State> {
    while true {
      try Task.checkCancellation()
      let known = closings.value
      if let channel = try openNow(name) { return channel }
      waiting[name, default: 0] += 1
      defer { waiting[name] = waiting[name] == 1 ? nil : waiting[name].map { $0 - 1 } }
      for await count in closings.outlet where count != known { break }
    }
  }

  /// Nil if a room has to be closed first.
  private func openNow(_ name: String) throws -> SharedChannel<State>? {
    if let room = rooms[name], room.isClosing { return nil }
    if rooms[name] == nil {
      guard rooms.count < limit else {
        try closeOne(for: name)
        return nil
      }
      let channel = try makeChannel(name)
      guard case .sent = opened.inlet.send(Opened(name: name, channel: channel)) else {
        throw LogFailure.refused("no room is opened any more")
      }
      rooms[name] = Room(channel: channel)
    }
    rooms[name]?.users += 1
    rooms[name]?.hasRested = false
    unused.remove(name)
    return rooms[name]?.channel
  }

  /// One that nobody uses, unless enough are being closed.
  private func closeOne(for name: String) throws {
    let others = waiting.count - (waiting[name] == nil ? 0 : 1)
    if closing > others { return }
    guard let other = unused.first else {
      if closing > 0 { return }
      throw LogFailure.refused("all of the \(limit) rooms that may be open are in use")
    }
    close(other)
  }

  private func leave(_ name: String, _ channel: SharedChannel<State>) {
    // It may have been opened anew meanwhile.
    guard let room = rooms[name], room.channel === channel else { return }
    rooms[name]?.users -= 1
    if room.users == 1 && !room.isClosing { unused.insert(name) }
  }

  private func closeIdleRooms() async {
    while (try? await clock.sleep(for: idle)) != nil {
      for name in unused {
        if rooms[name]?.hasRested == true { close(name) } else { rooms[name]?.hasRested = true }
      }
    }
  }

  private func close(_ name: String) {
    guard let room = rooms[name], !room.isClosing else { return }
    rooms[name]?.isClosing = true
    unused.remove(name)
    closing += 1
    room.channel.finish()
  }
}
