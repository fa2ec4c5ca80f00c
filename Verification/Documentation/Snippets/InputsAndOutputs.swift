import AsyncChannels

//# additions.when($canAdd)
@MainActor final class Example {
  @Input private var additions: Inlet<Void>
  @CurrentValue private var canAdd = false

/*block*/
}
