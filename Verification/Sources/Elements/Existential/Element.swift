protocol Shape: Sendable {}

struct Circle: Shape {
  var radius: Int
}

/// Too large for the existential's own room.
struct Box: Shape {
  var corners: (Int, Int, Int, Int)
}

typealias Element = any Shape

func sample(_ number: Int) -> Element {
  number.isMultiple(of: 2) ? Circle(radius: number) : Box(corners: (number, 1, 2, 3))
}
