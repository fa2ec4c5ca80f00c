import AsyncChannelsRunning

//# when(canGoNext)
@MainActor final class Example {
  @CurrentValue private var step = 0

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
