/// What must not compile, one file a group, and what must: a line that must not says with which error,
/// all others must. They are compiled together with the library, but outside it.
enum SeparationSnippets {
  static let files = [
    "ViewModel.swift": """
    public import AsyncChannels

    @MainActor
    public final class ViewModel {
      @Input public var input: Inlet<Int>
      @Output public var output: Outlet<Int>
      @CurrentValue public private(set) var state = 0

      // Inside, the other ends are there.
      func run() async {
        for await number in _input.received {
          _output.send(number)
          state = number
        }
        _output.finish()
        _state.finish()
      }
    }
    """,

    "Control.swift": """
    import AsyncChannels

    // What each end is for, and all that is used below.
    func useOutlet(_ outlet: Outlet<Int>) async {
      let subscription = outlet.subscribe()
      _ = subscription.droppedCount
      for await _ in outlet {}
      for await _ in subscription {}
      _ = outlet.observe { _ in }
    }

    func useInlet(_ inlet: Inlet<Int>) {
      inlet.send(1)
    }

    func useChannel(_ channel: Channel<Int>) {
      channel.send(1)
      useInlet(channel.inlet)
      channel.finish()
      _ = channel.subscriberCount
    }

    func makeOutlet(_ channel: Channel<Int>, _ output: Output<Int>) -> [Outlet<Int>] {
      [channel.outlet, output.outlet, .just(1, 2)]
    }

    @MainActor
    func useViewModel(_ viewModel: ViewModel) async {
      viewModel.input.send(1)
      for await _ in viewModel.output {}
      for await _ in viewModel.$state {}
      _ = viewModel.$state.value
      _ = viewModel.state
    }
    """,

    "OutletCannot.swift": """
    import AsyncChannels

    func send(_ outlet: Outlet<Int>) {
      outlet.send(1)  // error: has no member 'send'
    }

    func finish(_ outlet: Outlet<Int>) {
      outlet.finish()  // error: has no member 'finish'
    }

    func reachTheInlet(_ outlet: Outlet<Int>) {
      _ = outlet.inlet  // error: has no member 'inlet'
    }

    func reachTheChannel(_ outlet: Outlet<Int>) {
      _ = outlet.log  // error: has no member 'log'
      _ = outlet.source  // error: inaccessible due to 'internal' protection level
    }

    func finish(_ subscription: Subscription<Int>) {
      subscription.finish()  // error: has no member 'finish'
      subscription.send(1)  // error: has no member 'send'
    }

    func make() {
      _ = Outlet<Int>()  // error: initializer is inaccessible
    }

    func pretend(_ outlet: Outlet<Int>) {
      let inlet: Inlet<Int> = outlet  // error: cannot convert value of type 'Outlet<Int>'
      _ = inlet
    }
    """,

    "InletCannot.swift": """
    import AsyncChannels

    func listen(_ inlet: Inlet<Int>) async {
      for await _ in inlet {}  // error: to conform to 'AsyncSequence'
    }

    func subscribe(_ inlet: Inlet<Int>) {
      _ = inlet.subscribe()  // error: has no member 'subscribe'
    }

    func observe(_ inlet: Inlet<Int>) {
      _ = inlet.observe { _ in }  // error: has no member 'observe'
    }

    func finish(_ inlet: Inlet<Int>) {
      inlet.finish()  // error: has no member 'finish'
    }

    func reachTheOutlet(_ inlet: Inlet<Int>) {
      _ = inlet.outlet  // error: has no member 'outlet'
    }

    func reachTheChannel(_ inlet: Inlet<Int>) {
      _ = inlet.target  // error: inaccessible due to 'internal' protection level
    }
    """,

    "OutsideCannot.swift": """
    import AsyncChannels

    @MainActor
    func listenToAnInput(_ viewModel: ViewModel) async {
      for await _ in viewModel._input.received {}  // error: '_input' is inacc
    }

    @MainActor
    func sendToAnOutput(_ viewModel: ViewModel) {
      viewModel._output.send(1)  // error: '_output' is inaccessible due to 'private'
      viewModel.output.send(1)  // error: 'send' requires wrapper 'Output<Int>'
    }

    @MainActor
    func finishAnOutput(_ viewModel: ViewModel) {
      viewModel._output.finish()  // error: '_output' is inaccessible due to 'private'
    }

    @MainActor
    func subscribeToAnInput(_ viewModel: ViewModel) {
      _ = viewModel.input.subscribe()  // error: has no member 'subscribe'
      _ = viewModel.$input  // error: has no member '$input'
    }

    @MainActor
    func replaceTheEnds(_ viewModel: ViewModel, _ channel: Channel<Int>) {
      viewModel.input = channel.inlet  // error: 'input' is a get-only
      viewModel.output = channel.outlet  // error: 'output' is a get-only
    }

    @MainActor
    func writeAState(_ viewModel: ViewModel) {
      viewModel.state = 1  // error: cannot assign to property: 'state' setter is inaccessible
      viewModel._state.value = 1  // error: '_state' is inaccessible due to 'private'
      viewModel.$state.send(1)  // error: has no member 'send'
      viewModel.$state.value = 1  // error: 'value' is a get-only property
      viewModel.$state.update { $0 += 1 }  // error: has no member 'update'
      viewModel.$state.finish()  // error: has no member 'finish'
    }

    func reachTheChannel(_ input: Input<Int>, _ output: Output<Int>) {
      _ = input.channel  // error: 'channel' is inaccessible due to 'private'
      _ = output.channel  // error: 'channel' is inaccessible due to 'internal'
    }
    """,

    "NotifierCannot.swift": """
    import AsyncChannels

    protocol Notifying: Sendable {
      var count: Outlet<Int> { get }
    }

    actor Notifier: Notifying {
      private let counts = Channel<Int>(replaying: 1)
      nonisolated var count: Outlet<Int> { counts.outlet }

      func counted(_ count: Int) { counts.send(count) }
    }

    func upstream(_ notifier: any Notifying) {
      notifier.count.send(1)  // error: has no member 'send'
    }

    func upstream(_ notifier: Notifier) async {
      await notifier.counted(1)
      await notifier.counts.send(1)  // error: 'counts' is inaccessible due to 'private'
    }
    """,

    "RecordingCannot.swift": """
    import AsyncChannelsRecording
    import AsyncChannelsRunning

    @MainActor
    final class Recorded: AsyncChannelsRunning.ViewModel {
      @Input var input: Inlet<Int>
      func run() async {}
    }

    @MainActor
    func here(_ viewModel: Recorded) {
      Recording(of: viewModel).add(viewModel)
    }

    func elsewhere(_ viewModel: Recorded, _ recording: Recording) {
      _ = Recording(of: viewModel)  // error: main actor-isolated initializer
      recording.add(viewModel)  // error: main actor-isolated instance method
    }
    """,

    "IteratorCannot.swift": """
    import AsyncChannels

    func share<Value: Sendable>(_ value: Value) {}

    func share(_ inlet: Inlet<Int>, _ outlet: Outlet<Int>) {
      share(inlet)
      share(outlet)
      share(outlet.subscribe())
      share(outlet.makeAsyncIterator())  // error: to 'Sendable' is unavailable
    }
    """,
  ]
}
