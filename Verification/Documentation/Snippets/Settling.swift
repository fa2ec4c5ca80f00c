//# progress.send(.finished)
enum Progress: Sendable {
  case finished
}

func example(progress: Channel<Progress>) async {
/*block*/
}
//# XCTAssertEqual(controller.label, "Signed in.")
import XCTest

@MainActor final class Controller {
  var label = ""
}

@MainActor func example(controller: Controller, results: Subscription<Result<Token, AuthError>>) async {
/*block*/
}
