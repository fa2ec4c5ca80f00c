import AsyncChannels
import AsyncChannelsTesting
import Observation

@MainActor final class SearchViewModel: ViewModel, Observable {
  @Input var query: Inlet<String>
  @CurrentValue private(set) var hits: [String] = []
  @CurrentValue private(set) var isBusy = false
  init(
    clock: any Clock<Duration> = ContinuousClock(),
    search: @escaping @Sendable (String) async -> [String]
  ) {}
  func run() async {}
}

//# struct SearchView: View {
import SwiftUI

/*block*/
//# final class SignUpForm: SignUpFormType
/*declarations*/

@MainActor final class Button {
  var isEnabled = true
}

@MainActor func example(form: SignUpForm, button: Button) async {
/*statements*/
}
//# .forwarding { [name = $name, addMember] _ in
@MainActor final class Example {
  @CurrentValue var name = ""
  let addMember: Inlet<String> = Inlet { _ in }

/*block*/
}
//# actor Player {
/*block*/

extension Player {
  func start() {}
  func jump(to time: Duration) {}
}
//# await _submit.received.answer(.firstOnly
enum SignUpFailure: Error {
  case taken
}

struct Server {
  @Sendable func signUp(_ form: String) async throws(SignUpFailure) -> Int { 1 }
}

@MainActor final class Example {
  let _submit = Input<String>()
  let _isSending = CurrentValue(false)
  let server = Server()
  var outcome: Result<Int, SignUpFailure>?

  func run() async {
/*block*/
  }
}
//# actor Register {
/*declarations*/

extension Register {
  func store(_ name: String) async -> Result<Member, MemberFailure> { .failure(.invalidName) }
}

func example(register: Register) async {
/*statements*/
}
