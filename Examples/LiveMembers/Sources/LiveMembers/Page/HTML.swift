/// The whole page: it works without the script, which makes it live.
///
/// - Parameters:
///   - error: Why the last command of this person was refused, if it was.
///   - name: What was typed then.
func pageHTML(_ roster: Roster, error: String = "", name: String = "") -> String {
  """
  <!doctype html>
  <html lang="en">
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="color-scheme" content="light dark">
  <title>Live members</title>
  <link rel="icon" href="data:,">
  <link rel="stylesheet" href="/page.css">
  <script src="/page.js" defer></script>
  <header>
    <h1>Live members</h1>
    <p id="connection" role="status"><noscript>Reload to see changes</noscript></p>
  </header>
  <main>
    <form id="add" method="post" action="/members">
      <label for="name">Name</label>
      <input id="name" name="name" value="\(escaped(name))" required maxlength="100" autocomplete="off"
        autofocus>
      <input type="hidden" name="key" value="\(String.randomKey())">
      <button>Add</button>
    </form>
    <p id="error" role="alert">\(escaped(error))</p>
    <section id="list" data-id="\(roster.id)" aria-live="polite">\(listHTML(roster))</section>
  </main>
  </html>

  """
}

/// The part that changes, without line breaks. Its keys are the same for everybody: removing a member
/// twice is removing it once, and so is removing everybody while nobody has come since.
func listHTML(_ roster: Roster) -> String {
  let count = roster.members.count
  var html = "<h2 id=\"count\">\(count == 0 ? "No members" : count == 1 ? "1 member" : "\(count) members")</h2>"
  html += "<ul>"
  for member in roster.members {
    let name = escaped(member.name)
    html += "<li><bdi>\(name)</bdi>"
    html += buttonHTML(
      "Remove", label: "Remove \(name)", action: "/members/\(member.id)/remove",
      key: "remove-\(roster.list)-\(member.id)")
    html += "</li>"
  }
  html += "</ul>"
  if count > 0 {
    html += buttonHTML(
      "Remove all", label: "Remove all members", action: "/members/remove-all",
      key: "clear-\(roster.id)")
  }
  return html
}

private func buttonHTML(_ text: String, label: String, action: String, key: String) -> String {
  """
  <form method="post" action="\(action)"><input type="hidden" name="key" value="\(key)">\
  <button id="\(key)" aria-label="\(label)">\(text)</button></form>
  """
}

/// Text as it is written in HTML, inside and outside attributes.
func escaped(_ text: String) -> String {
  var html = ""
  for scalar in text.unicodeScalars {
    switch scalar {
    case "&": html += "&amp;"
    case "<": html += "&lt;"
    case ">": html += "&gt;"
    case "\"": html += "&quot;"
    case "'": html += "&#39;"
    case "\n", "\r": html += "&#\(scalar.value);"
    default: html.unicodeScalars.append(scalar)
    }
  }
  return html
}
