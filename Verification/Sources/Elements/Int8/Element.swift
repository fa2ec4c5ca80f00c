typealias Element = Int8

func sample(_ number: Int) -> Element { Int8(truncatingIfNeeded: number) }
