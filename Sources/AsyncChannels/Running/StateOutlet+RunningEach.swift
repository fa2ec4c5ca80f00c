/// Rows: what runs for each element of a state, while the element is in it.
///
/// ```swift
/// @MainActor
/// final class ListViewModel: ViewModel {
///   @CurrentValue private(set) var rows: [RowViewModel] = []
///
///   func run() async {
///     await $rows.runningEach()
///   }
/// }
/// ```
///
/// An element that comes is begun, in a task of its own; one that goes is cancelled, and if it comes
/// back it is begun anew. All changes are seen, in order, also one that was undone immediately. What
/// goes with a change is cancelled before what comes with it is begun. Elements are told apart by an
/// identity:
///
/// - What keeps its identity runs on, whatever else of it changes: the closure has the element with
///   which it was begun.
/// - Of several elements that have one identity in one value, the first is run.
/// - What returns by itself is not begun again while its element stays.
/// - What was cancelled need not have returned when its element comes back: neither waits for the
///   other.
///
/// It is structured: it returns when all that was begun has returned, after the caller's task was
/// cancelled, which cancels them, or the state has ended. The state's end cancels nothing, since its
/// last value stays: an owner that wants its rows to end takes them out first.
///
/// **Costs.** Each change of the state costs a look at the identity of each element (as far as the beginning
/// and the end are as before, a comparison), and work for what comes and goes. Others have their turn on
/// the caller's actor after 64 elements that come or go.
///
/// Cancelling the caller's task cancels all that runs before `cancel()` returns: what had not begun by then on
/// the same actor does not begin.
extension StateOutlet where Value: Sequence, Value.Element: ViewModel {
  /// Runs each view model of the state while it is there, in tasks of the main actor.
  @inlinable
  public func runningEach(isolation: isolated (any Actor)? = #isolation) async {
    await runningEach(by: { ObjectIdentifier($0) }) { @MainActor in await $0.run() }
  }
}

extension StateOutlet where Value: Sequence, Value.Element: Identifiable & Sendable {
  /// Runs a closure for each element of the state, told apart by its `id`, while it is there.
  ///
  /// - Parameters:
  ///   - isolation: The caller's, which is found without being given.
  ///   - run: Works until it has no more to do, or its task is cancelled. Called in the isolation in
  ///     which it was made; not called for an element that is gone before it could begin. From another
  ///     isolation than the caller's, a call that is about to begin may still come.
  @inlinable
  public func runningEach(
    isolation: isolated (any Actor)? = #isolation,
    @_inheritActorContext _ run:
      @escaping @isolated(any) @Sendable (Value.Element) async -> Void
  ) async {
    await runningEach(by: { $0.id }, run)
  }
}

extension StateOutlet where Value: Sequence, Value.Element: Sendable {
  /// Runs a closure for each element of the state while it is there.
  ///
  /// ```swift
  /// await rows.runningEach(by: { ObjectIdentifier($0) }) { await $0.run() }   // any RowViewModelType
  /// ```
  ///
  /// - Parameters:
  ///   - id: The identity of an element. Called for each element at each change.
  ///   - isolation: The caller's, which is found without being given.
  ///   - run: Works until it has no more to do, or its task is cancelled. Called in the isolation in
  ///     which it was made; not called for an element that is gone before it could begin. From another
  ///     isolation than the caller's, a call that is about to begin may still come.
  @inlinable
  public func runningEach<ID: Hashable>(
    by id: (Value.Element) -> ID, isolation: isolated (any Actor)? = #isolation,
    @_inheritActorContext _ run:
      @escaping @isolated(any) @Sendable (Value.Element) async -> Void
  ) async {
    // Here, so that it is specialized where it is called.
    await runningEach(run, isolation: isolation) { known, value in
      RowChanges(from: &known, to: value, by: id)
    }
  }

  @usableFromInline
  func runningEach<ID: Hashable>(
    _ run: @escaping @isolated(any) @Sendable (Value.Element) async -> Void,
    isolation: isolated (any Actor)?,
    comparing compare: (_ known: inout [ID], Value) -> RowChanges<ID, Value.Element>
  ) async {
    let values = makeAsyncIterator()
    let tasks = RowTasks()
    await withTaskCancellationHandler {
      await withDiscardingTaskGroup { group in
        var known: [ID] = []
        var rows = Rows<ID>()
        while let value = await values.nextUnlessCancelled(isolation: isolation) {
          var spell = Spell()
          let changes = compare(&known, value)
          for number in rows.apply(changes.gone, changes.come) {
            if spell.isUsedUp() { await spell.pause() }
            tasks.cancel(number)
          }
          for (id, element) in changes.come {
            guard let number = rows.begin(id) else { continue }
            if spell.isUsedUp() { await spell.pause() }
            // A child cannot be cancelled alone except by another that waits to be told, and so later:
            // the next run of the same view model might begin before. Hence a task, and a child that
            // waits for it.
            let task = Task { await callUnlessCancelled(run, with: element, in: run.isolation) }
            tasks.add(task, number)
            group.addTask { await task.value }
          }
        }
      }
    } onCancel: {
      tasks.close()
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
