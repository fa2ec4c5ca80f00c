/// What a state wants done outside of it, such as mail to be sent. It is part of the state, so each command and what is
/// to be done because of it are stored in one step, and no machine forgets it.
///
/// ```swift
/// struct Seats: SharedState {
///   enum Command: Codable, Sendable {
///     case take(seat: Int, by: String)
///     case mails(Outbox<Mail>.Command)
///   }
///   private(set) var mails = Outbox<Mail>()
///
///   mutating func apply(_ command: Command) -> Reply {
///     switch command {
///     case .take(let seat, let name):
///       …
///       mails.add(Mail(to: name, seat: seat), key: "seat \(seat) of \(evening)")
///     case .mails(let command): mails.apply(command)
///     }
///   }
/// }
/// ```
///
/// An ``OutboxWorker`` carries the effects out, one after another. Each is carried out at least once, and again if its
/// machine fails or loses its lease before the log has that it was carried out, or if the log is set back to before that.
/// Its key is the same then, so one who takes it can leave out the second: an `INSERT … ON CONFLICT DO NOTHING` in a table
/// with the keys is done exactly once.
///
/// Effects that wait are part of each copy and snapshot of the state: some thousands do no harm.
///
/// Its coding, and what its commands do, are part of the log. If a new version of this package changes them, its change log
/// says so: then raise ``SharedState/version``.
public struct Outbox<Effect: Codable & Sendable>: Codable, Sendable {
  /// An effect that has not been carried out.
  public struct Item: Codable, Sendable {
    /// What tells this effect from all others.
    public let key: String
    /// What is to be done.
    public let effect: Effect
    /// How often it failed, or its worker was gone.
    public fileprivate(set) var tries = 0
    /// Why it failed last, in 1,000 bytes at most; nil if it did not.
    public fileprivate(set) var failure: String?
  }

  /// Who carries effects out.
  struct Worker: Codable, Sendable {
    let name: String
    /// In seconds.
    let lease: Double
    /// Whether it may have begun with the first effect that waits.
    var hasBegun = false
  }

  /// Those to be carried out, in their order.
  public private(set) var waiting: [Item] = []
  /// Those that were tried as often as the worker does. Nobody tries them until ``Command/retry(_:)``.
  public private(set) var parked: [Item] = []
  /// Nil if the last one has left.
  private(set) var worker: Worker?
  /// Goes up with each command of the worker. If it stands still for a lease, another may replace it.
  private(set) var activity = 0

  public init() {}

  /// Adds an effect behind those that wait. One whose key waits or is parked is left out.
  ///
  /// - Parameter key: Tells it from all others, those of other epochs too, as one made of the identifier of what was
  ///   sold. It must not be a running number of the state: after the log was set back, another effect would get it.
  public mutating func add(_ effect: Effect, key: String) {
    let isKnown = waiting.contains { $0.key == key } || parked.contains { $0.key == key }
    if isKnown { return }
    waiting.append(Item(key: key, effect: effect))
  }

  /// What changes an outbox, as a part of the state's own commands.
  public struct Command: Codable, Sendable {
    fileprivate let step: Step

    /// Tries a parked effect again, behind those that wait.
    public static func retry(_ key: String) -> Command { Command(step: .retry(key: key)) }

    /// Takes away a parked effect.
    public static func remove(_ key: String) -> Command { Command(step: .remove(key: key)) }

    /// Makes a worker the one that carries effects out, unless another was active since this one looked.
    static func begin(_ worker: Worker, since activity: Int, tries: Int) -> Command {
      Command(step: .begin(worker: worker, since: activity, tries: tries))
    }

    static func goOn(_ worker: String) -> Command { Command(step: .goOn(worker: worker)) }

    static func end(_ worker: String) -> Command { Command(step: .end(worker: worker)) }

    static func succeed(_ worker: String, _ key: String) -> Command {
      Command(step: .succeed(worker: worker, key: key))
    }

    static func fail(_ worker: String, _ key: String, _ reason: String, tries: Int) -> Command {
      Command(step: .fail(worker: worker, key: key, reason: reason, tries: tries))
    }
  }

  fileprivate enum Step: Codable {
    case begin(worker: Worker, since: Int, tries: Int)
    case goOn(worker: String)
    case end(worker: String)
    case succeed(worker: String, key: String)
    case fail(worker: String, key: String, reason: String, tries: Int)
    case retry(key: String)
    case remove(key: String)
  }

  /// Call it in the state's `apply` for each command of the outbox.
  public mutating func apply(_ command: Command) {
    switch command.step {
    case .begin(let new, let known, let tries):
      guard known == activity else { return }
      // The effect may have ended its machine.
      if let worker, worker.hasBegun {
        failFirst("its worker (\(worker.name)) was gone", tries: tries)
      }
      worker = new
      noteActivity(of: new.name)
    case .goOn(let name):
      noteActivity(of: name)
    case .end(let name):
      noteActivity(of: name)
      if worker?.name == name { worker = nil }
    case .succeed(let name, let key):
      // Also one that was replaced, or that another has parked: it is done.
      waiting.removeAll { $0.key == key }
      parked.removeAll { $0.key == key }
      noteActivity(of: name)
    case .fail(let name, let key, let reason, let tries):
      guard worker?.name == name, waiting.first?.key == key else { return }
      failFirst(reason, tries: tries)
      noteActivity(of: name)
    case .retry(let key):
      guard let place = parked.firstIndex(where: { $0.key == key }) else { return }
      let item = parked.remove(at: place)
      add(item.effect, key: key)
    case .remove(let key):
      parked.removeAll { $0.key == key }
    }
  }

  private mutating func failFirst(_ reason: String, tries: Int) {
    guard !waiting.isEmpty else { return }
    waiting[0].tries += 1
    waiting[0].failure = reason
    if waiting[0].tries >= tries { parked.append(waiting.removeFirst()) }
  }

  private mutating func noteActivity(of name: String) {
    guard worker?.name == name else { return }
    activity += 1
    worker?.hasBegun = !waiting.isEmpty
  }
}
