//# actor Register {
/*declarations*/

extension Register {
  func store(_ name: String) async -> Result<Member, MemberFailure> { .success(member) }
}

func example(register: Register) async {
/*statements*/
}
