//# StateOutlet.combine(name, password)
func example(name: StateOutlet<String>, password: StateOutlet<String>) {
/*block*/
}
