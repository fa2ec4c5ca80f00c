import CGtk

/// A widget that Swift keeps, as a property keeps a view in UIKit.
@MainActor
open class Widget {
  public let pointer: UnsafeMutableRawPointer

  /// What GTK's functions take where they want a `GtkWidget *`.
  public var widget: UnsafeMutablePointer<GtkWidget> {
    pointer.assumingMemoryBound(to: GtkWidget.self)
  }

  /// What they take for a type whose fields are not public.
  public var opaque: OpaquePointer { OpaquePointer(pointer) }

  /// Keeps a widget that was just made.
  public init(_ made: UnsafeMutablePointer<GtkWidget>!) {
    pointer = g_object_ref_sink(made)
  }

  isolated deinit {
    g_object_unref(pointer)
  }

  /// For tests and style sheets.
  public var name: String {
    get { String(cString: gtk_widget_get_name(widget)) }
    set { gtk_widget_set_name(widget, newValue) }
  }

  public var isEnabled: Bool {
    get { gtk_widget_get_sensitive(widget) != 0 }
    set { gtk_widget_set_sensitive(widget, newValue ? 1 : 0) }
  }

  public var isVisible: Bool {
    get { gtk_widget_get_visible(widget) != 0 }
    set { gtk_widget_set_visible(widget, newValue ? 1 : 0) }
  }

  /// Adds a class of the theme's: "heading", "title-1".
  public func addStyle(_ name: String) {
    gtk_widget_add_css_class(widget, name)
  }

  public func focus() {
    gtk_widget_grab_focus(widget)
  }

  /// Called when the widget comes on the screen, before it is drawn there.
  public func onAppear(_ body: @escaping () -> Void) {
    connect(pointer, "map") { _ in body() }
  }

  /// Called when it leaves the screen: hidden, or its window was closed.
  public func onDisappear(_ body: @escaping () -> Void) {
    connect(pointer, "unmap") { _ in body() }
  }
}
