import AsyncChannels

/// What a call of `answer` was told, with the types of its elements. `AnswerRules` is the rest.
struct AnswerOptions<Element: Sendable>: Sendable {
  var rules: AnswerRules
  let clock: DebounceClock
  let debounce: Debounce<Element>?
  let overlap: OverlapRule<Element>
  let ignored: Inlet<Element>?
  let abandoned: (@isolated(any) @Sendable (Element) -> Void)?

  init(
    _ overlap: OverlapRule<Element>, _ debounce: Debounce<Element>?, _ interval: Duration?,
    on clock: some Clock<Duration>, _ busy: Inlet<Bool>?, _ isBusyFromArrival: Bool,
    _ ignored: Inlet<Element>?,
    _ abandoned: (@isolated(any) @Sendable (Element) -> Void)?
  ) {
    if let interval { requirePositive(interval, "An answer to \(Element.self) cannot begin every") }
    let debounces = debounce.map { $0.fixed != .zero } == true
    if overlap.fixed == nil, debounces || interval != nil {
      Misuse.trap(
        "An answer to \(Element.self) with .each or keys cannot have a pause: it would lose commands."
      )
    }
    let clock = DebounceClock(clock)
    self.clock = clock
    let pause = Pause(
      debounces: debounces, atLatestAfter: debounce?.latest, interval.map { Throttle($0, clock) },
      on: clock)
    self.debounce = debounce
    self.overlap = overlap
    (self.ignored, self.abandoned) = (ignored, abandoned)
    rules = AnswerRules(
      overlap: overlap.fixed, limit: overlap.limit,
      pause: debounces || interval != nil ? pause : nil, busy: busy,
      isBusyFromArrival: isBusyFromArrival, tellsIgnored: ignored != nil,
      tellsAbandoned: abandoned != nil)
  }
}
