/// A file of the report.
package struct ReportFile: Sendable {
  /// Below the folder of the report: `index.html`, `versions/5.html`.
  package let name: String
  package let text: String
}

/// What all pages have: head, style, script, the bar at the top.
struct Page {
  /// The schema's name.
  var name: String
  /// What the browser's tab says.
  var title: String
  /// The way to the folder of the report: empty, or `../`.
  var root: String
  /// Beside the title in the bar.
  var navigation: Markup
  var content: Markup

  /// What all pages begin with.
  static let beginning = """
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-
    """

  var text: String {
    let security = ContentSecurity(style: ReportStyle.text, script: ReportScript.text)
    let page: Markup = """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="\(Markup(trusted: security.policy))">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="referrer" content="no-referrer">
      <meta name="color-scheme" content="light dark">
      <title>\(title)</title>
      <link rel="icon" href="data:image/svg+xml,\(Self.icon)">
      <style>\(Markup(trusted: ReportStyle.text))</style>
      </head>
      <body>
      <a class="skip" href="#main">Skip to the content</a>
      <header class="bar">
      <a class="home" href="\(root)index.html">\(Self.logo)<span dir="auto">\(name)</span></a>
      \(navigation)
      <div class="tools"><input id="search" type="search" placeholder="Search  /" aria-label="Search models, properties \
      and changes" autocomplete="off" spellcheck="false"><button id="theme" type="button" \
      aria-label="Switch between light and dark" title="Light or dark">◐</button></div>
      </header>
      <p id="said" class="hidden" role="status"></p>
      <main id="main">
      \(content)
      </main>
      <footer>Written by <code>strata docs</code>. This page loads nothing and works without a network.</footer>
      <script>\(Markup(trusted: ReportScript.text))</script>
      </body>
      </html>

      """
    return page.html
  }

  private static let icon: Markup =
    "%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath fill='%234c5fd5' d='M8 1 15 5 8 9 1 5Z'/%3E%3Cpath fill='%238796ee' d='M1 8 8 12 15 8V11L8 15 1 11Z'/%3E%3C/svg%3E"

  private static let logo: Markup = """
    <svg class="logo" viewBox="0 0 16 16" width="22" height="22" aria-hidden="true"><path fill="#4c5fd5" \
    d="M8 1 15 5 8 9 1 5Z"/><path fill="#8796ee" d="M1 8 8 12 15 8V11L8 15 1 11Z"/></svg>
    """
}

/// Pieces that several pages show.
enum Pieces {
  static func chip(_ state: ReportedChange.State, _ text: String? = nil) -> Markup {
    "<span class=\"chip \(state.rawValue)\">\(text ?? state.words)</span>"
  }

  static func counts(_ version: ReportedVersion) -> Markup {
    let chips = ChangeEffect.allCases.compactMap { effect -> Markup? in
      let count = version.count(effect)
      guard count > 0 else { return nil }
      return
        "<span class=\"count \(effect.rawValue)\" title=\"\(effect.rawValue)\">\(effect.sign)\(count)<span class=\"hidden\"> \(effect.rawValue)</span></span>"
    }
    return "\(chips)"
  }

  static func code(_ code: Markup, label: String) -> Markup {
    "<pre tabindex=\"0\" role=\"region\" aria-label=\"\(label)\" dir=\"ltr\"><code>\(code)</code></pre>"
  }

  static func diagram(_ diagram: DiagramSVG, name: String) -> Markup {
    """
    <div class="canvas" id="canvas" tabindex="0" role="region" aria-label="\(name). Arrow keys move, plus and minus zoom, \
    0 shows all.">\(diagram.markup)</div>
    <div class="legend"><span><i class="key">◆</i> primary key</span><span><i class="key">⚡</i> indexed or unique</span>\
    <span>link to \(end("M2 6H20M30 1V11", ring: true)) 0..1 \(end("M2 6H34M26 1V11M30 1V11")) 1 \
    \(end("M2 6H34M24 6 34 0M24 6 34 12M22 1V11")) 0..*</span><span><i class="line \
    own"></i> embedded</span><span>◁ inverse</span><span class="zoom"><button type="button" id="zoom-in" \
    aria-label="Zoom in">+</button><button type="button" id="zoom-out" aria-label="Zoom out">−</button>\
    <button type="button" id="zoom-all">Show all</button><button type="button" id="wide">Full screen</button>\
    <button type="button" id="save">Save SVG</button></span></div>
    """
  }

  private static func end(_ path: Markup, ring: Bool = false) -> Markup {
    let circle: Markup? =
      ring ? "<circle cx=\"24\" cy=\"6\" r=\"3.5\"/><path d=\"M28 6H34\"/>" : nil
    return """
      <svg class="end-key" viewBox="0 0 36 12" width="36" height="12" aria-hidden="true"><path d="\(path)"/>\(circle)</svg>
      """
  }

  static func findings(_ findings: [(finding: Span, version: Int?)]) -> Markup {
    let items = findings.map { entry -> Markup in
      """
      <li class="finding \(entry.finding.severity)"><span class="chip \(entry.finding.severity)">\
      \(entry.finding.severity)</span> <span>\(Markup(sentence: entry.finding.message))</span> \
      <code class="rule">\(entry.finding.code)</code>\
      \(entry.finding.place.map { "<div class=\"place\">\($0)</div>" as Markup })\
      \(entry.finding.help.map { "<div class=\"help\">\(Markup(sentence: $0))</div>" as Markup })</li>
      """
    }
    return "<ul class=\"findings\">\(items)</ul>"
  }

  /// A finding, as a page shows it.
  struct Span {
    var severity: String
    var code: String
    var message: String
    var place: String?
    var help: String?
  }
}
