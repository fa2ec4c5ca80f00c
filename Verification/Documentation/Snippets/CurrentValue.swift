enum State {
  case isLoading
}

//# _total.inlet
@MainActor final class Example {
  @CurrentValue var total = 0
/*block*/
}
//# members.update
func example(members: CurrentValue<[Member]>) {
/*block*/
}
