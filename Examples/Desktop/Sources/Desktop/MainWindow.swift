import AsyncViewModels
import Toolkit

/// One window and its pages.
final class MainWindow {
  let window: Window
  let controllers: [Controller]

  init(of application: Application, services: Services) {
    window = Window(of: application, title: "AsyncChannels", width: 640, height: 440)
    let pages: [(String, Controller)] = [
      ("Filter", TextFilterController(passing: services.passes)),
      ("Sign in", SignInController(authenticator: services)),
      ("Members", MembersController(manager: services.manager)),
      ("Search", SearchController(names: services.names)),
      ("Counter", CounterController()),
    ]
    controllers = pages.map(\.1)
    for (title, controller) in pages { window.addPage(controller.view, title: title) }
  }
}
