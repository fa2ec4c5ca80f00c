import AsyncChannels
import Toolkit

/// Searches 10,000 names while the user types.
final class SearchController: Controller {
  private let viewModel: SearchViewModel
  private let query = TextField(placeholder: "Part of a name")
  private let count = Label()
  private let hits = ListView()

  init(names: [String]) {
    viewModel = SearchViewModel(names: names)
    super.init()
    (query.name, count.name, hits.name) = ("query", "hitCount", "hits")
    [query, count, ScrollView(hits)].forEach(view.add)
    query.onChange { [viewModel] in viewModel.query.send($0) }
  }

  override func start() {
    viewModel.start().store(in: &tokens)
  }

  override func observe() {
    viewModel.hits.observe { [weak self] in self?.show($0) }.store(in: &tokens)
  }

  private func show(_ names: [String]) {
    count.text = "\(names.count) names"
    hits.show(names)
  }
}
