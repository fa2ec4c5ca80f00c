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
    // The main actor's thread takes jobs meanwhile.
    Operation("value-write-once-read", isConcurrent: true) { times in
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
  ]
}
