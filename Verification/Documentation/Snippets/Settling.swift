//# XCTAssertEqual(controller.label, "Signed in.")
import XCTest

@MainActor final class Controller {
  var label = ""
}

@MainActor func example(controller: Controller, subscription: Subscription<Result<Token, AuthError>>) async {
var results: Subscription<Result<Token, AuthError>>? = subscription
/*block*/
}
