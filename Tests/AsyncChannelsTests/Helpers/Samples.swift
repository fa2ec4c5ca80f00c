import AsyncChannels

/// Counts of elements around the boundaries of segments, which hold up to 64.
let countsAroundSegments = [1, 63, 64, 65, 127, 128, 129, 1000]

extension BufferingPolicy {
  /// The policies under which nobody who is owed this many elements loses one.
  static func roomy(for count: Int) -> [BufferingPolicy] {
    [.unbounded, .bufferingNewest(max(1, count)), .bufferingOldest(max(1, count))]
  }
}

/// An element that says who sent it, as which of its elements.
struct Stamp: Sendable, Hashable {
  let sender: Int
  let number: Int
}

extension Inlet<Stamp> {
  /// Sends this many elements of one sender, in order.
  func send(_ count: Int, from sender: Int) {
    for number in 0..<count { send(Stamp(sender: sender, number: number)) }
  }
}

extension Sequence<Stamp> {
  /// The numbers of one sender's elements.
  func numbers(of sender: Int) -> [Int] {
    filter { $0.sender == sender }.map(\.number)
  }
}

/// A channel and a subscription to it, for each kind of upstream and each place where elements can wait.
func channelsWithSubscriptions() -> [(Channel<Int>, Subscription<Int>)] {
  let subscribers: [(Outlet<Int>) -> Subscription<Int>] = [
    { $0.subscribe() },
    { $0.subscribe(buffering: .bufferingOldest(100_000)) },
    { $0.map { $0 }.filter { _ in true }.subscribe() },
  ]
  return subscribers.map { subscribe in
    let channel = Channel<Int>()
    return (channel, subscribe(channel.outlet))
  }
}
