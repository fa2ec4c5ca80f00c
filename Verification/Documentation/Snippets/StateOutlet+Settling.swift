@MainActor final class Controller {
  var label = ""
}

@MainActor let controller = Controller()
//# viewModel.text.value
@MainActor final class ExampleModel {
  let text = CurrentValue("")
}

@MainActor func example(viewModel: ExampleModel) async {
/*block*/
}
