import Synchronization

extension StateOutlet {
  /// Returns when each subscriber there is, of this state or of another that is derived from the same,
  /// has taken the value there is and asks for more, or has left. See ``Outlet/settled(isolation:)``.
  ///
  /// ```swift
  /// viewModel.name = "news"
  /// await viewModel.$name.settled()
  /// XCTAssertEqual(controller.label, "news")
  /// ```
  ///
  /// - Returns: False if one of its states is finished, or the task cancelled, before that. State that
  ///   never changes has settled.
  @discardableResult
  public func settled(isolation: isolated (any Actor)? = #isolation) async -> Bool {
    await BroadcastLogBase.settled(logs, isolation: isolation)
  }
}

extension StateOutlet {
  /// Those of all whose followers get what this is made of.
  private var logs: [BroadcastLogBase] {
    guard case .state(let root) = source else { return outlet.logs }
    let derived = StateGraph.with { graph in
      let number = root.log.graphNumber.load(ordering: .relaxed)
      return number == 0 ? [] : graph.logs(around: number)
    }
    return derived.isEmpty ? [root.log] : derived
  }
}
