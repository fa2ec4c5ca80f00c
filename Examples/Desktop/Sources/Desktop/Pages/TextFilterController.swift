import AsyncChannels
import AsyncViewModels
import Toolkit

/// A text of which only what is long enough passes, and a code that its owner corrects.
final class TextFilterController: Controller {
  private let filter: TextFilterViewModel
  private let code = CodeViewModel()
  private let field = TextField(placeholder: "More than three characters")
  private let output = Label()
  private let codeField = TextField(placeholder: "A code: letters and digits")

  init(passing passes: @escaping @Sendable (String) async -> Bool) {
    filter = TextFilterViewModel(passing: passes)
    super.init()
    (field.name, output.name, codeField.name) = ("field", "output", "code")
    [field, output, codeField].forEach(view.add)
    field.onChange { [filter] in filter.text.value = $0 }
    codeField.onChange { [code] in code.text.value = $0 }
  }

  override func start() {
    filter.start().store(in: &tokens)
    code.start().store(in: &tokens)
  }

  override func observe() {
    filter.text.observe { [weak self] in self?.field.show($0) }.store(in: &tokens)
    code.text.observe { [weak self] in self?.codeField.show($0) }.store(in: &tokens)
    filter.outputText.observe { [weak self] in self?.output.text = "Passed: \($0)" }
      .store(in: &tokens)
  }
}
