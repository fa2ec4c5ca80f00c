/// 128 bytes.
typealias Element = SIMD16<Double>

func sample(_ number: Int) -> Element { SIMD16(repeating: Double(number)) }
