/// Something on the main actor that has inputs, outputs and one task that joins them.
///
/// Inputs are ``Inlet``s, outputs are ``Outlet``s or ``StateOutlet``s. A view model works in
/// ``run()``: it reads its inputs there, and writes its outputs.
///
/// ```swift
/// @MainActor
/// public final class SearchViewModel: ViewModel {
///   @Input public var query: Inlet<String>
///   @CurrentValue public private(set) var hits: [Hit] = []
///
///   public func run() async {
///     await _query.received.answer(.latestOnly, by: index.search) { self.hits = $0 }
///   }
/// }
/// ```
///
/// The caller runs it, in its own task: `.task { await viewModel.run() }` in SwiftUI, a task group
/// or ``withRunning(_:body:)`` elsewhere. So there are no loose tasks: cancelling that task ends
/// the work. What is sent to an input while nothing runs waits. A `run()` that was cancelled may be
/// called again, and finds all that is still in its inputs.
///
/// An actor cannot conform to it, since it is not on the main actor: a manager's protocol declares
/// a `run()` of its own.
@MainActor
public protocol ViewModel: AnyObject, Sendable {
  /// Works until there is nothing more to do, or its task is cancelled.
  ///
  /// One call at a time, except that the next may begin before a cancelled one has returned.
  func run() async
}

extension ViewModel {
  /// Runs the view model until the token is cancelled or dropped: for a controller, which has no task
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
  /// ``run()`` begins in a later turn of the main actor, and not at all if the token has ended by
  /// then. When it returns by itself, that is the end: the token does not start it again.
  ///
  /// **Who keeps whom.** The call of `run()` holds the view model as long as it lasts, as any call of
  /// a method does. So the token's owner decides how long the view model lives: when the token has
  /// ended, the view model is let go as soon as `run()` has returned. A view model that kept its own
  /// token would never end.
  ///
  /// **A second start** is a second call of `run()`, and that is to be called once at a time. Replacing
  /// the token is right (`running = viewModel.start()`): what ran is cancelled before the new call
  /// begins.
  ///
  /// - Returns: A token that cancels the run when it is cancelled or dropped.
  public func start() -> CancellationToken {
    // Synchronous code has no task whose child this could be. Never `Task.immediate`: that would begin
    // before a token that is being replaced has been dropped.
    let task = Task {
      guard !Task.isCancelled else { return }
      await run()
    }
    return CancellationToken { task.cancel() }
  }
}
