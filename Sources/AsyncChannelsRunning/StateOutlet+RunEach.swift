public import AsyncChannels

extension StateOutlet where Value: Sequence, Value.Element: ViewModel {
  /// Runs each view model of a state, such as those of a list's rows, while it is in the state, in tasks of the main
  /// actor.
  ///
  /// ```swift
  /// @MainActor
  /// final class ListViewModel: ViewModel {
  ///   @CurrentValue private(set) var rows: [RowViewModel] = []
  ///
  ///   func run() async {
  ///     await $rows.runEach()
  ///   }
  /// }
  /// ```
  ///
  /// Each element that is added begins to run, in a task of its own. When an element is removed, its run is cancelled.
  /// If the element is added again, a new run begins. All changes are seen, in order, also one that was undone
  /// immediately. For each change, removed elements are cancelled before added ones begin. Elements are told apart by
  /// an identity:
  ///
  /// - An element that keeps its identity runs on, even if other parts of it change. The closure has the element with
  ///   which its run began.
  /// - If several elements of one value have the same identity, the first of them runs.
  /// - If a run returns by itself, it is not begun again while its element stays.
  /// - A cancelled run need not have returned when its element is added again: neither run waits for the other.
  ///
  /// - **Cancel**: cancelling the caller's task cancels all runs before `cancel()` returns. A run that had not begun by
  ///   then on the same actor does not begin.
  /// - **Finish**: the state's end cancels nothing, since its last value stays. An owner that wants its rows to end
  ///   removes them first.
  /// - The call returns when the state has ended or the caller's task was cancelled, and all runs have returned.
  /// - **Costs**: each change of the state costs a look at the identity of each element (a comparison for the elements at
  ///   the beginning and the end that have not changed), and a task for each element that is added. After 64 elements
  ///   that are added or removed, the call lets others use the caller's actor.
  @inlinable
  public func runEach(isolation: isolated (any Actor)? = #isolation) async {
    await runEach(by: { ObjectIdentifier($0) }) { @MainActor in
      $0.tellRecordings()
      await $0.run()
    }
  }
}

extension StateOutlet where Value: Sequence, Value.Element: Identifiable & Sendable {
  /// Runs a closure for each element of the state, told apart by its `id`, while the element is in the state.
  /// Everything else is as with view models (``runEach(isolation:)``).
  ///
  /// - Parameters:
  ///   - isolation: The caller's isolation. Do not pass it.
  ///   - run: Works until it has no more to do, or its task is cancelled. It is called in the isolation in which it
  ///     was made, and not at all if the element is removed before the run could begin. In another isolation than
  ///     the caller's, a call that is about to begin may still begin.
  @inlinable
  public func runEach(
    isolation: isolated (any Actor)? = #isolation,
    @_inheritActorContext _ run:
      @escaping @isolated(any) @Sendable (Value.Element) async -> Void
  ) async {
    await runEach(by: { $0.id }, run)
  }
}

extension StateOutlet where Value: Sequence, Value.Element: Sendable {
  /// Runs a closure for each element of the state while the element is in the state. Use it if elements have another
  /// identity than `id`. Everything else is as with view models (``runEach(isolation:)``).
  ///
  /// ```swift
  /// await rows.runEach(by: { ObjectIdentifier($0) }) { await $0.run() }   // any RowViewModelType
  /// ```
  ///
  /// - Parameters:
  ///   - id: Returns the identity of an element. It is called for each element at each change.
  ///   - isolation: The caller's isolation. Do not pass it.
  ///   - run: Works until it has no more to do, or its task is cancelled. It is called in the isolation in which it
  ///     was made, and not at all if the element is removed before the run could begin. In another isolation than
  ///     the caller's, a call that is about to begin may still begin.
  @inlinable
  public func runEach<ID: Hashable>(
    by id: (Value.Element) -> ID, isolation: isolated (any Actor)? = #isolation,
    @_inheritActorContext _ run:
      @escaping @isolated(any) @Sendable (Value.Element) async -> Void
  ) async {
    // Here, so that it is specialized where it is called.
    await runEach(run, isolation: isolation) { known, value in
      RowChanges(from: &known, to: value, by: id)
    }
  }

  @usableFromInline
  func runEach<ID: Hashable>(
    _ run: @escaping @isolated(any) @Sendable (Value.Element) async -> Void,
    isolation: isolated (any Actor)?,
    comparing compare: (_ known: inout [ID], Value) -> RowChanges<ID, Value.Element>
  ) async {
    let values = makeAsyncIterator()
    var known: [ID] = []
    var rows = Rows<ID>()
    var come: [(id: ID, element: Value.Element)] = []
    await RowTasks().run(isolation: isolation) {
      // One that goes meanwhile is held by its run alone.
      come = []
      guard let value = await values.nextUnlessCancelled(isolation: isolation) else { return nil }
      let changes = compare(&known, value)
      come = changes.come
      return (rows.apply(changes.gone, come), come.count)
    } beginning: { index in
      let (id, element) = come[index]
      // A child cannot be cancelled alone except by another that waits to be told, and so later: the next run of
      // the same view model might begin before. Hence a task, and a child that waits for it.
      return rows.begin(id) {
        if let follower = TestFollowing.current, let row = element as? any ViewModel {
          follower.runs(row)
        }
        return Task { await callUnlessCancelled(run, with: element, in: run.isolation) }
      }
    }
  }
}

/// - Parameter isolation: That of `run`, so that between the look at the cancellation and the call
///   nothing else can run there: what was cancelled there does not begin after its successor.
private func callUnlessCancelled<Element: Sendable>(
  _ run: @Sendable (Element) async -> Void, with element: Element,
  in isolation: isolated (any Actor)?
) async {
  guard !Task.isCancelled else { return }
  await run(element)
}
