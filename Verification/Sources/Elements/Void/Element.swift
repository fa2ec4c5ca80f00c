typealias Element = Void

func sample(_ number: Int) -> Element {}
