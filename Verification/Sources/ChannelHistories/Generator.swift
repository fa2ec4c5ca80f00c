import AsyncChannels
import Proof

/// Makes random histories: steps of which each makes sense after those before it.
struct Generator {
  private var random: SplitMix64
  private var model: SequentialModel
  private let setup: Setup
  private var steps: [Step] = []
  /// The numbers of all that were ever made; the model knows which of them are still of use.
  private var subscribers: [Int] = []
  private var consumers: [Int] = []
  private var settlings: [Int] = []

  static func history(seed: UInt64) -> (setup: Setup, steps: [Step]) {
    var generator = Generator(seed: seed)
    let length = generator.random.number(5...60)
    while generator.steps.count < length { generator.addStep() }
    return (generator.setup, generator.steps)
  }

  private init(seed: UInt64) {
    random = SplitMix64(seed: seed)
    var setup = Setup()
    setup.isCurrentValue = random.oneIn(4)
    setup.isWide = random.oneIn(2)
    if setup.isCurrentValue {
      setup.replays = 1
    } else {
      setup.replays = random.oneIn(2) ? 0 : random.number(1...4)
      setup.policy = Self.policy(&random)
    }
    self.setup = setup
    model = SequentialModel(setup)
  }

  /// Adds the first that makes sense of what comes to mind.
  private mutating func addStep() {
    while true {
      guard let step = anyStep(), model.apply(step) else { continue }
      switch step {
      case .subscribe(let number, _, _): subscribers.append(number)
      case .consume(let number, _, _, _, _): consumers.append(number)
      case .settle(let number): settlings.append(number)
      default: break
      }
      return steps.append(step)
    }
  }

  private mutating func anyStep() -> Step? {
    switch random.number(0...99) {
    case 0..<26: send()
    case 26..<37:
      .subscribe(
        steps.count, policy: random.oneIn(2) ? nil : Self.policy(&random),
        isDerived: random.oneIn(4))
    case 37..<58:
      recent(subscribers).map {
        let wanted = random.oneIn(2) ? Int.max : random.number(1...3)
        let inBatches = wanted == .max && random.oneIn(2)
        let pace = random.oneIn(3) ? random.number(inBatches ? 1...6 : 1...2) : Int.max
        return .consume(steps.count, of: $0, wanted: wanted, pace: pace, inBatches: inBatches)
      }
    case 58..<79: recent(consumers).map { .run($0) }
    case 79..<87: recent(consumers).map { .cancel($0) }
    case 87: recent(settlings).map { .cancel($0) }
    case 88..<93: recent(subscribers).map { .drop($0) }
    case 93..<97: .settle(steps.count)
    case 97: random.oneIn(2) ? .finish : nil
    case 98: random.oneIn(3) ? .dropOwner : nil
    default: nil
    }
  }

  private mutating func send() -> Step {
    // Sometimes more than a segment of the log has room for.
    let count = random.oneIn(20) ? random.number(50...80) : random.number(1...3)
    let ways: [Step.Way] = setup.isCurrentValue ? [.owner, .inlet, .update] : [.owner, .inlet]
    let way = random.pick(ways)
    let replayed = setup.isCurrentValue || way != .owner || !random.oneIn(3)
    return .send(count: count, replayed: replayed, by: way)
  }

  /// Mostly one of the last few, with which something is going on.
  private mutating func recent(_ numbers: [Int]) -> Int? {
    numbers.isEmpty ? nil : random.pick(random.oneIn(3) ? numbers[...] : numbers.suffix(4))
  }

  private static func policy(_ random: inout SplitMix64) -> BufferingPolicy {
    switch random.number(0...3) {
    case 0: .bufferingNewest(random.number(1...4))
    case 1: .bufferingOldest(random.number(1...4))
    default: .unbounded
    }
  }
}
