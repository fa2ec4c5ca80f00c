import AsyncChannels
import Synchronization

/// What a recording begins to follow, and what it is called.
extension EventStore {
  /// Follows a log or an inlet under a name. One that is followed already keeps its name, unless that was missing.
  func add(_ followable: any Followable, as name: LaneName) {
    guard let source = followable.followedSource else { return }
    let followed = source.followed
    // One add after the other, so that a log has one lane.
    let log = adding.withLock { _ in
      if let known = recorder(of: followed) {
        known.learn(name, source.kind)
        return known
      }
      return LogRecorder(name, on: self, kind: source.kind, following: followed)
    }
    if let current = source.current { log.describeCurrent(current) }
  }

  /// Follows what an object stores.
  func add(partsOf object: AnyObject, as name: String?, at place: SourceLocation) {
    let finder = find(in: object, as: name, at: place)
    if finder.found.isEmpty { noteEmpty("\(finder.owner), \(place)") }
    for (name, count) in finder.cut {
      noteCut("\(name) has \(count) elements, of which \(ChannelFinder.limit) were looked at.")
    }
  }

  /// Gives the lanes of an object's channels their names.
  func nameLanes(of object: AnyObject) {
    _ = find(in: object, as: nil, at: SourceLocation(fileID: #fileID, line: #line))
  }

  private func find(
    in object: AnyObject, as name: String?, at place: SourceLocation
  ) -> ChannelFinder {
    let owner = name ?? String("\(type(of: object))".prefix { $0 != "<" })
    var finder = ChannelFinder(owner: owner, place: place, describer: describer)
    finder.search(object)
    for (followable, name) in finder.found { add(followable, as: name) }
    return finder
  }
}
