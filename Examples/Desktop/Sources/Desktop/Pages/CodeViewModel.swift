import AsyncChannelsRunning

/// A code that is always in capitals, whatever is typed: its owner corrects the field.
final class CodeViewModel: ViewModel {
  @Input private var typed: Inlet<String>
  @CurrentValue private var code = ""
  let text: SplitBinding<String>

  init() {
    text = SplitBinding(reading: _code.outlet, writing: _typed.inlet)
  }

  func run() async {
    for await text in _typed.received {
      code = text.uppercased().filter { $0.isLetter || $0.isNumber }
    }
  }
}
