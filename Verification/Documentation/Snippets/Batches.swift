//# table.apply(changes)
@MainActor final class Table {
  func apply(_ changes: [Int]) {}
}

@MainActor final class ChangingViewModel {
  @Output var changes: Outlet<Int>
  let _commands = Input<Command>()

  func example(viewModel: ChangingViewModel, table: Table) async {
/*block*/
  }
}
