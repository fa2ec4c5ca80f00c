//# .forwarding { [form, addMember] _ in
@MainActor final class Form {
  @CurrentValue var name = ""
}

@MainActor final class Example {
  struct Fields { let name: String }
  let form = Fields(name: "")
  let addMember: Inlet<String> = Inlet { _ in }

/*block*/
}
