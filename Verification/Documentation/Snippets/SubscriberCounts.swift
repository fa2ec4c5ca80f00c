@MainActor final class Sensor {
  var isOn = false
}

@MainActor let sensor = Sensor()
let readings = Channel<Double>()
