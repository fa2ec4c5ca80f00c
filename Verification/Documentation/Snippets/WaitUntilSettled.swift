import AsyncChannels
import AsyncChannelsTesting
import XCTest

@MainActor final class Controller {
  var label = ""
}

@MainActor final class NamedViewModel {
  @CurrentValue var name = ""
}
//# XCTAssertEqual(controller.label, "Signed in.")
@MainActor func example(controller: Controller, subscription: Subscription<Result<Token, AuthError>>) async {
var results: Subscription<Result<Token, AuthError>>? = subscription
/*block*/
}
//# XCTAssertEqual(controller.label, "news")
@MainActor func example(viewModel: NamedViewModel, controller: Controller) async {
/*block*/
}
