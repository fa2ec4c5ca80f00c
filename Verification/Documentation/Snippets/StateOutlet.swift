//# var memberCount: StateOutlet<Int> { get }
import AsyncChannels
import SwiftUI

/*declarations*/

@MainActor func example(viewModel: MembersSummaryViewModel) async {
  _ = /*statements*/
}
