struct Row: Sendable {
  var first: Int
  var second = 0
  var third = 0
  var last: Int
}

/// 200 bytes, a reference among them.
struct Large: Sendable {
  var begin: Int
  var rows: (Row, Row, Row, Row, Row)
  var middle: Int
  var name: String
  var end: Int
}

typealias Element = Large

func sample(_ number: Int) -> Element {
  let row = Row(first: number, last: -number)
  return Large(
    begin: number, rows: (row, row, row, row, row), middle: number / 2,
    name: "a name of number \(number)", end: number + 1)
}
