import AsyncChannels
import AsyncChannelsTesting
import XCTest

@MainActor final class Controller {
  var label = ""
}

@MainActor final class NamedViewModel {
  @Input var signIn: Inlet<Credentials>
  @Output var signInResult: Outlet<Result<Token, AuthError>>
  @CurrentValue var name = ""
}

//# viewModel.signInResult.waitUntilSettled()
@MainActor func example(
  viewModel: NamedViewModel, controller: Controller,
  subscription: Subscription<Result<Token, AuthError>>
) async {
var results: Subscription<Result<Token, AuthError>>? = subscription
/*block*/
}
