//# readings, drawn once
func example(readings: Channel<Double>) async {
/*block*/
}

//# drawn as often as there is time
func example(readings: Channel<Double>) async {
/*block*/
}
