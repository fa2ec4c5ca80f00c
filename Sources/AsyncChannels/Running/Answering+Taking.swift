/// How the loop of `answer` takes elements.
extension Answering {
  /// How many elements the next work is for: each supersedes those before it.
  var readyCount: Int {
    rules.overlap == .latestOnly ? consumer?.place.pendingCount ?? 1 : 1
  }

  /// The same when those that are there have been quiet.
  func countAfterPause(in group: inout DiscardingTaskGroup) async -> Int {
    guard let pause = rules.pause, let consumer else { return 1 }
    // Or it was rung at the end, which supersedes nothing.
    guard consumer.place.isReadable else { return 0 }
    // In this order: it does not cease to be busy.
    if rules.isBusyInPause { turns.expect() }
    if rules.supersedesAtArrival, consumer.place.isPlain { drop(turns.supersedeAll(), in: &group) }
    return await consumer.place.wait(for: pause)
  }

  func takeNext(from source: any AnswerSource) -> Turn<Element>? {
    guard case .element(let turn) = turns.take(source.take) else { return nil }
    return own(turn)
  }

  /// Takes one with an overlap of its own: of those with `.latestOnly` that are ready in a row, the newest. What
  /// comes behind them is taken, too, and is next.
  func takeNext(
    from source: any AnswerSource, orAhead ahead: inout Turn<Element>?,
    isolation: isolated (any Actor)?
  ) async -> Turn<Element>? {
    if let turn = ahead.take() { return turn }
    guard var newest = takeNext(from: source) else { return nil }
    guard look(at: newest) == .latestOnly, let consumer else { return newest }
    var budget = LoopBudget(after: 1)
    // No more than there are now: a fast sender would keep this for ever.
    for _ in 0..<consumer.place.pendingCount {
      if isolation != nil, budget.isUsedUp() { await budget.pause() }
      switch turns.take(source.take) {
      case .nothing: return newest
      case .skipped: continue
      case .element(let turn):
        guard look(at: own(turn)) == .latestOnly else {
          ahead = own(turn)
          return newest
        }
        turns.supersede(newest)
        newest = own(turn)
      }
    }
    return newest
  }

  /// Asks an element for its overlap, once.
  private func look(at turn: Turn<Element>) -> Overlap {
    turn.overlap = overlapOf(turn.element)
    return turn.overlap
  }

  func takeNewest(
    of count: Int, from source: any AnswerSource, isolation: isolated (any Actor)?
  ) async -> Turn<Element>? {
    var newest: Turn<Element>?
    var budget = LoopBudget()
    for _ in 0..<max(0, count) {
      if isolation != nil, budget.isUsedUp() { await budget.pause() }
      switch turns.take(replacing: newest, source.take) {
      case .element(let turn): newest = own(turn)
      case .skipped: continue
      case .nothing: return newest
      }
    }
    return newest
  }

  /// A turn that this call has made.
  func own(_ turn: TurnBase) -> Turn<Element> {
    unsafeDowncast(turn, to: Turn<Element>.self)
  }
}
