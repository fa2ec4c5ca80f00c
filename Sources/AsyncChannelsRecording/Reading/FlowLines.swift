import AsyncChannels

/// What is recorded, a line of JSON for each event: see the guide *Lines of a recording*.
struct FlowLines: Sendable {
  static let version = 1

  /// The first line.
  let head: String

  init(of program: String, token: String? = nil) {
    let run = String(UInt64.random(in: .min ... .max), radix: 16)
    head = Self.object([
      ("v", "\(Self.version)"), ("program", program.json), ("run", run.json),
      ("token", token?.json),
    ])
  }

  func of(_ batch: FlowBatch) -> String {
    let missed = batch.missed > 0 ? Self.object([("missed", "\(batch.missed)")]) : ""
    return missed + batch.lanes.map { line($0, $1) }.joined()
      + batch.changed.map(change).joined() + batch.events.map(line).joined()
  }

  private func line(_ number: Int, _ lane: Flow.Lane) -> String {
    Self.object([
      ("lane", "\(number)"), ("owner", lane.owner.json), ("name", lane.name.json),
      ("kind", "\(lane.kind)".json), ("value", lane.value?.json),
    ])
  }

  private func line(_ kept: KeptEvent) -> String {
    let event = kept.event
    let isSent = event.kind == .sent
    return Self.object([
      ("id", "\(event.id)"), ("t", "\(event.time.wholeMicroseconds)"), ("in", "\(event.lane)"),
      ("e", "\(event.kind)".json), ("text", isSent ? (kept.pendingText?.text ?? "…").json : nil),
      ("of", isSent ? nil : event.element.map { "\($0)" }),
      ("cause", event.cause.map { "\($0)" }), ("to", isSent ? "\(event.receivers)" : nil),
      ("sub", event.subscription.map { "\($0)" }),
      ("via", event.inlets.isEmpty ? nil : "\(event.inlets)"), ("task", "\(event.actor)".json),
      ("done", event.done.map { "\($0.wholeMicroseconds)" }),
    ])
  }

  private func change(_ kept: KeptEvent) -> String {
    Self.object([
      ("more", "\(kept.event.id)"),
      ("text", kept.event.kind == .sent ? kept.pendingText?.known?.json : nil),
      ("done", kept.event.done.map { "\($0.wholeMicroseconds)" }),
    ])
  }

  private static func object(_ fields: [(String, String?)]) -> String {
    let parts = fields.compactMap { name, value in value.map { "\"\(name)\":\($0)" } }
    return "{" + parts.joined(separator: ",") + "}\n"
  }
}

extension Duration {
  fileprivate var wholeMicroseconds: Int64 {
    components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
  }
}
