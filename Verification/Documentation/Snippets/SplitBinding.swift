//# text = SplitBinding(reading
import AsyncChannels
import SwiftUI

@MainActor final class Example {
/*declarations*/
}

@MainActor func example(viewModel: Example) {
  _ = /*statements*/
}
