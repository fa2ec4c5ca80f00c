import AsyncChannels

extension Recording {
  /// The flow as trace events in JSON, which [Perfetto](https://ui.perfetto.dev) and Chrome's
  /// `chrome://tracing` open.
  ///
  /// Each owner is a process and each lane a thread. An element is a short slice at the time of its send,
  /// with an arrow from its cause. A track of its own shows how long it waited for each subscription.
  public func perfetto() -> String {
    let flow = flow
    return
      "{\"displayTimeUnit\":\"ms\",\"otherData\":{\"legend\":\(flow.legend.json)},\"traceEvents\":[\n"
      + TraceEvents(flow).all.map(\.json).joined(separator: ",\n") + "\n]}\n"
  }
}

extension Flow {
  /// What is where in Perfetto.
  fileprivate var legend: String {
    let marks = FlowLegend(self).entries.compactMap { entry -> String? in
      switch entry.mark {
      case .event(.sent): "slice: sent"
      case .event(.taken): "bar: waits until it is taken"
      case .event: "mark: \(entry.words)"
      case .cause: "arrow: caused"
      case .inlet: nil
      }
    }
    return marks.joined(separator: "; ")
  }
}

/// The events of a trace in the format of Chrome's trace viewer.
private struct TraceEvents {
  private let flow: Flow
  private let words: FlowWords
  private let owners: [String]
  /// How long the slice of each sent element is: an arrow needs one to begin and to end at, and those
  /// of one lane must not overlap.
  private let lengths: [Int: Double]

  private static let longest = 50.0

  init(_ flow: Flow) {
    self.flow = flow
    words = FlowWords(flow, showsTimes: true)
    owners = flow.owners
    var next: [Int: Double] = [:]
    var lengths: [Int: Double] = [:]
    for event in flow.events.reversed() where event.kind == .sent {
      lengths[event.id] = min(
        Self.longest, (next[event.lane] ?? .infinity) - event.time.microseconds)
      next[event.lane] = event.time.microseconds
    }
    self.lengths = lengths
  }

  var all: [TraceEvent] {
    names + leftOut
      + flow.events.flatMap { event in
        switch event.kind {
        case .sent: [slice(event)] + arrow(event)
        case .taken: wait(event) + [mark(event)]
        default: [mark(event)]
        }
      }
  }

  private var names: [TraceEvent] {
    owners.enumerated().map { number, owner in
      TraceEvent(
        "process_name", "M", pid: number + 1, tid: 0,
        args: [("name", owner.isEmpty ? "channels" : owner.printable)])
    }
      + flow.activeLanes.map { lane in
        TraceEvent(
          "thread_name", "M", pid: process(lane), tid: lane + 1,
          args: [("name", flow.lanes[lane].name.printable)])
      }
  }

  /// Where the first of the others is, and across all lanes.
  private var leftOut: [TraceEvent] {
    guard let words = flow.leftOutWords, let first = flow.events.first else { return [] }
    return [event(first, words, "i", extra: [("s", "\"g\"")])]
  }

  private func process(_ lane: Int) -> Int {
    (owners.firstIndex(of: flow.lanes[lane].owner) ?? 0) + 1
  }

  private func event(
    _ event: Flow.Event, _ name: String, _ phase: String, at time: Duration? = nil,
    extra: [(String, String)] = [], args: [(String, String)] = []
  ) -> TraceEvent {
    TraceEvent(
      name, phase, pid: process(event.lane), tid: event.lane + 1,
      time: (time ?? event.time).microseconds, extra: extra, args: args)
  }

  private func slice(_ event: Flow.Event) -> TraceEvent {
    let through = event.inlets.map { flow.lanes[$0].name.printable }.joined(separator: ", ")
    return self.event(
      event, words.sentence(event), "X", extra: [("dur", "\(lengths[event.id] ?? 0)")],
      args: [("sent to", "\(event.receivers)")] + (through.isEmpty ? [] : [("through", through)]))
  }

  /// From the slice of the cause to that of the effect.
  private func arrow(_ effect: Flow.Event) -> [TraceEvent] {
    guard let cause = effect.cause.flatMap({ words.sent[$0] }) else { return [] }
    let id = [("id", "\(effect.id)"), ("cat", "\"cause\"")]
    return [
      event(cause, "cause", "s", extra: id),
      event(effect, "cause", "f", extra: id + [("bp", "\"e\"")]),
    ]
  }

  private func wait(_ taken: Flow.Event) -> [TraceEvent] {
    guard let sent = taken.element.flatMap({ words.sent[$0] }) else { return [] }
    let id = [("id", "\(taken.id)"), ("cat", "\"wait\"")]
    let name = "\(words.name(taken)) waits"
    return [
      event(taken, name, "b", at: sent.time, extra: id), event(taken, name, "e", extra: id),
    ]
  }

  private func mark(_ event: Flow.Event) -> TraceEvent {
    self.event(event, words.sentence(event), "i", extra: [("s", "\"t\"")])
  }
}

private struct TraceEvent {
  let json: String

  /// - Parameter extra: Further fields, with their values as JSON.
  init(
    _ name: String, _ phase: String, pid: Int, tid: Int, time: Double = 0,
    extra: [(String, String)] = [], args: [(String, String)] = []
  ) {
    let fields =
      [
        ("name", name.json), ("ph", phase.json), ("pid", "\(pid)"), ("tid", "\(tid)"),
        ("ts", "\(time)"),
      ] + extra
      + (args.isEmpty
        ? [] : [("args", "{" + args.map { "\($0.json):\($1.json)" }.joined(separator: ",") + "}")])
    json = "{" + fields.map { "\($0.json):\($1)" }.joined(separator: ",") + "}"
  }
}

extension String {
  /// As JSON, with its quotes.
  var json: String {
    var text = "\""
    for scalar in unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text + "\""
  }
}

extension Duration {
  fileprivate var microseconds: Double {
    Double(components.seconds) * 1_000_000 + Double(components.attoseconds / 1_000_000_000) / 1_000
  }
}
