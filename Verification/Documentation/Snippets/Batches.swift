struct Changes: Sendable {
  let changes: Outlet<Int>
}

@MainActor final class Table {
  func apply(_ changes: [Int]) {}
}

//# viewModel.changes.batches
@MainActor func example(viewModel: Changes, table: Table, _commands: Input<Command>) async {
/*block*/
}
