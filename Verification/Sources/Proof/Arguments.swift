import Foundation

/// What a program was called with, taken one by one.
package struct Arguments {
  private var rest = CommandLine.arguments.dropFirst()

  /// Runs a program: a wrong argument ends it with a sentence and status 64.
  package static func run(usage: String, _ body: (inout Arguments) throws(UsageError) -> Void) {
    if CommandLine.arguments.dropFirst().contains(where: { ["--help", "-h"].contains($0) }) {
      return print(usage)
    }
    var arguments = Arguments()
    do {
      try body(&arguments)
    } catch {
      complain("error: \(error.sentence)\n\n\(usage)")
      exit(64)
    }
  }

  /// The next option, or nil at the end.
  package mutating func next() -> String? {
    rest.popFirst()
  }

  /// The whole number behind an option.
  package mutating func number<Number: FixedWidthInteger>(
    of option: String, atLeast least: Number
  ) throws(UsageError) -> Number {
    guard let text = rest.popFirst() else { throw UsageError("\(option) takes a number") }
    guard let number = Number(text), number >= least else {
      throw UsageError("\(option) takes a whole number of \(least) or more, not \"\(text)\"")
    }
    return number
  }
}

/// A program was called in a way that it does not know.
package struct UsageError: Error {
  package let sentence: String

  package init(_ sentence: String) {
    self.sentence = sentence
  }

  package static func unknown(_ option: String) -> UsageError {
    UsageError("there is no option \"\(option)\"")
  }
}

/// Writes a line to standard error.
package func complain(_ line: String) {
  FileHandle.standardError.write(Data((line + "\n").utf8))
}
