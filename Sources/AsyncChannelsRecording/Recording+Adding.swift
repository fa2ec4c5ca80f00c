public import AsyncChannels

extension Recording {
  /// Records what an object stores: from now on, and until the recording is dropped.
  ///
  /// The lanes are named as its properties are. Channels in stored structs, enums, tuples, optionals, arrays
  /// and dictionaries are found, too, and named `ends.first`, `list[0]`, `rooms["a"]`; other objects are
  /// not looked into: add them. Of a large array or dictionary the first 64 elements are looked at, and the text says
  /// so. Derived state and derived outlets have no lanes of their own: what they are made of has.
  ///
  /// A program that was built without the names of properties (`-disable-reflection-names`) has lanes
  /// named by file and line, which show what happened and what caused it, and no elements, since nobody can
  /// tell a password from a name. In one that was built without reflection metadata
  /// (`-disable-reflection-metadata`) nothing is found in an object, and the text says so. In both, add
  /// each channel under a name: `recording.add(channel, as: "name")`.
  ///
  /// - Parameters:
  ///   - object: A view model, or another object. Its properties are read now, so call this in its
  ///     isolation: for a view model, on the main actor. Traps for an actor from outside of it.
  ///   - limit: How many events are kept, the newest. Traps below one.
  ///   - clock: What times are measured with.
  ///   - names: What is not to be shown; see ``init(limit:clock:hiding:showing:describing:)``.
  ///   - showing: Which elements are shown, likewise.
  ///   - describe: Words of your own for elements, likewise.
  ///   - isolation: The caller's, which is found without being given.
  ///   - fileID: Names the lanes if the program was built without the names of properties.
  ///   - line: Likewise.
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

  /// Records another object, too: `recording.add(form)`.
  ///
  /// A channel that is recorded already keeps the name it has.
  ///
  /// - Parameters:
  ///   - object: See ``init(of:limit:clock:hiding:showing:describing:isolation:fileID:line:)``.
  ///   - name: What it is called; its type if nil.
  ///   - isolation: The caller's, which is found without being given.
  ///   - fileID: Names the lanes if the program was built without the names of properties.
  ///   - line: Likewise.
  public func add(
    _ object: some AnyObject, as name: String? = nil,
    isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
    line: UInt = #line
  ) {
    if let actor = object as? any Actor, actor !== isolation {
      Diagnostics.programmerError(
        """
        \(type(of: actor)) was to be recorded from outside of it, where its variables cannot be read. \
        Use 'await recording.add(…)'.
        """)
    }
    addParts(of: object, as: name, at: SourcePlace(fileID: fileID, line: line))
  }

  /// Records an actor, too, from its own isolation: `await recording.add(manager)`.
  public func add<Owner: Actor>(
    _ actor: isolated Owner, as name: String? = nil, fileID: StaticString = #fileID,
    line: UInt = #line
  ) {
    addParts(of: actor, as: name, at: SourcePlace(fileID: fileID, line: line))
  }

  /// Records a channel under this name.
  public func add<Element>(_ channel: Channel<Element>, as name: String) {
    watch(channel, as: LaneName(name: name))
  }

  /// Records a state under this name.
  public func add<Value>(_ state: CurrentValue<Value>, as name: String) {
    watch(state, as: LaneName(name: name))
  }

  /// Records what is sent to an outlet's channel under this name. A derived outlet has nothing of its
  /// own to be recorded.
  public func add<Element>(_ outlet: Outlet<Element>, as name: String) {
    watch(outlet, as: LaneName(name: name))
  }

  /// Records a state under this name. Derived state has nothing of its own to be recorded.
  public func add<Value>(_ state: StateOutlet<Value>, as name: String) {
    watch(state, as: LaneName(name: name))
  }

  /// Records what is sent to an inlet under this name, and where it goes.
  public func add<Element>(_ inlet: Inlet<Element>, as name: String) {
    watch(inlet, as: LaneName(name: name))
  }

  private func addParts(of object: AnyObject, as name: String?, at place: SourcePlace) {
    let owner = name ?? String("\(type(of: object))".prefix { $0 != "<" })
    var finder = ChannelFinder(owner: owner, place: place, describer: tape.describer)
    finder.search(object)
    for (followable, name) in finder.found { watch(followable, as: name) }
    if finder.found.isEmpty { tape.noteEmpty("\(owner), \(place)") }
    for (name, count) in finder.cut {
      tape.noteCut("\(name) has \(count) elements, of which \(ChannelFinder.limit) were looked at.")
    }
  }
}
