public import AsyncChannels

extension Recording {
  /// Records the channels and states that an object stores, from now on until the recording is dropped.
  ///
  /// The lanes have the names of its properties. Channels in stored structs, enums, tuples, optionals, arrays
  /// and dictionaries are also found, and named `ends.first`, `list[0]`, `rooms["a"]`. A recording does not
  /// look into other objects: add them. It looks at the first 64 elements of an array or a dictionary, and
  /// the text says so. Derived state and derived outlets have no lanes of their own, but their sources have.
  ///
  /// A program that was built without the names of properties (`-disable-reflection-names`) has lanes named
  /// by file and line, which show what happened and what caused it, and no elements, since a recording cannot
  /// tell a password from a name. In a program that was built without reflection metadata
  /// (`-disable-reflection-metadata`), nothing is found in an object, and the text says so. In both cases,
  /// add each channel under a name: `recording.add(channel, as: "name")`.
  ///
  /// - Parameters:
  ///   - object: A view model, or another object. Its properties are read now, so call this in its
  ///     isolation: for a view model, on the main actor. Traps for an actor from outside of it.
  ///   - limit: The number of events that are kept, the newest ones. Traps if it is less than one.
  ///   - clock: The clock that measures the times.
  ///   - names: Names whose contents are hidden; see ``init(limit:clock:hiding:showing:describing:)``.
  ///   - showing: Which elements are shown; see the same initializer.
  ///   - describe: Your own texts for elements; see the same initializer.
  ///   - isolation: The caller's isolation. Do not pass it.
  ///   - fileID: Names the lanes if the program was built without the names of properties.
  ///   - line: The line of the call, for the same purpose. Do not pass it.
  public convenience init(
    of object: some AnyObject, limit: Int = 10_000, clock: some Clock<Duration> = ContinuousClock(),
    hiding names: [String] = [], showing: Showing = .allButSecrets,
    describing describe: (@Sendable (Any) -> String?)? = nil,
    isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
    line: UInt = #line
  ) {
    self.init(
      limit: limit, clock: clock, hiding: names, showing: showing, describing: describe)
    add(object, isolation: isolation, fileID: fileID, line: line)
  }

  /// Records an actor, from its own isolation: `await Recording(of: manager)`.
  public convenience init<Owner: Actor>(
    of actor: isolated Owner, limit: Int = 10_000,
    clock: some Clock<Duration> = ContinuousClock(), hiding names: [String] = [],
    showing: Showing = .allButSecrets, describing describe: (@Sendable (Any) -> String?)? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) {
    self.init(
      limit: limit, clock: clock, hiding: names, showing: showing, describing: describe)
    add(actor, fileID: fileID, line: line)
  }

  /// Also records another object: `recording.add(form)`.
  ///
  /// A channel that is already recorded keeps its name.
  ///
  /// - Parameters:
  ///   - object: See ``init(of:limit:clock:hiding:showing:describing:isolation:fileID:line:)``.
  ///   - name: The name of the object; its type if nil.
  ///   - isolation: The caller's isolation. Do not pass it.
  ///   - fileID: Names the lanes if the program was built without the names of properties.
  ///   - line: The line of the call, for the same purpose. Do not pass it.
  public func add(
    _ object: some AnyObject, as name: String? = nil,
    isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
    line: UInt = #line
  ) {
    if let actor = object as? any Actor, actor !== isolation {
      Misuse.trap(
        """
        \(type(of: actor)) was to be recorded from outside of it, where its variables cannot be read. \
        Use 'await recording.add(…)'.
        """)
    }
    store.add(partsOf: object, as: name, at: SourceLocation(fileID: fileID, line: line))
  }

  /// Also records an actor, from its own isolation: `await recording.add(manager)`.
  public func add<Owner: Actor>(
    _ actor: isolated Owner, as name: String? = nil, fileID: StaticString = #fileID,
    line: UInt = #line
  ) {
    store.add(partsOf: actor, as: name, at: SourceLocation(fileID: fileID, line: line))
  }

  /// Records a channel under this name.
  public func add<Element>(_ channel: Channel<Element>, as name: String) {
    store.add(channel, as: LaneName(name: name))
  }

  /// Records the state that its owner keeps under this name.
  public func add<Value>(_ state: CurrentValue<Value>, as name: String) {
    store.add(state, as: LaneName(name: name))
  }

  /// Records the channel of an outlet under this name. For a derived outlet, nothing is recorded.
  public func add<Element>(_ outlet: Outlet<Element>, as name: String) {
    store.add(outlet, as: LaneName(name: name))
  }

  /// Records a state under this name. For derived state, nothing is recorded.
  public func add<Value>(_ state: StateOutlet<Value>, as name: String) {
    store.add(state, as: LaneName(name: name))
  }

  /// Records the elements that are sent to an inlet under this name, and where they go.
  public func add<Element>(_ inlet: Inlet<Element>, as name: String) {
    store.add(inlet, as: LaneName(name: name))
  }
}
