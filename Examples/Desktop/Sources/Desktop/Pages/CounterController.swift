import AsyncChannels
import Toolkit

/// A count that another thread writes a million times a second.
final class CounterController: Controller {
  private let viewModel = CounterViewModel()
  private let count = Label()
  private let begin = Button("Start")
  private let end = Button("Stop")

  override init() {
    super.init()
    (count.name, begin.name, end.name) = ("number", "start", "stop")
    count.addStyle("title-1")
    [count, Box.row(begin, end)].forEach(view.add)
    begin.onClick { [viewModel] in viewModel.isOn.send(true) }
    end.onClick { [viewModel] in viewModel.isOn.send(false) }
  }

  override func start() {
    viewModel.start().store(in: &tokens)
  }

  override func observe() {
    viewModel.count.observeNewest { [weak self] in self?.count.text = "\($0)" }.store(in: &tokens)
    viewModel.isCounting.observe { [weak self] in self?.show(isCounting: $0) }.store(in: &tokens)
  }

  private func show(isCounting: Bool) {
    (begin.isEnabled, end.isEnabled) = (!isCounting, isCounting)
  }
}
