import AsyncChannels

extension Flow {
  /// A lane with what it belongs to: `AuthViewModel.signIn`.
  func title(of lane: Int) -> String {
    let lane = lanes[lane]
    return (lane.owner.isEmpty ? lane.name : "\(lane.owner).\(lane.name)").printable
  }

  /// The whole in words: for readers who cannot see it.
  var inWords: String {
    let words = FlowWords(self, showsTimes: false)
    let lanes = activeLanes
    var sentences = [
      "\(events.count) events in \(lanes.count) lanes: "
        + lanes.map { lane in
          "\(title(of: lane)), \(events.count { $0.lane == lane && $0.kind == .sent }) sent"
        }.joined(separator: "; ") + "."
    ]
    if let leftOutWords { sentences.append("\(leftOutWords).") }
    for event in events where event.kind != .taken {
      sentences.append("\(title(of: event.lane)): \(words.sentence(event)).")
    }
    return sentences.joined(separator: "\n")
  }
}
