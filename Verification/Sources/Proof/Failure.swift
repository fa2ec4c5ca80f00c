import Foundation

/// Ends the program with what went wrong, and what everybody was doing.
package func fail(_ sentence: String) -> Never {
  complain("FAILED: \(sentence)\nAt work were:")
  Activity.printAll()
  exit(1)
}
