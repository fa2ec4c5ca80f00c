//# sensor.isOn = count > 0
@MainActor final class Sensor {
  var isOn = false
}

@MainActor func example(readings: Channel<Double>, sensor: Sensor) async {
/*block*/
}
