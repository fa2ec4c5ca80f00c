import AsyncChannels
import Observation
import OpenCombine

/// State that is made of state, and the same with other means.
extension Operation {
  static let derived = [
    Operation("read-combine-map") { times in
      let (one, two) = (CurrentValue(1), CurrentValue(2))
      let both = StateOutlet.combine(one.outlet, two.outlet).map { $0 &+ $1 }
      var sum = 0
      for _ in 0..<times { sum += both.value }
      return sum == 3 * times
    },
    // On the main actor, which is told that what was read has changed: elsewhere, it would be now and then.
    Operation("write-and-read-combine-map") { @MainActor times in
      let (one, two) = (CurrentValue(0), CurrentValue(0))
      let both = StateOutlet.combine(one.outlet, two.outlet).map { $0 &+ $1 }
      for number in 1...times {
        one.value = number
        if both.value != number { return false }
      }
      return true
    },
    Operation("read-combine-map-anew") { times in
      let (one, two) = (CurrentValue(1), CurrentValue(2))
      var sum = 0
      for _ in 0..<times {
        sum += StateOutlet.combine(one.outlet, two.outlet).map { $0 &+ $1 }.value
      }
      return sum == 3 * times
    },
    // One part is reached in two ways.
    Operation("read-diamond") { times in
      let value = CurrentValue(1)
      let both = StateOutlet.combine(value.outlet, value.outlet.map { $0 &+ 1 })
      var sum = 0
      for _ in 0..<times { sum += both.value.1 }
      return sum == 2 * times
    },
    Operation("write-and-read-diamond") { @MainActor times in
      let value = CurrentValue(0)
      let both = StateOutlet.combine(value.outlet, value.outlet.map { $0 &+ 1 })
      for number in 1...times {
        value.value = number
        if both.value.1 != number + 1 { return false }
      }
      return true
    },
    Operation("write-and-read-cellx-1000", times: 8) { @MainActor times in
      let states = (1...4).map { CurrentValue($0) }
      let last = cellx(layers: 1_000, on: states.map(\.outlet))[1_000]
      for number in 1...times {
        states[0].value = number
        // Every layer but the first is made of it.
        if last.map(\.value).count != 4 { return false }
      }
      return true
    },
    // From the last to the first: what a follower finds out serves those of what it is made of.
    Operation("follow-each-of-cellx-1000", times: 2, isConcurrent: true) { times in
      (0..<times).allSatisfy { _ in
        let states = (1...4).map { CurrentValue($0) }
        let layers = cellx(layers: 1_000, on: states.map(\.outlet)).dropFirst()
        let followers = layers.reversed().map { $0.map { $0.subscribe() } }
        return withExtendedLifetime(followers) { states[0].subscriberCount > 1_000 }
      }
    },
    Operation("write-and-follow-map") { times in
      let value = CurrentValue(0)
      let iterator = value.outlet.map { $0 &+ 1 }.makeAsyncIterator()
      return await follow(iterator, times) { value.value = $0 } == times + 1
    },
    Operation("write-and-follow-combine-map") { times in
      let (one, two) = (CurrentValue(0), CurrentValue(0))
      let sums = StateOutlet.combine(one.outlet, two.outlet).map { $0 &+ $1 }
      let iterator = sums.makeAsyncIterator()
      return await follow(iterator, times) { one.value = $0 } == times
    },
    Operation("write-and-follow-one-of-1000", times: 64) { times in
      let (states, sum) = thousandFolded()
      let iterator = sum.makeAsyncIterator()
      return await follow(iterator, times) { states[500].value = $0 } == times
    },
    Operation("write-and-follow-combine-of-1000", times: 64) { times in
      let states = (0..<1_000).map { _ in CurrentValue(0) }
      let iterator = StateOutlet.combine(states.map(\.outlet)).map { $0[500] }.makeAsyncIterator()
      return await follow(iterator, times) { states[500].value = $0 } == times
    },
    Operation("fold-1000-states", times: 8) { times in
      (0..<times).allSatisfy { _ in
        let (states, sum) = thousandFolded()
        return withExtendedLifetime(states) { sum.value == 0 }
      }
    },
    Operation("send-and-take-map") { times in
      let channel = Channel<Int>()
      let iterator = channel.outlet.map { $0 &+ 1 }.makeAsyncIterator()
      channel.send(0)
      return await follow(iterator, times) { channel.send($0) } == times + 1
    },
    // The closure runs at once, at each write. (OpenCombine 0.14 has no `combineLatest`.)
    Operation("write-and-sink-map-OpenCombine") { times in
      let value = CurrentValueSubject<Int, Never>(0)
      let last = Last()
      let sink = value.map { $0 &+ 1 }.sink { last.value = $0 }
      for number in 1...times { value.value = number }
      return withExtendedLifetime(sink) { last.value == times + 1 }
    },
    Operation("read-computed-Observable") { times in
      let pair = Pair()
      var sum = 0
      for _ in 0..<times { sum += pair.sum }
      return sum == 3 * times
    },
    // A reader that reads again whenever it is told, without waiting for it.
    Operation("write-and-track-computed-Observable", isConcurrent: true) { times in
      let pair = Pair()
      var sum = 0
      for number in 1...times {
        sum = withObservationTracking {
          pair.sum
        } onChange: {
        }
        pair.one = number
      }
      return sum == times + 1
    },
  ]
}

private final class Last {
  var value = 0
}

@Observable
private final class Pair {
  var one = 1
  var two = 2
  var sum: Int { one &+ two }
}

/// Takes what is there, and then each element that a write gives. Returns the last.
private func follow(
  _ iterator: AsyncChannels.Subscription<Int>.Iterator, _ times: Int, _ write: (Int) -> Void
) async -> Int? {
  var last = await iterator.next()
  for number in 1...times {
    write(number)
    last = await iterator.next()
  }
  return last
}

/// Each is combined with what was made of those before.
private func thousandFolded() -> ([CurrentValue<Int>], StateOutlet<Int>) {
  let states = (0..<1_000).map { _ in CurrentValue(0) }
  let sum = states.dropFirst().reduce(states[0].outlet) {
    StateOutlet.combine($0, $1.outlet).map { $0 &+ $1 }
  }
  return (states, sum)
}

/// Four states for each layer, made of those of the layer before.
private func cellx(layers count: Int, on states: [StateOutlet<Int>]) -> [[StateOutlet<Int>]] {
  (0..<count).reduce(into: [states]) { layers, number in
    let last = layers[number]
    layers.append([
      last[1].map { $0 }, StateOutlet.combine(last[0], last[2]).map { $0 &- $1 },
      StateOutlet.combine(last[1], last[3]).map { $0 &+ $1 }, last[2].map { $0 },
    ])
  }
}
