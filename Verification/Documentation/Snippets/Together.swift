//# await together(
@MainActor final class Row: ViewModel {
  func run() async {}
}

@MainActor final class Example {
  let _query = Input<String>()
  let _remove = Input<Int>()
  @CurrentValue var rows: [Row] = []
  var hits: [String] = []
  let search: @Sendable (String) async -> [String] = { [$0] }

  func remove(_ item: Int) {}

/*block*/
}
