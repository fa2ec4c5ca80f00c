typealias Element = Int

func sample(_ number: Int) -> Element { number }
