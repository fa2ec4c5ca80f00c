import AsyncChannels
import Toolkit

/// A page: its widgets, and what goes on while it is on the screen.
///
/// It is what a view controller is in UIKit. Closures of its widgets send to its view model, and keep
/// that, not the controller: a widget that keeps what keeps it is never released.
class Controller {
  let view = Box.column()
  /// What goes on while the page is on the screen: runs and observations.
  var tokens: Set<CancellationToken> = []

  init() {
    view.margin = 16
    view.onAppear { [weak self] in self?.appear() }
    view.onDisappear { [weak self] in self?.tokens = [] }
  }

  /// Starts the view models and observes them. The first value of each state is shown before this
  /// returns, and the page is drawn after that.
  func appear() {}
}
