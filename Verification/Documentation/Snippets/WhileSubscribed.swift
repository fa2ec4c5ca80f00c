//# _positions.whileSubscribed
@MainActor final class GPS {
  @Output var positions: Outlet<Int>
}

@MainActor final class Example {
  let _positions = Output<Int>()
  let gps = GPS()

/*block*/
}
