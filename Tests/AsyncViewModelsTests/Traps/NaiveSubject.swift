/// What the package replaces, made as simply as it can be and with its traps: a subject with sinks,
/// as in Combine. The traps' tests are run against it, to show that they can fail.
public final class NaiveSubject<Element> {
  public private(set) var value: Element
  /// Told before the value changes, as `objectWillChange` is.
  public var onWillChange: () -> Void = {}
  private var sinks: [(Element) -> Void] = []

  public init(_ value: Element) {
    self.value = value
  }

  /// Whoever has the subject can do this: nobody can say where an element came from.
  public func send(_ element: Element) {
    onWillChange()
    value = element
    for sink in sinks { sink(element) }
  }

  public func sink(_ body: @escaping (Element) -> Void) {
    sinks.append(body)
  }

  /// Cold: does its work once for each sink, and gives answers as they come.
  public func flatMap<Answer>(
    _ work: @escaping (Element, @escaping (Answer) -> Void) -> Void
  ) -> (_ sink: @escaping (Answer) -> Void) -> Void {
    { sink in self.sink { work($0, sink) } }
  }
}
