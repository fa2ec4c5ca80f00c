import AsyncChannelsRunning
import Observation

/// A list of rows, each of which downloads something as long as it is in the list.
@MainActor
final class Downloads: ViewModel, Observable {
  @CurrentValue private(set) var rows: [Row] = []
  var add: Inlet<String> { changes.inlet(Change.add) }
  var remove: Inlet<String> { changes.inlet(Change.remove) }

  private enum Change { case add(String), remove(String) }
  private let changes = Input<Change>()
  private let download: @Sendable (String) -> Outlet<Int>

  init(download: @escaping @Sendable (String) -> Outlet<Int>) {
    self.download = download
  }

  func run() async {
    async let running: Void = $rows.runEach()
    for await change in changes.received {
      switch change {
      case .add(let name): rows.append(Row(name, download(name)))
      case .remove(let name): rows.removeAll { $0.name == name }
      }
    }
    await running
  }
}

@MainActor
final class Row: ViewModel, Observable {
  let name: String
  @CurrentValue private(set) var percent = 0
  private let progress: Outlet<Int>

  init(_ name: String, _ progress: Outlet<Int>) {
    (self.name, self.progress) = (name, progress)
  }

  func run() async {
    for await percent in progress { self.percent = percent }
  }
}
