import AsyncChannels

extension Operation {
  static let values = [
    Operation("value-read") { times in
      let value = CurrentValue(1)
      var sum = 0
      for _ in 0..<times { sum += value.value }
      return sum == times
    },
    Operation("value-write") { times in
      let value = CurrentValue(0)
      for number in 1...times { value.value = number }
      return value.value == times
    },
    Operation("value-write-once-read") { times in
      let value = CurrentValue(0)
      guard value.value == 0 else { return false }
      for number in 1...times { value.value = number }
      return value.value == times
    },
    Operation("value-update") { times in
      let value = CurrentValue(0)
      for _ in 0..<times { value.update { $0 += 1 } }
      return value.value == times
    },
    Operation("value-update-of-an-array-of-100000") { times in
      let list = CurrentValue(Array(repeating: 0, count: 100_000))
      for number in 0..<times { list.update { $0[number % 100_000] = number } }
      return list.value.count == 100_000
    },
    Operation("read-combine-map") { times in
      let (one, two) = (CurrentValue(1), CurrentValue(2))
      let both = StateOutlet.combine(one.outlet, two.outlet).map { $0 &+ $1 }
      var sum = 0
      for _ in 0..<times { sum += both.value }
      return sum == 3 * times
    },
    Operation("read-combine-map-anew") { times in
      let (one, two) = (CurrentValue(1), CurrentValue(2))
      var sum = 0
      for _ in 0..<times {
        sum += StateOutlet.combine(one.outlet, two.outlet).map { $0 &+ $1 }.value
      }
      return sum == 3 * times
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
    Operation("send-and-take-map") { times in
      let channel = Channel<Int>()
      let iterator = channel.outlet.map { $0 &+ 1 }.makeAsyncIterator()
      channel.send(0)
      return await follow(iterator, times) { channel.send($0) } == times + 1
    },
  ]
}

/// Takes what is there, and then each element that a write gives. Returns the last.
private func follow(
  _ iterator: Subscription<Int>.Iterator, _ times: Int, _ write: (Int) -> Void
) async -> Int? {
  var last = await iterator.next()
  for number in 1...times {
    write(number)
    last = await iterator.next()
  }
  return last
}
