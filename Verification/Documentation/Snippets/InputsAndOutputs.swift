import AsyncChannels

//# .forwarding { [name = $name, addMember] _ in
@MainActor final class Example {
  @CurrentValue var name = ""
  let addMember: Inlet<String> = Inlet { _ in }

/*block*/
}
