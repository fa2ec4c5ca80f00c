struct Empty: Sendable {}

typealias Element = Empty

func sample(_ number: Int) -> Element { Empty() }
