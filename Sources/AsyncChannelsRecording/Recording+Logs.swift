package import AsyncChannels

/// For reports of tests, which know logs without their channels.
extension Recording {
  /// What some recording calls a log, with the name of its owner; nil if none records it, or it has no name.
  package static func name(of log: BroadcastLogBase) -> String? {
    for case let recorder as LogRecorder in log.observers {
      let name = recorder.name
      if name.isMadeUp || name.isMissing { continue }
      return name.owner.isEmpty ? name.name : "\(name.owner).\(name.name)"
    }
    return nil
  }

  /// Records a log whose name is not known, and may be one of a secret: so no elements are shown.
  package func add(nameless log: BroadcastLogBase, as name: String) {
    store.add(log, as: LaneName(name: name, isMadeUp: true))
  }
}
