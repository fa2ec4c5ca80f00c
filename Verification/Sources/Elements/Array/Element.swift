typealias Element = [Int]

func sample(_ number: Int) -> Element { Array(0..<number % 5) + [number] }
