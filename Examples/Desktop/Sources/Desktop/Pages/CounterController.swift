import AsyncChannels
import Toolkit

/// A count that another thread writes a million times a second.
final class CounterController: Controller {
  private let viewModel = CounterViewModel()
  private let count = Label()
  private let start = Button("Start")
  private let stop = Button("Stop")

  override init() {
    super.init()
    (count.name, start.name, stop.name) = ("number", "start", "stop")
    count.addStyle("title-1")
    [count, Box.row(start, stop)].forEach(view.add)
    start.onClick { [viewModel] in viewModel.isOn.send(true) }
    stop.onClick { [viewModel] in viewModel.isOn.send(false) }
  }

  override func appear() {
    viewModel.count.observeNewest { [weak self] in self?.count.text = "\($0)" }.store(in: &tokens)
    viewModel.isCounting.observe { [weak self] in self?.show(isCounting: $0) }.store(in: &tokens)
    viewModel.start().store(in: &tokens)
  }

  private func show(isCounting: Bool) {
    (start.isEnabled, stop.isEnabled) = (!isCounting, isCounting)
  }
}
