/// What `verify size` weighs, with a view model.
import AsyncChannelsRunning

@MainActor
final class Counter: ViewModel {
  @Input var number: Inlet<Int>
  @CurrentValue private(set) var sum = 0

  func run() async {
    await _number.received.answer(by: { $0 }) { _, number in self.sum += number }
  }
}

let counter = Counter()
await withRunning(counter) {
  counter.number.send(1)
  counter.number.send(2)
  for await sum in counter.$sum where sum == 3 { break }
}
print(counter.sum)
