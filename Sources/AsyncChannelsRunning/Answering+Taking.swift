import AsyncChannels

/// How the loop of `answer` takes elements.
extension Answering {
  /// The element that is worked on next. Nil if there is none after all.
  func takeNext(
    from source: any AnswerSource, isolation: isolated (any Actor)?
  ) async -> Work<Element>? {
    // What has no place yet stays where it is; with keys, that is known when it was taken.
    if rules.limit < .max, options.overlap.key == nil {
      await fates.untilFewerAreCurrent(than: rules.limit)
    }
    guard let overlap = rules.overlap else {
      return await takeByOwnOverlap(from: source, isolation: isolation)
    }
    let count = rules.pause == nil ? readyCount : await countAfterPause()
    if count != 1 {
      return await takeNewest(of: count, as: overlap, from: source, isolation: isolation)
    }
    switch fates.take(as: overlap, source.take) {
    case .work(let work):
      rules.pause?.throttle?.noteBeginning()
      return own(work)
    case .ignored(let work): ignore(own(work))
    case .skipped, .nothing: break
    }
    return nil
  }

  /// How many elements the next work is for: each supersedes those before it.
  private var readyCount: Int {
    rules.overlap == .latestOnly ? consumer?.place.pendingCount ?? 1 : 1
  }

  /// The same when those that are there have been quiet.
  private func countAfterPause() async -> Int {
    guard let pause = rules.pause, let consumer else { return 1 }
    // Or it was rung at the end, which supersedes nothing.
    guard consumer.place.isReadable else { return 0 }
    // In this order: it does not cease to be busy.
    if rules.isBusyFromArrival { fates.expect() }
    if rules.supersedesAtArrival, consumer.place.isPlain { fates.supersedeAll() }
    let quiet: @Sendable () -> Duration? =
      if let debounce = options.debounce, debounce.fixed == nil {
        { consumer.newest.map(debounce.quiet) }
      } else {
        { [fixed = options.debounce?.fixed ?? .zero] in fixed }
      }
    return await consumer.place.wait(for: pause, quiet)
  }

  private func takeNewest(
    of count: Int, as overlap: Overlap, from source: any AnswerSource,
    isolation: isolated (any Actor)?
  ) async -> Work<Element>? {
    var newest: AnyWork?
    var budget = LoopBudget()
    for _ in 0..<max(0, count) {
      if isolation != nil, budget.isUsedUp() { await budget.pause() }
      let taken = fates.take(as: nil, source.take)
      if case .work(let work) = taken { newest = work }
      if case .nothing = taken { break }
    }
    if newest != nil { rules.pause?.throttle?.noteBeginning() }
    return newest.flatMap { decide(own($0), as: overlap) }
  }

  /// One with an overlap of its own.
  private func takeByOwnOverlap(
    from source: any AnswerSource, isolation: isolated (any Actor)?
  ) async -> Work<Element>? {
    guard let first = fates.undecided.map(own) ?? takeAndLook(from: source) else { return nil }
    await untilThereIsPlace(for: first)
    let work = decide(first, as: first.overlap)
    guard let work, work.key == nil, work.overlap == .latestOnly, let consumer else { return work }
    // No more than there are now: a fast sender would keep this for ever.
    let count = consumer.place.pendingCount
    return await newest(after: work, ofAtMost: count, from: source, isolation: isolation)
  }

  private func untilThereIsPlace(for work: Work<Element>) async {
    if work.key == nil {
      if work.overlap == .oneAtATime { await fates.untilFewerAreCurrent() }
    } else if rules.limit < .max, !fates.needsNoPlace(work) {
      await fates.untilFewerAreCurrent(than: rules.limit)
    }
  }

  /// Of those with `.latestOnly` that are ready in a row, the newest. The element behind them is taken, too, and is
  /// next.
  private func newest(
    after first: Work<Element>, ofAtMost count: Int, from source: any AnswerSource,
    isolation: isolated (any Actor)?
  ) async -> Work<Element> {
    var newest = first
    var budget = LoopBudget(after: 1)
    for _ in 0..<count {
      if isolation != nil, budget.isUsedUp() { await budget.pause() }
      switch fates.take(as: nil, source.take) {
      case .nothing: return newest
      case .skipped, .ignored: continue
      case .work(let work):
        guard look(at: own(work)) == .latestOnly else { return newest }
        newest = decide(own(work), as: .latestOnly) ?? newest
      }
    }
    return newest
  }

  private func takeAndLook(from source: any AnswerSource) -> Work<Element>? {
    guard case .work(let work) = fates.take(as: nil, source.take) else { return nil }
    _ = look(at: own(work))
    return own(work)
  }

  /// Asks an element for its overlap and its key, once.
  private func look(at work: Work<Element>) -> Overlap {
    work.overlap = options.overlap.of(work.element)
    work.key = options.overlap.key?(work.element)
    return work.overlap
  }

  /// Nil if it is ignored.
  private func decide(_ work: Work<Element>, as overlap: Overlap) -> Work<Element>? {
    if fates.decide(work, as: overlap) { return work }
    ignore(work)
    return nil
  }

  /// One that this call has made.
  func own(_ work: AnyWork) -> Work<Element> {
    unsafeDowncast(work, to: Work<Element>.self)
  }
}
