import Synchronization

/// What a recording can watch when it finds it in an object.
protocol Recordable {
  func record(in recording: Recording, as name: String, of owner: String)
}

extension Channel: Recordable {
  func record(in recording: Recording, as name: String, of owner: String) {
    recording.watch(log, as: name, of: owner, kind: .channel)
  }
}

extension Input: Recordable {
  func record(in recording: Recording, as name: String, of owner: String) {
    guard let log = inlet.log else { return }
    recording.watch(log, as: name, of: owner, kind: .input)
  }
}

extension Output: Recordable {
  func record(in recording: Recording, as name: String, of owner: String) {
    recording.watch(channel.log, as: name, of: owner, kind: .channel)
  }
}

extension CurrentValue: Recordable {
  func record(in recording: Recording, as name: String, of owner: String) {
    recording.watch(log, as: name, of: owner, kind: .state)
  }
}

extension Outlet: Recordable {
  func record(in recording: Recording, as name: String, of owner: String) {
    guard case .log(let log, _) = source else { return }
    recording.watch(log, as: name, of: owner, kind: .channel)
  }
}

extension StateOutlet: Recordable {
  func record(in recording: Recording, as name: String, of owner: String) {
    guard case .state(let root) = source else { return }
    recording.watch(root.log, as: name, of: owner, kind: .state)
  }
}

extension Inlet: Recordable {
  /// A derived inlet has a lane of its own before that of the channel behind it. One that is watched
  /// already keeps its name.
  func record(in recording: Recording, as name: String, of owner: String) {
    switch target {
    case .log(let log): recording.watch(log, as: name, of: owner, kind: .channel)
    case .function(let function):
      let tape = recording.tape
      let isNew = function.taps.withLock { taps in
        if taps.contains(where: { $0.tape == ObjectIdentifier(tape) }) { return false }
        taps.append(TapedLog(name, of: owner, on: tape, kind: .inlet))
        return true
      }
      guard isNew else { return }
      recording.detachLater { [weak function] in
        function?.taps.withLock { $0.removeAll { $0.tape == ObjectIdentifier(tape) } }
      }
    }
  }
}
