//# StateOutlet.combine(name, password)
func example(name: StateOutlet<String>, password: StateOutlet<String>) {
/*block*/
}

//# rows[$0].title.value
struct Row: Sendable { let title: StateOutlet<String> }
func example(selection: StateOutlet<Int>, rows: [Row]) {
/*block*/
}

//# account.flatMap
struct Account: Sendable { let unreadCount: StateOutlet<Int> }
func example(account: StateOutlet<Account>) {
/*block*/
}

//# untracked {
func example(price: StateOutlet<Double>, rate: StateOutlet<Double>) {
/*block*/
}
