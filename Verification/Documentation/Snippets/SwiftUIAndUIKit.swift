import AsyncChannels
import AsyncViewModels
import Observation

typealias SignInViewModel = AsyncViewModels.AuthViewModel

@MainActor
final class CounterViewModel: ViewModel, Observable {
  @Input var increment: Inlet<Void>
  @CurrentValue private(set) var count = 0
  func run() async {}
}
//# CounterPage
// What Examples/Desktop has of these.
@MainActor
class Widget {
  init() {}
}

@MainActor
final class Label: Widget {
  var text = ""
}

@MainActor
final class Button: Widget {
  init(_ title: String) {}
  func onClick(_ body: @escaping () -> Void) {}
}

@MainActor
final class Box: Widget {
  func add(_ child: Widget) {}
}

@MainActor
class Controller {
  let view = Box()
  var tokens: Set<CancellationToken> = []
  init() {}
  func start() {}
  func observe() {}
}
/*block*/
