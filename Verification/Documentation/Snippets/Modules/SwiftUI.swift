// A stand-in for SwiftUI: declares what the documents use of it, with the isolation that it has there.

@_exported public import Observation

@MainActor @preconcurrency
public protocol View {
  associatedtype Body: View
  @ViewBuilder var body: Body { get }
}

extension Never: View {
  public var body: Never { return fatalError() }
}

@resultBuilder
public struct ViewBuilder {
  public static func buildExpression<Content: View>(_ content: Content) -> Text { Text("") }
  public static func buildBlock(_ content: Text...) -> Text { Text("") }
  public static func buildOptional(_ content: Text?) -> Text { Text("") }
  public static func buildEither(first: Text) -> Text { Text("") }
  public static func buildEither(second: Text) -> Text { Text("") }
}

public struct Text: View {
  public nonisolated init(_ text: String) {}
  public init(verbatim text: String) {}
  public var body: Never { return fatalError() }
}

public struct ProgressView: View {
  public init() {}
  public var body: Never { return fatalError() }
}

public struct Button: View {
  @preconcurrency
  public init(_ title: String, action: @escaping @MainActor () -> Void) {}
  public var body: Never { return fatalError() }
}

public struct TextField: View {
  public init(_ title: String, text: Binding<String>) {}
  public var body: Never { return fatalError() }
}

public struct VStack: View {
  public init(@ViewBuilder content: () -> Text) {}
  public var body: Never { return fatalError() }
}

public struct List: View {
  public init(@ViewBuilder content: () -> Text) {}
  public init<Data: RandomAccessCollection>(
    _ data: Data, @ViewBuilder row: @escaping (Data.Element) -> Text
  ) where Data.Element: Identifiable {}
  public var body: Never { return fatalError() }
}

extension View {
  public func task(
    priority: TaskPriority = .userInitiated,
    @_inheritActorContext _ action: sending @escaping @isolated(any) () async -> Void
  ) -> Text { Text("") }
  public func task<ID: Equatable>(
    id: ID, priority: TaskPriority = .userInitiated,
    @_inheritActorContext _ action: sending @escaping @isolated(any) () async -> Void
  ) -> Text { Text("") }
  public func onChange<Value: Equatable>(
    of value: Value, initial: Bool = false, _ action: @escaping () -> Void
  ) -> Text { Text("") }
  public func disabled(_ disabled: Bool) -> Text { Text("") }
  public func searchable(text: Binding<String>) -> Text { Text("") }
}

@propertyWrapper
public struct State<Value> {
  public init(wrappedValue: Value) {}
  public var wrappedValue: Value {
    get { fatalError() }
    nonmutating set {}
  }
  public var projectedValue: Binding<Value> { fatalError() }
}

@propertyWrapper
public struct Environment<Value> {
  public init(_ type: Value.Type) where Value: AnyObject & Observable {}
  @MainActor public var wrappedValue: Value { fatalError() }
}

@propertyWrapper @dynamicMemberLookup
public struct Binding<Value> {
  @preconcurrency
  public init(get: @escaping @isolated(any) @Sendable () -> Value, set: @escaping @isolated(any) @Sendable (Value) -> Void) {}
  public var wrappedValue: Value {
    get { fatalError() }
    nonmutating set {}
  }
  public var projectedValue: Binding<Value> { self }
  public subscript<Subject>(dynamicMember path: WritableKeyPath<Value, Subject>) -> Binding<Subject> { fatalError() }
}

@propertyWrapper @dynamicMemberLookup
public struct Bindable<Value> {
  public init(_ value: Value) where Value: AnyObject & Observable {}
  public init(wrappedValue: Value) where Value: AnyObject & Observable {}
  public var wrappedValue: Value { fatalError() }
  public var projectedValue: Bindable<Value> { self }
  public subscript<Subject>(
    dynamicMember path: ReferenceWritableKeyPath<Value, Subject>
  ) -> Binding<Subject> where Value: AnyObject { fatalError() }
}

@MainActor @preconcurrency
public protocol App {
  associatedtype Body: Scene
  init()
  var body: Body { get }
}

@MainActor @preconcurrency
public protocol Scene {}

public struct WindowGroup: Scene {
  public init(@ViewBuilder content: () -> Text) {}
}
