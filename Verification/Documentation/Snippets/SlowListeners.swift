//# readings, drawn once
func example(readings: Channel<Double>) async {
/*block*/
}
