//# await rows.runningEach
@MainActor func example(rows: StateOutlet<[any ViewModel]>) async {
/*block*/
}
