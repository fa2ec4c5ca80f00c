import AsyncChannelsRunning
import AsyncChannelsTesting
import Proof

/// A use of the library that it documents as a programmer's error.
struct Mistake: Sendable {
  let name: String
  /// What it must say.
  let sentence: String
  let make: @Sendable () -> Void

  private init(
    _ name: String, says sentence: String, _ make: @escaping @Sendable () -> Void
  ) {
    self.name = name
    self.sentence = sentence
    self.make = make
  }

  static let all = buffers + counts + updates + retries + [probe, answer]

  /// The element of most of them: a name to be found in the sentence.
  private struct Greeting: Sendable {}

  private static let buffers = [
    buffer("channel", 0) { _ = Channel<Greeting>(buffering: .bufferingNewest(0)) },
    buffer("negative", -1) { _ = Channel<Greeting>(buffering: .bufferingOldest(-1)) },
    buffer("subscription", 0) {
      _ = Channel<Greeting>().outlet.subscribe(buffering: .bufferingOldest(0))
    },
    buffer("finished", 0) {
      let channel = Channel<Greeting>()
      channel.finish()
      _ = channel.outlet.subscribe(buffering: .bufferingNewest(0))
    },
    buffer("derived", 0) {
      _ = Channel<Greeting>().outlet.map { $0 }.subscribe(buffering: .bufferingNewest(0))
    },
    buffer("just", -3) {
      _ = Outlet.just(Greeting()).subscribe(buffering: .bufferingNewest(-3))
    },
    buffer("input", 0) { _ = Input<Greeting>(buffering: .bufferingOldest(0)) },
    buffer("output", 0) { _ = Output<Greeting>(buffering: .bufferingNewest(0)) },
    buffer("current value", 0) {
      _ = CurrentValue(Greeting()).outlet.subscribe(buffering: .bufferingNewest(0))
    },
  ]

  private static let counts = [
    Mistake("replay", says: "A channel of Greeting cannot replay -1 elements") {
      _ = Channel<Greeting>(replaying: -1)
    },
    Mistake("output's replay", says: "A channel of Greeting cannot replay -2 elements") {
      _ = Output<Greeting>(replaying: -2)
    },
    Mistake("batch", says: "A batch of Greeting cannot have at most 0 elements") {
      _ = Channel<Greeting>().outlet.batches(ofAtMost: 0)
    },
  ]

  private static let updates = [
    update("reading") { value in value.update { $0 += value.value } },
    update("reading the wrapped value") { value in value.update { $0 += value.wrappedValue } },
    update("writing") { value in value.update { _ in value.value = 2 } },
    update("writing the wrapped value") { value in value.update { _ in value.wrappedValue = 2 } },
    update("sending") { value in value.update { _ in _ = value.inlet.send(2) } },
    update("sending to an updating inlet") { value in
      let add = value.inlet(updating: { $0 += $1 })
      value.update { _ in _ = add.send(2) }
    },
    update("updating") { value in value.update { _ in value.update { $0 += 1 } } },
    Mistake("naming it twice", says: "updateTogether was given one CurrentValue<Int> twice") {
      let value = CurrentValue(1)
      updateTogether(value, CurrentValue(2), value) { one, _, other in one = other }
    },
    update("reading derived state") { value in
      let double = value.outlet.map { $0 * 2 }
      _ = double.value
      value.update { $0 = double.value }
    },
    Mistake("a circle", says: "Derived state reads itself") {
      let states = CurrentValue([StateOutlet<Int>]())
      let one = CurrentValue(0).outlet.map { number in states.value.first?.value ?? number }
      states.value = [one.map { $0 + 1 }]
      _ = one.value
    },
  ]

  private static let retries = [
    Mistake("retry's pauses", says: "pauses cannot go from 2.0 seconds to 1.0 seconds") {
      _ = Retry.exponential(from: .seconds(2), upTo: .seconds(1))
    },
    Mistake("retry's attempts", says: "A retry cannot make 0 attempts") {
      _ = Retry.exponential(from: .seconds(1), upTo: .seconds(2), attempts: 0)
    },
    Mistake("retry's jitter", says: "A retry's jitter is not from 0 to 1: 1.5") {
      _ = Retry.exponential(from: .seconds(1), upTo: .seconds(2), jitter: 1.5)
    },
  ]

  private static let probe = Mistake(
    "probe's count", says: "A probe of Int cannot wait for -1 elements"
  ) {
    blocking { _ = try? await Probe(Channel<Int>().outlet).next(-1) }
  }

  private static let answer = Mistake(
    "answer's debounce", says: "A debounce of Int cannot last -1.0 seconds"
  ) {
    _ = Debounce<Int>(.seconds(-1))
  }

  private static func buffer(
    _ name: String, _ count: Int, _ make: @escaping @Sendable () -> Void
  ) -> Mistake {
    Mistake(
      "buffer of \(name)", says: "A subscription to Greeting cannot buffer \(count) elements", make)
  }

  private static func update(
    _ name: String, _ make: @escaping @Sendable (CurrentValue<Int>) -> Void
  ) -> Mistake {
    Mistake("\(name) in update", says: "A CurrentValue<Int> was touched inside its own update") {
      make(CurrentValue(1))
    }
  }
}
