/// One line of input, without its end.
enum InputLine: Sendable, Equatable {
  case text(String)
  /// It had more bytes than `limit`, and was not kept.
  case tooLong(limit: Int)
  case notUTF8

  init(_ bytes: some Collection<UInt8>) {
    if let text = String(validating: bytes, as: UTF8.self) {
      self = .text(text)
    } else {
      self = .notUTF8
    }
  }
}

/// Where a demo's lines come from.
protocol LineSource: Sendable {
  /// The next line; nil at the end of input.
  func next() async throws -> InputLine?
}
