import AsyncChannels

/// What a history is made on.
struct Setup: Sendable {
  /// A `CurrentValue`, which holds element 0 from the beginning, rather than a `Channel`.
  var isCurrentValue = false
  var replays = 0
  var policy = BufferingPolicy.unbounded
  /// Whether elements are so large that a segment of the log has room for four only.
  var isWide = false
}

/// One step of a history. Subscribers and consumers are named by the numbers of their steps.
enum Step: Sendable {
  enum Way: Sendable {
    case owner, inlet, update
  }

  case send(count: Int, replayed: Bool, by: Way)
  case subscribe(Int, policy: BufferingPolicy?, isDerived: Bool)
  /// A task that takes up to so many elements with one iterator, and pauses after each `pace` of
  /// them; or takes all in batches of at most so many, and pauses after each. It does nothing before
  /// it is run.
  case consume(Int, of: Int, wanted: Int, pace: Int, inBatches: Bool)
  /// Lets the task of a consumer run until it ends, sleeps or pauses.
  case run(Int)
  /// A consumer, or one that settles.
  case cancel(Int)
  /// Drops the runner's reference to a subscription; its consumers have theirs.
  case drop(Int)
  /// A task that waits until the subscribers have settled.
  case settle(Int)
  case finish
  case dropOwner
}

/// What can be seen from outside after a step.
struct Observation: Equatable {
  struct Subscriber: Equatable {
    let number: Int
    var dropped = 0
    var pending = 0
  }

  struct Consumer: Equatable {
    let number: Int
    var taken: [Int] = []
    var hasEnded = false
  }

  struct Settling: Equatable {
    let number: Int
    /// What `waitUntilSettled()` has returned; nil while it waits.
    var result: Bool?
  }

  /// For each element that was sent in this step: to how many, or nil if the channel was finished.
  var sent: [Int?] = []
  /// Nil where there is nobody to ask.
  var subscriberCount: Int?
  /// How many counts of subscribers were published, the first one included.
  var countChanges = 1
  /// A current value's value.
  var value: Int?
  /// Those to which the runner has a reference.
  var subscribers: [Subscriber] = []
  var consumers: [Consumer] = []
  var settlings: [Settling] = []
  /// The elements that are in memory.
  var alive: Set<Int> = []
}

extension Setup: CustomStringConvertible {
  var description: String {
    let kind = isCurrentValue ? "CurrentValue(0)" : "Channel(replaying: \(replays), \(policy))"
    return kind + (isWide ? ", of elements of 1 KiB" : "")
  }
}

extension Step: CustomStringConvertible {
  var description: String {
    switch self {
    case .send(let count, let replayed, let way):
      "send \(count)\(replayed ? "" : ", not replayed,") by \(way)"
    case .subscribe(let number, let policy, let isDerived):
      "s\(number) = subscribe(\(policy.map { "\($0)" } ?? ""))\(isDerived ? ", derived" : "")"
    case .consume(let number, let subscriber, let wanted, let pace, let inBatches):
      "c\(number) = a task that takes \(wanted == .max ? "all" : "\(wanted)") of s\(subscriber)"
        + (inBatches ? ", in batches" : "") + (pace == .max ? "" : ", \(pace) at a time")
    case .run(let number): "run c\(number)"
    case .cancel(let number): "cancel c\(number), or w\(number)"
    case .drop(let number): "drop s\(number)"
    case .settle(let number): "w\(number) = a task that waits until it has settled"
    case .finish: "finish"
    case .dropOwner: "drop the owner"
    }
  }
}
