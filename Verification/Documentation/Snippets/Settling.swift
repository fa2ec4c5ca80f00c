enum Progress: Sendable {
  case finished
}

@MainActor final class Controller {
  var label = ""
}

let progress = Channel<Progress>()
@MainActor let controller = Controller()
//# viewModel.signIn.send(credentials)
@MainActor func example(viewModel: AuthViewModel) async {
  let results = viewModel.signInResult.subscribe()
/*block*/
}
