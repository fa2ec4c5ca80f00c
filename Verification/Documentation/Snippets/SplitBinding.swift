//# text = SplitBinding(reading
import AsyncChannels
import SwiftUI

@MainActor final class Example {
/*declarations*/
}

@MainActor func example(viewModel: Example) {
  _ = /*statements*/
}
//# viewModel.text.observe
import AsyncChannels

@MainActor final class Field {
  func show(_ text: String) {}
  func onChange(_ body: @escaping (String) -> Void) {}
}

@MainActor final class Owner {
  let text: SplitBinding<String>
  init(_ text: SplitBinding<String>) { self.text = text }
}

@MainActor final class Example {
  let viewModel: Owner
  let field = Field()
  var tokens: Set<CancellationToken> = []

  init(_ viewModel: Owner) {
    self.viewModel = viewModel
/*block*/
  }
}
