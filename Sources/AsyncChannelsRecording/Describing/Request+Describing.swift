import AsyncChannels

/// A request, as a recording shows it: by its question, and by what became of it.
protocol DescribedByQuestion {
  var describedQuestion: Any { get }
  /// See `Request.follow`.
  func follow(_ body: @escaping @Sendable (Any?) -> Void)
}

extension Request: DescribedByQuestion {
  var describedQuestion: Any { question }
}

extension Sending {
  /// Adds the reply to the words of a request. If the request's type names a secret, the reply may be one.
  func followReply(to element: Any, in log: LogRecorder) {
    // Nearly all elements are none, and this is cheaper than the cast.
    guard type(of: element) is AnyClass, !log.isSecret,
      let request = element as? any DescribedByQuestion
    else { return }
    let facts = log.owner.describer.types.facts(of: element)
    if facts.isHidden { return }
    request.follow { [pendingText, inletCalls] reply in
      let words = reply.map { reply in
        facts.secretArguments.isEmpty ? log.describe(reply, through: inletCalls) : "…"
      }
      let outcome = words.map { "answered \($0)" } ?? "never answered"
      pendingText.text = Describer.clip("\(pendingText.text), \(outcome)")
    }
  }
}
