import Synchronization

/// What a lane is to be called.
struct LaneName {
  let name: String
  /// See `Flow.Lane`.
  var owner = ""
  /// Whether it stands for a name that is not known. That name may be one of a secret.
  var isMadeUp = false
}

/// What a recording can watch when it finds it in an object.
protocol Recordable {
  func record(in recording: Recording, as name: LaneName)
}

extension Channel: Recordable {
  func record(in recording: Recording, as name: LaneName) {
    recording.watch(log, as: name, kind: .channel)
  }
}

extension Input: Recordable {
  func record(in recording: Recording, as name: LaneName) {
    guard let log = inlet.log else { return }
    recording.watch(log, as: name, kind: .input)
  }
}

extension Output: Recordable {
  func record(in recording: Recording, as name: LaneName) {
    recording.watch(channel.log, as: name, kind: .channel)
  }
}

extension CurrentValue: Recordable {
  func record(in recording: Recording, as name: LaneName) {
    recording.watch(log, as: name, kind: .state)
  }
}

extension Outlet: Recordable {
  func record(in recording: Recording, as name: LaneName) {
    guard case .log(let log, _) = source else { return }
    recording.watch(log, as: name, kind: .channel)
  }
}

extension StateOutlet: Recordable {
  func record(in recording: Recording, as name: LaneName) {
    guard case .state(let root) = source else { return }
    recording.watch(root.log, as: name, kind: .state)
  }
}

extension Inlet: Recordable {
  /// A derived inlet has a lane of its own before that of the channel behind it.
  func record(in recording: Recording, as name: LaneName) {
    switch target {
    case .log(let log): recording.watch(log, as: name, kind: .channel)
    case .function(let function): recording.watch(function.made, as: name, kind: .inlet)
    }
  }
}
