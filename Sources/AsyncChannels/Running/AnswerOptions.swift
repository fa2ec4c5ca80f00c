/// What a call of `answer` was told, with the types of its elements. `AnswerRules` is the rest.
struct AnswerOptions<Element: Sendable>: Sendable {
  var rules: AnswerRules
  /// If each element has an overlap of its own.
  let overlapOf: @Sendable (Element) -> Overlap
  let ignored: Inlet<Element>?
  let abandoned: (@isolated(any) @Sendable (Element) -> Void)?

  init(
    _ overlap: OverlapRule<Element>, _ debounce: Debounce<Element>?, on clock: some Clock<Duration>,
    _ busy: Inlet<Bool>?, _ isBusyFromArrival: Bool, _ ignored: Inlet<Element>?,
    _ abandoned: (@isolated(any) @Sendable (Element) -> Void)?
  ) {
    if overlap.fixed == nil, debounce != nil {
      Misuse.trap(
        "An answer to \(Element.self) with .each cannot have a debounce: it would lose commands.")
    }
    overlapOf = overlap.of
    (self.ignored, self.abandoned) = (ignored, abandoned)
    rules = AnswerRules(
      overlap: overlap.fixed, pause: debounce?.pause(on: clock), busy: busy,
      isBusyFromArrival: isBusyFromArrival, tellsIgnored: ignored != nil,
      tellsAbandoned: abandoned != nil)
  }
}
