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

  /// A sentence about a line that is not text.
  var problem: String? {
    switch self {
    case .text: nil
    case .tooLong(let limit): "a line is longer than \(limit) bytes; it was ignored"
    case .notUTF8: "a line is not valid UTF-8; it was ignored"
    }
  }
}

/// Where a demo's lines come from.
@MainActor
protocol LineSource {
  /// The next line; nil at the end of input.
  ///
  /// - Parameters:
  ///   - prompt: What to ask with, if a person is asked.
  ///   - isSecret: Whether what is typed stays unseen.
  func next(prompt: String, isSecret: Bool) async throws -> InputLine?
}

extension LineSource {
  func next() async throws -> InputLine? {
    try await next(prompt: "> ", isSecret: false)
  }
}
