public import AsyncChannels

/// How many members there are.
public protocol MembersSummaryViewModelType: ViewModel {
  /// As of the last good list; a failure does not change it.
  var memberCount: Int { get }

  /// Output: the same, as it is and after each list.
  var memberCountOutlet: Outlet<Int> { get }
}
