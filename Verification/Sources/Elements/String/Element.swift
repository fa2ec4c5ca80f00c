typealias Element = String

/// Now in the string itself, now on the heap.
func sample(_ number: Int) -> Element {
  String(repeating: "\(number) ", count: number.isMultiple(of: 2) ? 1 : 10)
}
