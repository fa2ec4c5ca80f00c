import AsyncChannels
import Observation

/// A form with three fields: it tells when it is complete, sends once however often the button is
/// tapped, and shows what is wrong.
@MainActor
final class SignUpForm: ViewModel, Observable {
  @CurrentValue var name = ""
  @CurrentValue var mail = ""
  @CurrentValue var password = ""
  @Input var submit: Inlet<Void>
  @CurrentValue private(set) var outcome: Result<String, SignUpFailure>?
  @CurrentValue private(set) var isSending = false
  private let signUp: @Sendable (SignUp) async throws(SignUpFailure) -> String

  init(signUp: @escaping @Sendable (SignUp) async throws(SignUpFailure) -> String) {
    self.signUp = signUp
  }

  var canSubmit: StateOutlet<Bool> {
    StateOutlet.combine($name, $mail, $password, $isSending).map {
      name, mail, password, isSending in
      !name.isEmpty && mail.contains("@") && password.count >= 8 && !isSending
    }
  }

  func run() async {
    let fields = StateOutlet.combine($name, $mail, $password).map(SignUp.init)
    await _submit.received.answer(.firstOnly, busy: _isSending.inlet) {
      [signUp] _ throws(SignUpFailure) in
      try await signUp(fields.value)
    } publish: {
      self.outcome = $0
    }
  }
}

struct SignUp: Sendable, Equatable {
  let name, mail, password: String
}

enum SignUpFailure: Error {
  case nameIsTaken
}
