struct Position: Sendable {}

struct GPS: Sendable {
  let positions = Outlet<Position>.never
}

//# func run() async {
@MainActor final class Example {
  let gps = GPS()
  @Output var positions: Outlet<Position>

/*block*/
}
