import AsyncChannels
import Foundation
import Metrics
public import ServiceLifecycle

/// Carries out the effects of an ``Outbox``. Each machine runs one; one of them works at a time.
///
/// ```swift
/// let mailer = OutboxWorker(seats, \.mails, command: { .mails($0) }) { mail, key in
///   try await server.send(mail, idempotencyKey: key)
/// }
/// let services = ServiceGroup(services: [seats, mailer], gracefulShutdownSignals: [.sigterm], logger: logger)
/// ```
///
/// - **One at a time, in order.** The next effect begins when the log has that the last one was carried out. That is one
///   entry for each effect, one more if the outbox was empty before, and one for each third of a lease for which an effect
///   takes or pauses.
/// - **The lease.** A worker that lets the lease pass without an entry is replaced by another, which begins with the same
///   effect. The task of the closure is cancelled when this machine learns it, or cannot tell the log in time that it goes
///   on. A closure that goes on nevertheless, and a machine that stood still, may work beside the next. No machine's clock
///   is compared with another's.
/// - **Failures.** If the closure throws, the effect is tried again after a pause, which doubles, and those behind it wait.
///   After so many tries it is ``Outbox/parked``. An effect whose worker was gone counts as tried, so one that ends its
///   machine is parked, too. The error's text is stored in the log: it must hold no secrets. If what the effect needs is
///   out of reach, let the closure wait instead of throw.
/// - **The end.** Graceful shutdown waits for the effect that has begun, then lets another machine go on at once. So a
///   closure that waits must heed it (`cancelWhenGracefulShutdown` of swift-service-lifecycle): if it then throws
///   `CancellationError`, that is no try. A cancelled worker cancels the closure's task; another machine goes on after the
///   lease.
/// - **A new version** whose `apply` adds effects for old commands has those of all old commands carried out when it takes
///   over, unless it goes on from the old state (``SharedState/upcast(state:from:)-swift.type.method``) or
///   ``SharedState/upcast(_:from:)-swift.type.method`` marks old commands. The effect that an old machine has begun then
///   is carried out a second time.
public struct OutboxWorker<State: SharedState, Effect: Codable & Sendable>: Service {
  private let channel: SharedChannel<State>
  private let outbox: any KeyPath<State, Outbox<Effect>> & Sendable
  private let command: @Sendable (Outbox<Effect>.Command) -> State.Command
  private let carryOut: @Sendable (_ effect: Effect, _ key: String) async throws -> Void
  private let lease: Duration
  private let tries: Int
  private let pause: Duration
  /// How long a worker that tells something works before it tells again.
  private var interval: Duration { lease / 3 }

  /// - Parameters:
  ///   - channel: Whose state has the outbox. It has to run as well, and to end after the worker.
  ///   - outbox: Where the state has it.
  ///   - command: Makes the state's command of one of the outbox. `apply` gives it to the outbox.
  ///   - lease: For how long this worker may be silent: how long effects stand still when its machine fails. At least ten
  ///     times what the log takes to store a command. Traps if it is not positive.
  ///   - tries: After how many the effect is parked. Traps if it is less than 1.
  ///   - pause: After the first failure; it doubles with each, to an hour at most. Traps if it is negative.
  ///   - carryOut: Gets the effect and its key. Its task is cancelled when the worker is, and when the lease is lost.
  public init(
    _ channel: SharedChannel<State>, _ outbox: any KeyPath<State, Outbox<Effect>> & Sendable,
    command: @escaping @Sendable (Outbox<Effect>.Command) -> State.Command,
    lease: Duration = .seconds(10), tries: Int = 5, pause: Duration = .seconds(1),
    carryOut: @escaping @Sendable (_ effect: Effect, _ key: String) async throws -> Void
  ) {
    precondition(lease > .zero, "A lease of \(lease) is over when it begins.")
    precondition(tries >= 1, "An effect is tried once at least, not \(tries) times.")
    precondition(pause >= .zero, "A pause of \(pause) is in the past.")
    (self.channel, self.outbox, self.command, self.carryOut) = (channel, outbox, command, carryOut)
    (self.lease, self.tries, self.pause) = (lease, tries, pause)
  }

  /// Works when it is this machine's turn, until its task is cancelled or the service is shut down.
  public func run() async {
    let isStopping = CurrentValue(false)
    async let _ = measure()
    await withGracefulShutdownHandler {
      var run = Run(worker: self, isStopping: isStopping.outlet)
      await run.work()
    } onGracefulShutdown: {
      isStopping.value = true
    }
  }

  /// Gives swift-metrics what waits and what is parked, until the task is cancelled.
  private func measure() async {
    let dimensions = [
      ("state", String(reflecting: State.self)), ("effect", String(reflecting: Effect.self)),
    ]
    let waiting = Gauge(label: "outbox_waiting", dimensions: dimensions)
    let parked = Gauge(label: "outbox_parked", dimensions: dimensions)
    // Before the log is read, nobody knows what waits.
    for await revised in channel.state.subscribe(buffering: .bufferingNewest(1))
    where revised.position != nil {
      let outbox = revised.value[keyPath: outbox]
      waiting.record(outbox.waiting.count)
      parked.record(outbox.parked.count)
    }
  }

  private var present: Outbox<Effect> { channel.state.value.value[keyPath: outbox] }

  /// One call of ``run()``.
  private struct Run {
    let worker: OutboxWorker
    let isStopping: StateOutlet<Bool>
    /// No two runs have one name, also not one before a restart and one after it.
    let name = "\(Origin.thisMachine) \(UUID().uuidString)"
    /// When the newest entry of this run was asked for, so before another machine can have seen it.
    var lastTold: ContinuousClock.Instant?

    private var isWorking: Bool { worker.present.worker?.name == name }

    mutating func work() async {
      let channel = worker.channel
      var backoff = Backoff()
      for await _ in StateOutlet.combine(channel.state, channel.health, isStopping) {
        if isStopping.value || Task.isCancelled { break }
        // Not that of the element, which may be older than what was told last.
        let outbox = worker.present
        guard channel.health.value.isServing, let next = outbox.waiting.first else { continue }
        if !isWorking {
          guard await isFree(outbox) else { continue }
          let new = Outbox<Effect>.Worker(name: name, lease: worker.lease / .seconds(1))
          await tell(.begin(new, since: outbox.activity, tries: worker.tries))
        } else if let lastTold, lastTold + worker.lease / 2 > .now {
          await carryOut(next, since: lastTold)
        } else {
          await tell(.goOn(name))
        }
        if worker.present.activity != outbox.activity {
          backoff = Backoff()
        } else {
          // The state's `apply` does not pass the commands on. Or another worker has begun.
          try? await Task.sleep(for: backoff.next())
        }
      }
      if isWorking { await tell(.end(name)) }
    }

    /// Whether nobody works, or the one that does is silent for a whole lease.
    private func isFree(_ outbox: Outbox<Effect>) async -> Bool {
      guard let other = outbox.worker else { return true }
      let (worker, isStopping) = (worker, isStopping)
      return await first {
        for await (_, isStopping) in StateOutlet.combine(worker.channel.state, isStopping)
        where isStopping || worker.present.activity != outbox.activity { break }
        return false
      } or: {
        (try? await Task.sleep(for: max(worker.lease, .seconds(other.lease)))) != nil
      }
    }

    private mutating func carryOut(
      _ item: Outbox<Effect>.Item, since told: ContinuousClock.Instant
    ) async {
      let run = self
      let outcome = await first {
        await run.outcome(of: item)
      } or: {
        await run.keepLease(since: told)
        return nil
      }
      switch outcome {
      case .success: await tell(.succeed(name, item.key))
      case .failure(let error):
        let reason = String(decoding: "\(error)".utf8.prefix(1_000), as: UTF8.self)
        await tell(.fail(name, item.key, reason, tries: worker.tries))
      case nil:
        // If nobody else has the lease, the next entry takes it up again.
        if !isStopping.value { await tell(.goOn(name)) }
      }
    }

    /// Nil if it is given up because the service is shut down.
    private func outcome(of item: Outbox<Effect>.Item) async -> Result<Void, any Error>? {
      if item.tries > 0 {
        let doubled = worker.pause * (1 << min(item.tries - 1, 30))
        let isOver = await first { [isStopping] in
          for await isStopping in isStopping where isStopping { break }
          return false
        } or: {
          (try? await Task.sleep(for: min(doubled, .seconds(3_600)))) != nil
        }
        guard isOver else { return nil }
      }
      do {
        return .success(try await worker.carryOut(item.effect, item.key))
      } catch {
        return error is CancellationError && isStopping.value ? nil : .failure(error)
      }
    }

    /// Returns when another machine works, when the lease is nearly over and could not be taken up again, or when the task
    /// is cancelled.
    private func keepLease(since told: ContinuousClock.Instant) async {
      await first {
        var told = told
        while (try? await Task.sleep(until: told + worker.interval, clock: .continuous)) != nil {
          let end = told + worker.lease - worker.interval / 2
          let asked = await first {
            await ask(.goOn(name))
          } or: {
            try? await Task.sleep(until: end, clock: .continuous)
            return nil
          }
          guard let asked else { return }
          told = asked
        }
      } or: {
        for await _ in worker.channel.state where !isWorking { return }
      }
    }

    private mutating func tell(_ command: Outbox<Effect>.Command) async {
      lastTold = await ask(command) ?? lastTold
    }

    /// Returns when the log has it: the time at which it was asked. Nil if the task is cancelled, if another version serves,
    /// or if it takes a lease while the service is shut down.
    private func ask(_ command: Outbox<Effect>.Command) async -> ContinuousClock.Instant? {
      let asked = ContinuousClock.now
      let keyed = Keyed(key: "outbox \(UUID().uuidString)", worker.command(command))
      let (channel, isStopping, lease) = (worker.channel, isStopping, worker.lease)
      return await first {
        var backoff = Backoff()
        while !Task.isCancelled {
          switch await channel.commands.ask(keyed) {
          case .applied?, .repeated?: return asked
          case .notStored?, nil: break
          }
          if case .replaced = channel.health.value.role { break }
          try? await Task.sleep(for: backoff.next())
        }
        return nil
      } or: {
        for await isStopping in isStopping where isStopping { break }
        try? await Task.sleep(until: asked + lease, clock: .continuous)
        return nil
      }
    }
  }
}

/// What is there first; the other is cancelled.
private func first<Value: Sendable>(
  _ work: @escaping @Sendable () async -> Value, or other: @escaping @Sendable () async -> Value
) async -> Value {
  await withTaskGroup { group in
    group.addTask { await work() }
    group.addTask { await other() }
    defer { group.cancelAll() }
    return await group.next()!
  }
}
