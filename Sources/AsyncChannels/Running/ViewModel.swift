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
