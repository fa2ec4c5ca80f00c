import AsyncChannels
import Proof

/// A channel's listeners beside those of a bare `AsyncStream`: where the one's are called, the
/// other's are.
@MainActor
enum Comparison {
  private final class Heard {
    var stream: [Int] = []
    var outlet: [Int] = []
    var observed: [Int] = []
    var state: [Int] = []
  }

  static func check() async {
    let heard = Heard()
    let channel = Channel<Int>()
    let value = CurrentValue(0)
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    let subscription = channel.outlet.subscribe()
    let states = value.outlet.subscribe()
    let loops = [
      Task { for await number in stream { heard.stream.append(number) } },
      Task { for await number in subscription { heard.outlet.append(number) } },
      Task { for await number in states { heard.state.append(number) } },
    ]
    let token = channel.outlet.observe { number in heard.observed.append(number) }
    let activity = Activity(0)
    for number in 1...100 {
      activity.note("comparing, element", number)
      continuation.yield(number)
      channel.send(number)
      value.value = number
      // Some find their listeners asleep, others come while these are on their way.
      if number.isMultiple(of: 3) {
        while heard.stream.count < number || heard.observed.count < number { await Task.yield() }
      }
    }
    continuation.finish()
    channel.finish()
    value.finish()
    for loop in loops { await loop.value }
    while heard.observed.count < 100 { await Task.yield() }
    token.cancel()
    let all = Array(1...100)
    guard heard.stream == all, heard.outlet == all, heard.observed == all, heard.state == [0] + all
    else {
      fail(
        """
        AsyncStream gave \(heard.stream), the outlet \(heard.outlet), observe \(heard.observed), the \
        value \(heard.state)
        """)
    }
  }
}
