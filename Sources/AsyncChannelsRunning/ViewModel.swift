// So that the file of a view model has one import.
@_exported public import AsyncChannels

/// An object on the main actor with inputs, outputs, and one `run()` that connects them: a screen, a row, a
/// form.
///
/// Inputs are `Inlet`s, outputs are `Outlet`s or `StateOutlet`s. A view model works in
/// ``run()``: it reads its inputs there, and writes its outputs.
///
/// ```swift
/// @MainActor
/// public final class SearchViewModel: ViewModel {
///   @Input public var query: Inlet<String>
///   @CurrentValue public private(set) var hits: [Hit] = []
///
///   public func run() async {
///     await _query.received.answer(.latestOnly, by: index.search) { self.hits = $1 }
///   }
/// }
/// ```
///
/// The caller runs it, in its own task: `.task { await viewModel.run() }` in SwiftUI, a task group or
/// ``withRunning(_:body:)`` elsewhere. So cancelling that task ends all of the work. Elements that are sent
/// to an input while nothing runs wait. After a `run()` was cancelled, it may be called again, and receives
/// the elements that are still in its inputs.
///
/// An actor cannot conform to it, since it is not on the main actor: a manager's protocol declares
/// a `run()` of its own.
@MainActor
public protocol ViewModel: AnyObject, Sendable {
  /// Works until there is nothing more to do, or its task is cancelled.
  ///
  /// Call it once at a time. Only if a call was cancelled, the next may begin before the cancelled one has
  /// returned.
  func run() async
}

extension ViewModel {
  /// Runs the view model until the token is cancelled or dropped. Use it in a controller, which has no task
  /// of its own.
  ///
  /// ```swift
  /// final class SearchController: UIViewController {
  ///   private let viewModel = SearchViewModel()
  ///   private var running: CancellationToken?
  ///
  ///   override func viewDidLoad() {
  ///     super.viewDidLoad()
  ///     running = viewModel.start()
  ///   }
  /// }
  /// ```
  ///
  /// ``run()`` begins after the caller has returned to the main actor's loop, and not at all if the token was cancelled
  /// or dropped before. If `run()` returns by itself, the token does not start it again.
  ///
  /// **Lifetime.** The call of `run()` keeps the view model until it returns. So the token's owner decides
  /// how long the view model lives: after the token was cancelled or dropped, the view model is released when
  /// `run()` has returned. A view model that keeps its own token is never released.
  ///
  /// **A second start** calls `run()` a second time, although it should be called once at a time. If you
  /// replace the token (`running = viewModel.start()`), the first run is cancelled before the second begins.
  ///
  /// Debuggers show its task as `SearchViewModel.run`.
  ///
  /// - Returns: A token that cancels the run when it is cancelled or dropped.
  public func start() -> CancellationToken {
    tellFollowers()
    // Synchronous code has no task whose child this could be. Never `Task.immediate`: that would begin
    // before a token that is being replaced has been dropped.
    let task = Task(name: "\(Self.self).run") {
      guard !Task.isCancelled else { return }
      await run()
    }
    return CancellationToken { task.cancel() }
  }

  /// A recording of the program, or a test, finds the names of its channels before it runs.
  func tellFollowers() {
    tellRecordings()
    TestFollowing.current?.runs(self)
  }

  @usableFromInline
  func tellRecordings() { Causes.known?.begins(self) }
}
