typealias Element = (Int, name: String)

func sample(_ number: Int) -> Element { (number, name: "\(number)") }
