// A stand-in for UIKit: declares what the documents use of it, with the isolation that it has there.

@MainActor
open class UIView {
  public init() {}
  public func addSubview(_ view: UIView) {}
}

open class UILabel: UIView {
  public var text: String?
}

open class UIControl: UIView {
  public struct Event: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let editingChanged = Event(rawValue: 1)
    public static let touchUpInside = Event(rawValue: 2)
  }
  public var isEnabled = true
  public func addAction(_ action: UIAction, for event: Event) {}
}

open class UIButton: UIControl {}

open class UITextField: UIControl {
  public var text: String?
}

@MainActor
public final class UIAction {
  public init(handler: @escaping @MainActor (UIAction) -> Void) {}
}

@MainActor
open class UIViewController {
  public init() {}
  public var view = UIView()
  open func viewDidLoad() {}
  open func viewWillAppear(_ animated: Bool) {}
  open func viewDidDisappear(_ animated: Bool) {}
}
