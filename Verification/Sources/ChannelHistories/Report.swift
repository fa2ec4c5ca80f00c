/// A failure as text: the seed, the steps, and what differs.
struct Report {
  private let failure: Work.Failure

  init(_ failure: Work.Failure) {
    self.failure = failure
  }

  var text: String {
    let steps = failure.mismatch.steps.map { "  \($0)" }.joined(separator: "\n")
    return """
      FAILED: the library does not do what the model says; to see it again:
        ChannelHistories --seed \(failure.seed) --histories 1
      On \(failure.history.setup), after these steps, as few as were found:
      \(steps)
      \(differences.joined(separator: "\n"))
      """
  }

  private var differences: [String] {
    let (expected, got) = (failure.mismatch.expected, failure.mismatch.got)
    var lines: [String] = []
    func compare<Part: Equatable>(_ name: String, _ expected: Part, _ got: Part) {
      if expected != got { lines.append("\(name): expected \(expected), got \(got)") }
    }
    compare("sent to (nil: finished)", text(expected.sent), text(got.sent))
    compare("subscriberCount", text([expected.subscriberCount]), text([got.subscriberCount]))
    compare("counts of subscribers published", expected.countChanges, got.countChanges)
    compare("value", text([expected.value]), text([got.value]))
    for (expected, got) in zip(expected.subscribers, got.subscribers) {
      compare("s\(expected.number), droppedCount", expected.dropped, got.dropped)
      compare("s\(expected.number), pendingCount", expected.pending, got.pending)
    }
    for (expected, got) in zip(expected.consumers, got.consumers) {
      compare("c\(expected.number), taken", expected.taken, got.taken)
      compare("c\(expected.number), has ended", expected.hasEnded, got.hasEnded)
    }
    for (expected, got) in zip(expected.settlings, got.settlings) {
      compare("w\(expected.number), has settled", text(expected.result), text(got.result))
    }
    compare("elements in memory", expected.alive.sorted(), got.alive.sorted())
    return lines
  }

  private func text(_ hasSettled: Bool?) -> String {
    hasSettled.map { "\($0)" } ?? "not returned"
  }

  private func text(_ numbers: [Int?]) -> String {
    numbers.map { $0.map(String.init) ?? "nil" }.joined(separator: ", ")
  }
}
