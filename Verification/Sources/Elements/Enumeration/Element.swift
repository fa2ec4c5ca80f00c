enum Event: Sendable {
  case began
  case moved(to: SIMD2<Double>)
  case failed(any Error)
  indirect case after(Event)
}

struct Failure: Error {
  var code: Int
}

typealias Element = Event

func sample(_ number: Int) -> Element {
  switch number % 4 {
  case 0: .began
  case 1: .moved(to: SIMD2(Double(number), 0))
  case 2: .failed(Failure(code: number))
  default: .after(.failed(Failure(code: number)))
  }
}
