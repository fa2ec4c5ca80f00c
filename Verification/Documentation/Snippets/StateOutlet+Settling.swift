//# XCTAssertEqual(controller.label, "news")
import XCTest

@MainActor final class Controller {
  var label = ""
}

@MainActor final class NamedViewModel {
  @CurrentValue var name = ""
}

@MainActor func example(viewModel: NamedViewModel, controller: Controller) async {
/*block*/
}
