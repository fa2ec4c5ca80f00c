/// One log, or one derived inlet, as a recording watches it.
final class TapedLog: LogTap {
  let owner: Tape
  let lane: Int
  private let kind: Flow.LaneKind
  /// Whether the name says, or may say, that nothing of the elements is to be seen.
  let isSecret: Bool

  init(_ name: LaneName, on tape: Tape, kind: Flow.LaneKind) {
    owner = tape
    self.kind = kind
    isSecret = name.isMadeUp || tape.describer.isSecret(name.name)
    lane = tape.addLane(Flow.Lane(name: name.name, owner: name.owner, kind: kind))
  }

  var isInput: Bool { kind == .input }

  var tape: ObjectIdentifier { ObjectIdentifier(owner) }

  /// What came through an inlet that is named like a secret is one in each lane.
  func describe(_ element: Any, through vias: [Via]) -> String {
    isSecret || vias.contains(where: owner.isSecret) ? "…" : owner.describer.describe(element)
  }

  func shown(_ words: String) -> String { isSecret ? "…" : words }

  func note(_ step: LogStep) -> Int? { owner.note(step, in: lane) }

  func flow() -> String { FlowText(owner.flow, showsTimes: true).text }

  func keeps(_ element: Int) -> Bool { owner.keeps(element) }
}
