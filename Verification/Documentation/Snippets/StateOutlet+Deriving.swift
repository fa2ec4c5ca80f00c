//# StateOutlet.combine(name, password)
func example(name: StateOutlet<String>, password: StateOutlet<String>) {
/*block*/
}
//# memberCount.map
func example(memberCount: StateOutlet<Int>) {
/*block*/
}
//# selection.flatMap
struct Row: Sendable {
  let text: StateOutlet<String>
}

func example(selection: StateOutlet<Int>, rows: [Row]) {
/*block*/
}
//# untracked
struct Entry: Sendable {
  let text: String
  let author: String

  init(_ text: String, by author: String) {
    (self.text, self.author) = (text, author)
  }
}

func example(draft: StateOutlet<String>, user: StateOutlet<String>) {
/*block*/
}
//# tracking
func example(numbers: StateOutlet<[Int]>, offset: StateOutlet<Int>) {
/*block*/
}
