/// 64 bytes, in a register where there are such.
typealias Element = SIMD16<Float>

func sample(_ number: Int) -> Element { SIMD16(repeating: Float(number)) }
