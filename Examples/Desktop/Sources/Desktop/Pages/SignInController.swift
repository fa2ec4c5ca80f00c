import AsyncChannels
import AsyncViewModels
import Toolkit

/// Signs in, shows that it takes a while, and can be told to stop.
final class SignInController: Controller {
  private let viewModel: AuthViewModel
  private let username = TextField(placeholder: "User name")
  private let password = TextField(placeholder: "Password", isSecret: true)
  private let signIn = Button("Sign in")
  private let cancel = Button("Cancel")
  private let spinner = Spinner()
  private let message = Label("The user is “ann”, the password is “secret”.")

  init(authenticator: any Authenticator) {
    viewModel = AuthViewModel(authenticator: authenticator, overlap: .firstOnly)
    super.init()
    (username.name, password.name, message.name) = ("username", "password", "message")
    (signIn.name, cancel.name, spinner.name) = ("signIn", "cancel", "spinner")
    [username, password, Box.row(signIn, cancel, spinner), message].forEach(view.add)
    let send = { [viewModel, username, password] in
      _ = viewModel.signIn.send(Credentials(username: username.text, password: password.text))
    }
    signIn.onClick(send)
    // The field is kept by the page. A closure of its own must not keep it.
    password.onReturn { [weak self] in self?.signIn.click() }
    cancel.onClick { [weak self] in self?.stop() }
  }

  override func start() {
    tokens = [viewModel.start()]
  }

  override func observe() {
    viewModel.isSigningIn.observe { [weak self] in self?.show(isBusy: $0) }.store(in: &tokens)
    viewModel.signInResult.observe { [weak self] in self?.show($0) }.store(in: &tokens)
  }

  /// A new run instead of the one that is signing in, which is cancelled and gives no result.
  private func stop() {
    start()
    observe()
    message.text = "The sign-in was cancelled."
  }

  private func show(isBusy: Bool) {
    (signIn.isEnabled, cancel.isEnabled, spinner.isSpinning) = (!isBusy, isBusy, isBusy)
    if isBusy { message.text = "Signing in …" }
  }

  private func show(_ result: Result<Token, AuthError>) {
    switch result {
    case .success: message.text = "Welcome, \(username.text)."
    case .failure(let error): message.text = error.description
    }
  }
}
