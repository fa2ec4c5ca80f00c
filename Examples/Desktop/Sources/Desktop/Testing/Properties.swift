import CGtk

/// The first widget with this name, in a widget or below it.
func find(
  _ name: String, in widget: UnsafeMutablePointer<GtkWidget>
) -> UnsafeMutablePointer<GtkWidget>? {
  if String(cString: gtk_widget_get_name(widget)) == name { return widget }
  var child = gtk_widget_get_first_child(widget)
  while let current = child {
    if let found = find(name, in: current) { return found }
    child = gtk_widget_get_next_sibling(current)
  }
  return nil
}

/// A property of an object as text; nil if it has none with this name.
func propertyText(_ name: String, of widget: UnsafeMutablePointer<GtkWidget>) -> String? {
  let object = UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GObject.self)
  let type = UnsafeMutableRawPointer(widget.pointee.parent_instance.g_type_instance.g_class!)
  guard g_object_class_find_property(type.assumingMemoryBound(to: GObjectClass.self), name) != nil
  else { return nil }
  var value = GValue()
  g_object_get_property(object, name, &value)
  var text = GValue()
  g_value_init(&text, g_string_type())
  g_value_transform(&value, &text)
  defer {
    g_value_unset(&value)
    g_value_unset(&text)
  }
  return g_value_get_string(&text).map { String(cString: $0) }
}

/// Whether what is typed goes to a widget, or to one inside it.
func hasFocus(_ widget: UnsafeMutablePointer<GtkWidget>) -> Bool {
  gtk_widget_get_state_flags(widget).rawValue & GTK_STATE_FLAG_FOCUS_WITHIN.rawValue != 0
}

/// The middle of a widget, in pixels of its window's surface.
func place(_ widget: UnsafeMutablePointer<GtkWidget>) -> String? {
  guard let native = gtk_widget_get_native(widget) else { return nil }
  var (left, top) = (0.0, 0.0)
  gtk_native_get_surface_transform(native, &left, &top)
  var bounds = graphene_rect_t()
  let window = UnsafeMutableRawPointer(native).assumingMemoryBound(to: GtkWidget.self)
  guard gtk_widget_compute_bounds(widget, window, &bounds) != 0 else { return nil }
  let x = left + Double(bounds.origin.x + bounds.size.width / 2)
  let y = top + Double(bounds.origin.y + bounds.size.height / 2)
  return "\(Int(x)) \(Int(y))"
}
