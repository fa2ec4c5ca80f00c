extension StateOutlet {
  /// All values that there were since the last step, at least one: for a listener that needs each of
  /// them. See ``Batches``. One that needs the newest only subscribes with `.bufferingNewest(1)`.
  public var batches: Batches<Value> { outlet.batches }

  /// All values that there were since the last step, at most so many: the rest is for the next step.
  ///
  /// - Parameter maximum: Traps if it is less than 1.
  public func batches(ofAtMost maximum: Int) -> Batches<Value> {
    outlet.batches(ofAtMost: maximum)
  }
}
