//# final class SearchController: UIViewController {
import AsyncChannelsRunning
import UIKit

@MainActor final class SearchViewModel: ViewModel {
  func run() async {}
}

/*block*/
