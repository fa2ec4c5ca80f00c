//# final class SearchController: UIViewController {
import AsyncChannels
import UIKit

@MainActor final class SearchViewModel: ViewModel {
  func run() async {}
}

/*block*/
