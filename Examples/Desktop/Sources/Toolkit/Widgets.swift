import CGtk

public final class Label: Widget {
  public init(_ text: String = "") {
    super.init(gtk_label_new(text))
    gtk_label_set_xalign(opaque, 0)
    gtk_label_set_wrap(opaque, 1)
  }

  public var text: String {
    get { String(cString: gtk_label_get_text(opaque)) }
    set { gtk_label_set_text(opaque, newValue) }
  }
}

public final class Button: Widget {
  public init(_ title: String) {
    super.init(gtk_button_new_with_label(title))
  }

  public func onClick(_ body: @escaping () -> Void) {
    connect(pointer, "clicked") { _ in body() }
  }

  /// Does what a click would do, if the button is enabled.
  public func click() {
    gtk_widget_activate(widget)
  }
}

public final class Spinner: Widget {
  public init() {
    super.init(gtk_spinner_new())
  }

  public var isSpinning: Bool {
    get { gtk_spinner_get_spinning(opaque) != 0 }
    set { gtk_spinner_set_spinning(opaque, newValue ? 1 : 0) }
  }
}

/// Widgets in a row or in a column.
public final class Box: Widget {
  public static func row(_ children: Widget...) -> Box {
    Box(GTK_ORIENTATION_HORIZONTAL, children)
  }

  public static func column(_ children: Widget...) -> Box {
    Box(GTK_ORIENTATION_VERTICAL, children)
  }

  private init(_ orientation: GtkOrientation, _ children: [Widget]) {
    super.init(gtk_box_new(orientation, 8))
    children.forEach(add)
  }

  private var box: UnsafeMutablePointer<GtkBox> { pointer.assumingMemoryBound(to: GtkBox.self) }

  public func add(_ child: Widget) {
    gtk_box_append(box, child.widget)
  }

  public func removeAll() {
    while let child = gtk_widget_get_first_child(widget) { gtk_box_remove(box, child) }
  }

  public var margin: Int32 {
    get { gtk_widget_get_margin_start(widget) }
    set {
      gtk_widget_set_margin_start(widget, newValue)
      gtk_widget_set_margin_end(widget, newValue)
      gtk_widget_set_margin_top(widget, newValue)
      gtk_widget_set_margin_bottom(widget, newValue)
    }
  }
}

/// Scrolls one widget, and takes all the height there is.
public final class ScrollView: Widget {
  public init(_ child: Widget) {
    super.init(gtk_scrolled_window_new())
    gtk_scrolled_window_set_child(opaque, child.widget)
    gtk_widget_set_vexpand(widget, 1)
  }
}
