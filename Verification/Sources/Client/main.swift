/// What `verify size` weighs.
import AsyncChannels

let channel = Channel<Int>()
let sum = CurrentValue(0)
let outlet = channel.outlet
let reader = Task {
  for await number in outlet { sum.value += number }
}
while channel.subscriberCount == 0 { await Task.yield() }
channel.inlet.send(1)
channel.inlet.send(2)
channel.finish()
await reader.value
print(sum.value)
