import AsyncChannelsRunning
import Observation

/// A form with three fields: it tells when it is complete, sends once however often the button is
/// tapped, and shows what is wrong.
@MainActor
final class SignUpForm: ViewModel, Observable {
  @CurrentValue var name = ""
  @CurrentValue var mail = ""
  @CurrentValue var password = ""
  @CurrentValue private(set) var outcome: Result<String, SignUpFailure>?
  @CurrentValue private(set) var isSending = false
  private let submitted = Input<SignUp>()
  private let signUp: @Sendable (SignUp) async throws(SignUpFailure) -> String

  init(signUp: @escaping @Sendable (SignUp) async throws(SignUpFailure) -> String) {
    self.signUp = signUp
  }

  private var fields: StateOutlet<SignUp> {
    StateOutlet.combine($name, $mail, $password).map(SignUp.init)
  }

  var canSubmit: StateOutlet<Bool> {
    StateOutlet.combine(fields, $isSending).map { $0.isComplete && !$1 }
  }

  var submit: Inlet<Void> { submitted.inlet { [fields] in fields.value } }

  func run() async {
    await submitted.received.answer(.firstOnly, busy: _isSending.inlet, by: signUp) {
      self.outcome = $1
    }
  }
}

struct SignUp: Sendable, Equatable {
  let name, mail, password: String
  var isComplete: Bool { !name.isEmpty && mail.contains("@") && password.count >= 8 }
}

enum SignUpFailure: Error {
  case nameIsTaken
}
