import AsyncChannels

//# additions.when($canAdd)
@MainActor final class Example {
  @Input private var additions: Inlet<Void>
  @CurrentValue private var canAdd = false

/*block*/
}

//# await together(
@MainActor final class Example: ViewModel {
  @Input var add: Inlet<String>
  @Input var pay: Inlet<Void>
  @CurrentValue private(set) var items: [String] = []
  @CurrentValue private(set) var isPaying = false

/*block*/
}
