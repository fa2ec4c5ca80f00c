import AsyncChannels
import AsyncChannelsTesting
import XCTest

@MainActor final class Controller {
  var label = ""
}

@MainActor final class NamedViewModel: AuthViewModelType {
  @Input var signIn: Inlet<Credentials>
  @Output var signInResult: Outlet<Result<Token, AuthError>>
  @CurrentValue var name = ""
}

@MainActor func example(
  viewModel: NamedViewModel, controller: Controller,
  subscription: Subscription<Result<Token, AuthError>>
) async {
var results: Subscription<Result<Token, AuthError>>? = subscription
/*block*/
}
