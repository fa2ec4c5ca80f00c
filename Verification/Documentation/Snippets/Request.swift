//# actor Register {
/*declarations*/

extension Register {
  func store(_ name: String) async -> Result<Member, MemberFailure> { .failure(.invalidName) }
}

func example(register: Register) async {
/*statements*/
}
