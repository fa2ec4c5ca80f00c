import AsyncChannels
import AsyncViewModels

@MainActor
final class SignInViewModel: ViewModel {
  @Input var signIn: Inlet<Credentials>
  @Output var signInResult: Outlet<Result<Token, AuthError>>
  func run() async {}
}
//# @main
/*block*/
