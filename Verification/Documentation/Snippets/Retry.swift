//# await $draft.answer(
@MainActor final class Example {
  @CurrentValue var draft = ""
  let save: @Sendable (String) async throws -> Void = { _ in }

  func run() async {
/*block*/
  }
}
