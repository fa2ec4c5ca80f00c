final class Object: Sendable, CustomStringConvertible {
  let number: Int

  init(_ number: Int) {
    self.number = number
  }

  var description: String { "object \(number)" }
}

typealias Element = Object?

func sample(_ number: Int) -> Element { number.isMultiple(of: 3) ? nil : Object(number) }
