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

  /// A view model has what it takes from a manager when its run has had its first turn. Observed after
  /// that turn, and drawn after this one, it never shows an older state: see `MainQueue`.
  private func appear() {
    start()
    Task { [weak self] in
      if let self, !tokens.isEmpty { observe() }
    }
  }

  /// Starts the view models, and keeps the tokens.
  func start() {}

  /// Shows the states. The first value of each is shown before `observe` of the state returns.
  func observe() {}
}
