import AsyncChannels

//# .forwarding { [name = $name, addMember] _ in
@MainActor final class Example {
  @CurrentValue var name = ""
  let addMember: Inlet<String> = Inlet { _ in }

/*block*/
}

//# await together(
@MainActor final class Example {
  @Input var add: Inlet<String>
  @Input var pay: Inlet<Void>
  @CurrentValue var items: [String] = []
  @CurrentValue var isPaying = false

/*block*/
}
