import Foundation

/// Runs a loop behind each operator of swift-async-algorithms that holds elements or has tasks of its
/// own, cancels it at every moment there is, runs it again, and counts what became of the elements. Then it runs
/// a debounce in test time, in as many orders.
///
/// `OperatorCycles [CYCLES] [OPERATOR …]`. Exits with 1 if an input lost an element or gave it twice,
/// with 2 after a hang.
@main
struct OperatorCycles {
  static func main() async {
    var names = Array(CommandLine.arguments.dropFirst())
    let count = names.first.flatMap { Int($0) } ?? 500
    if names.first.flatMap({ Int($0) }) != nil { names.removeFirst() }
    let known = Operator.all.map { $0.name }
    guard count > 0, names.allSatisfy(known.contains) else {
      complain("usage: OperatorCycles [CYCLES] [OPERATOR …]\noperators: \(known)")
      exit(64)
    }
    Progress.watch(patience: 60)
    var rows = [Outcome.header]
    var isSound = true
    for subject in Operator.all where names.isEmpty || names.contains(subject.name) {
      let outcome = await Cycles(count, of: subject).run()
      rows.append(outcome.cells)
      if let fault = outcome.fault {
        complain("FAILED: \(subject.name): \(fault)")
        isSound = false
      }
    }
    show(rows)
    if names.isEmpty {
      do {
        try await DebounceInTestTime.run(count)
        print("debounce in test time: as expected in \(count) orders")
      } catch {
        complain("FAILED: debounce in test time: \(error)")
        isSound = false
      }
    }
    exit(isSound ? 0 : 1)
  }

  private static func show(_ rows: [[String]]) {
    let widths = Outcome.header.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    for row in rows {
      let cells = row.indices.map { column in
        let space = String(repeating: " ", count: widths[column] - row[column].count)
        return column == 0 ? row[column] + space : space + row[column]
      }
      print(cells.joined(separator: "  "))
    }
  }
}

extension Outcome {
  /// What this package would have to answer for. An operator may lose what it holds, a loop may not.
  fileprivate var fault: String? {
    if vanished > 0 { return "\(vanished) elements have vanished from the input" }
    if takenTwice > 0 { return "\(takenTwice) elements were taken from the input twice" }
    if name == Operator.plain.name, lost + twice > 0 {
      return "a loop lost \(lost) elements and got \(twice) twice"
    }
    return nil
  }
}
