import AsyncChannels

//# selected.outlet.flatMap
final class Row: Sendable {
  let title = CurrentValue("")
}
func example(rows: [Row], selected: CurrentValue<Int>) {
/*block*/
}

//# rows.map(\.title.outlet)
final class Row: Sendable {
  let title = CurrentValue("")
}
func example(rows: [Row]) {
/*block*/
}
