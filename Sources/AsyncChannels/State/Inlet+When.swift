extension Inlet {
  /// An inlet that sends here only while a state is `true`, such as that of a button that is disabled otherwise.
  ///
  /// ```swift
  /// var add: Inlet<String> { additions.when($canAdd) }
  /// ```
  ///
  /// It looks at the state at each `send`. While the state is `false`, `send` returns ``SendResult/refused(_:)`` with the
  /// element, and a `Recording` shows that. The state may change between the look and the sending, if another thread writes it.
  ///
  /// - Parameters:
  ///   - isOpen: The state. Use `map` to make it of others.
  ///   - function: The name of the property that makes it, for a `Recording`. Do not pass it.
  ///   - fileID: The file that makes it, for a `Recording`. Do not pass it.
  public func when(
    _ isOpen: StateOutlet<Bool>, function: StaticString = #function,
    fileID: StaticString = #fileID
  ) -> Inlet {
    makeInlet(function: function, fileID: fileID) { element in
      if isOpen.value { return send(element) }
      Causes.known?.refused(element, near: [log].compactMap { $0 } + isOpen.roots.map(\.log))
      return .refused(element)
    }
  }
}
