/// Something that has to know of each publication of a state when it is made, before observers are told
/// and before the writer goes on: a ``SplitBinding``.
struct StateFollower: Sendable {
  let id: ObjectIdentifier
  /// In the order in which they were added to one state.
  var number = 0
  /// Called on the writer's thread, after the store, with no log's lock held.
  let note: @Sendable () -> Void
}
