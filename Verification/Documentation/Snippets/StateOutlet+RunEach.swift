//# await rows.runEach
@MainActor func example(rows: StateOutlet<[any ViewModel]>) async {
/*block*/
}
