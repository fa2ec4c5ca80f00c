typealias Element = SIMD64<UInt8>

func sample(_ number: Int) -> Element { SIMD64(repeating: UInt8(truncatingIfNeeded: number)) }
