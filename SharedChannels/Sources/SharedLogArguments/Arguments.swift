import Foundation
package import SharedChannels
import SharedLogPostgreSQL
import SharedLogSQLite

/// The arguments of a program that opens a log, taken from the first on.
package struct Arguments {
  private var rest: ArraySlice<String>

  /// How to name a log, in a usage.
  package static let log =
    "LOG is sqlite PATH, postgres ADDRESS SCHEMA, or postgres-logs ADDRESS SCHEMA NAME."

  package init(_ arguments: some Collection<String>) {
    rest = Array(arguments)[...]
  }

  package var isEmpty: Bool { rest.isEmpty }

  package mutating func next() throws(WrongUsage) -> String {
    guard let argument = rest.popFirst() else { throw WrongUsage("an argument is missing") }
    return argument
  }

  /// Takes the next one if it is this word.
  package mutating func skip(_ word: String) -> Bool {
    guard rest.first == word else { return false }
    rest.removeFirst()
    return true
  }

  package mutating func number() throws(WrongUsage) -> Int {
    let text = try next()
    guard let number = Int(text), number >= 0 else { throw WrongUsage("\(text) is not a number") }
    return number
  }

  /// - Parameter isThere: Whether a file that is missing is refused, and not made.
  package mutating func openLog(isThere: Bool = false) throws -> any SharedLog {
    switch try next() {
    case "sqlite":
      let path = try next()
      if isThere, !FileManager.default.fileExists(atPath: path) {
        throw LogFailure.refused("there is no file \(path)")
      }
      return try SQLiteLog(path: path)
    case "postgres":
      let address = try PostgresAddress(try next())
      return PostgresLog(address, schema: try name())
    case "postgres-logs":
      let address = try PostgresAddress(try next())
      return try PostgresLogs(address, schema: try name()).log(try next())
    case let name: throw WrongUsage("there is no engine \(name)")
    }
  }

  /// The engines trap at other names.
  private mutating func name() throws(WrongUsage) -> String {
    let name = try next()
    guard name.wholeMatch(of: /[a-z][a-z0-9_]{0,50}/) != nil else {
      throw WrongUsage("\"\(name)\" is not a log's name: a-z, then at most 50 of a-z, 0-9 and _")
    }
    return name
  }

  package func end() throws(WrongUsage) {
    if let argument = rest.first { throw WrongUsage("\(argument) is one argument too many") }
  }
}

package struct WrongUsage: Error {
  package let reason: String

  package init(_ reason: String) {
    self.reason = reason
  }
}
