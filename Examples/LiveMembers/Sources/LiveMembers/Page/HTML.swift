import Foundation

/// The whole page. It works without its script, which makes it live.
///
/// - Parameters:
///   - error: Why the last command of this person was refused, if it was.
///   - name: What was typed then.
func pageHTML(_ roster: Roster, error: String = "", name: String = "") -> String {
  let values = [
    "name": escaped(name), "key": .randomKey(), "error": escaped(error), "id": roster.id,
    "list": listHTML(roster),
  ]
  // Split once, so that braces in a name are not taken for a place.
  return pageTemplate.map { values[$0] ?? $0 }.joined()
}

private let pageTemplate = String(decoding: PackageResources.page_html, as: UTF8.self)
  .split { "{}".contains($0) }.map(String.init)

/// The part that changes, without line breaks. Its keys are the same for everybody: removing a member
/// twice is removing it once, and so is removing everybody while nobody has come since.
func listHTML(_ roster: Roster) -> String {
  let count = roster.members.count
  let heading = "\(count == 0 ? "No" : "\(count)") member\(count == 1 ? "" : "s")"
  var html = "<h2 id=\"count\">\(heading)</h2><ul>"
  for member in roster.members {
    html += "<li><bdi>\(escaped(member.name))</bdi>"
    html += buttonHTML(
      "Remove", label: "Remove \(escaped(member.name))", action: "/members/\(member.id)/remove",
      key: "remove-\(roster.list)-\(member.id)")
    html += "</li>"
  }
  html += "</ul>"
  guard count > 0 else { return html }
  return html
    + buttonHTML(
      "Remove all", label: "Remove all members", action: "/members/remove-all",
      key: "clear-\(roster.id)")
}

private func buttonHTML(_ text: String, label: String, action: String, key: String) -> String {
  """
  <form method="post" action="\(action)"><input type="hidden" name="key" value="\(key)">\
  <button id="\(key)" aria-label="\(label)">\(text)</button></form>
  """
}

/// Text as it is written in HTML, inside and outside attributes.
func escaped(_ text: String) -> String {
  text.unicodeScalars.reduce(into: "") { html, scalar in
    switch scalar {
    case "&", "<", ">", "\"", "'", "\n", "\r": html += "&#\(scalar.value);"
    default: html.unicodeScalars.append(scalar)
    }
  }
}
