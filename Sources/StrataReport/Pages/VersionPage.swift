import StrataEvolution
import StrataExpression
import StrataHistory
import StrataSchema
import StrataSource

/// `versions/N.html`, or `versions/working.html`: what the step to a version changed, its files, and the diagram of the version.
struct VersionPage {
  let name: String
  let version: ReportedVersion
  /// The pages of all versions, with what a link to them says.
  let pages: [(name: String, label: String)]

  var file: ReportFile {
    ReportFile(
      name: "\(Report.versionsFolder)/\(version.page).html",
      text: Page(
        name: name, title: "\(name), \(version.name)", root: "../", navigation: navigation,
        content: content
      ).text)
  }

  private var navigation: Markup {
    let place = pages.firstIndex { $0.name == version.page } ?? 0
    func link(_ index: Int, _ sign: String, _ rel: String, _ label: String) -> Markup {
      guard pages.indices.contains(index) else {
        return "<span class=\"off\" aria-hidden=\"true\">\(sign)</span>"
      }
      return
        "<a rel=\"\(rel)\" href=\"\(pages[index].name).html\" aria-label=\"\(label), \(pages[index].label)\">\(sign)</a>"
    }
    let options = pages.reversed().map { page -> Markup in
      "<option value=\"\(page.name)\"\(page.name == version.page ? " selected" as Markup : nil)>\(page.label)</option>"
    }
    return """
      <nav class="steps" aria-label="Versions">\(link(place - 1, "←", "prev", "The version before"))<select id="versions" \
      aria-label="Version">\(options)</select>\(link(place + 1, "→", "next", "The next version"))</nav>
      """
  }

  private var content: Markup {
    let changes = version.changes.map(\.change)
    let diagram = DiagramSVG(version.schema, title: "Models of \(version.name)", changes: changes)
    let marked: Markup? =
      changes.isEmpty
      ? nil
      : "<span class=\"marks\"><i class=\"mark added\"></i> new <i class=\"mark changed\"></i> changed in this version</span>"
    return """
      \(head)
      \(changeList)
      <section aria-labelledby="h-diagram"><div class="title"><h2 id="h-diagram">Models</h2>\(marked)</div>
      \(Pieces.diagram(diagram, name: "Diagram of \(version.name)"))</section>
      \(step)
      \(found)
      \(schemaText)
      \(ModelTables(schema: version.schema).markup)
      """
  }

  private var head: Markup {
    let states = ReportedChange.State.allCases.compactMap { state -> Markup? in
      let count = version.count(state)
      return count == 0 ? nil : Pieces.chip(state, state.words(count))
    }
    let line = version.version.line
    let because: Markup? = line?.because.map {
      "<p class=\"when\" dir=\"auto\">frozen again: \($0)</p>"
    }
    return """
      <section class="hero small"><h1>\(version.isFrozen ? "Version" : "Working version") \(version.number)</h1>\
      <p class="when">\(line.map { "frozen \($0.date)" } ?? "not frozen yet"), \
      \(counted(version.schema.models.count, "model"))</p>\(because)<p class="verdicts">\(Pieces.counts(version)) \
      \(states)</p></section>
      """
  }

  // MARK: Changes

  private var changeList: Markup {
    guard version.older != nil else {
      return
        "<section aria-labelledby=\"h-changes\"><h2 id=\"h-changes\">Changes</h2><p>The first version of the history.</p></section>"
    }
    guard !version.changes.isEmpty else {
      return """
        <section aria-labelledby="h-changes"><h2 id="h-changes">Changes</h2><p>\(version.absence)</p>\(dataChanges)</section>
        """
    }
    var groups: [(model: String, changes: [ReportedChange])] = []
    for change in version.changes {
      if groups.last?.model == change.change.path.model {
        groups[groups.count - 1].changes.append(change)
      } else {
        groups.append((change.change.path.model, [change]))
      }
    }
    let cards = groups.map { group -> Markup in
      let searched = group.changes.map(\.change.message).joined(separator: " ")
      return """
        <div class="card" data-text="\(group.model) \(searched)"><h3>\(link(group.model))</h3><ul class="changes">\
        \(group.changes.map { item($0) })</ul></div>
        """
    }
    return """
      <section aria-labelledby="h-changes"><h2 id="h-changes">Changes</h2><div class="cards">\(cards)</div>\(dataChanges)</section>
      """
  }

  /// What the step does to stored data beside the changes.
  private var dataChanges: Markup? {
    let items = version.dataChanges.map {
      "<li>\(Markup(sentence: $0.capitalised)).</li>" as Markup
    }
    return items.isEmpty ? nil : "<ul>\(items)</ul>"
  }

  private func link(_ model: String) -> Markup {
    let isThere =
      version.schema.model(named: model) != nil || version.schema.enumeration(named: model) != nil
    return isThere ? "<a href=\"#model-\(model)\">\(model)</a>" : "<s>\(model)</s>"
  }

  private func item(_ change: ReportedChange) -> Markup {
    let kind = change.change.kind
    let summary = RuleCatalogue.byKind[kind]?.summary ?? ""
    return """
      <li class="\(kind.effect.rawValue)"><span class="sign" aria-hidden="true">\(kind.effect.sign)</span><div>\
      <span>\(Markup(sentence: change.change.message))</span> \(Pieces.chip(change.state)) \
      <code class="rule" title="\(summary)">\(kind.code) \(kind.name)</code>\
      \(change.because.map { "<div class=\"because\" dir=\"auto\">“\($0)”</div>" as Markup })\
      \(change.evidence.map { "<div class=\"evidence\">\(Markup(sentence: $0))</div>" as Markup })</div></li>
      """
  }

  // MARK: The step

  private var step: Markup {
    var parts: [Markup] = []
    if let file = version.stepFile {
      let yaml = Highlight.yaml(file.bytes)
      parts.append("<h3>\(file.path)</h3>\(Pieces.code(yaml, label: file.path))")
    }
    for block in version.version.blocks {
      parts.append(
        "<h3>\(block.path)</h3>\(Pieces.code(Highlight.swift(block.bytes), label: block.path))")
    }
    guard version.older != nil else { return "" }
    if version.version.hasUnreadableStep {
      parts.append("<p>The step's file has questions or mistakes left and cannot be read.</p>")
    }
    if parts.isEmpty { parts = ["<p>\(withoutStep)</p>"] }
    return """
      <section aria-labelledby="h-step"><h2 id="h-step">Step</h2>\(parts)</section>
      """
  }

  /// What is said where there is no step.
  private var withoutStep: String {
    let open = version.count(.open)
    guard open == 0 else {
      return "There is none, and \(open) \(open == 1 ? "change needs" : "changes need") one."
    }
    return version.count(.verified) == 0
      ? "None is needed: every change is automatic."
      : "None is needed: every change is automatic or verified."
  }

  private var found: Markup {
    let accepted = version.step?.accept ?? []
    let reasons = accepted.map { acceptance -> Markup in
      """
      <li><span class="chip accepted">accepted</span> <code>\(acceptance.rule)</code> at \
      <code>\(acceptance.at.description)</code><div class="because" dir="auto">“\(acceptance.because)”</div></li>
      """
    }
    let findings = version.findings
    guard !accepted.isEmpty || !findings.isEmpty else { return "" }
    return """
      <section aria-labelledby="h-found"><h2 id="h-found">What <code>check</code> found</h2>\
      \(findings.isEmpty ? nil : Pieces.findings(findings.map { (Pieces.Span($0), nil) }))\
      \(accepted.isEmpty ? nil : "<ul class=\"findings\">\(reasons)</ul>" as Markup)</section>
      """
  }

  // MARK: The schema's text

  private var schemaText: Markup {
    let text = version.schema.canonicalYAML
    let full: Markup = """
      <details class="source"><summary>The whole schema, \(counted(text.split(separator: "\n").count, "line"))</summary>\
      \(Pieces.code(Highlight.yaml(Array(text.utf8)), label: "Schema of \(version.name)"))</details>
      """
    guard let older = version.older else {
      return "<section aria-labelledby=\"h-yaml\"><h2 id=\"h-yaml\">YAML</h2>\(full)</section>"
    }
    let diff = LineDiff(from: older.schema.canonicalYAML, to: text)
    let lines = diff.map { diff in
      Pieces.code(
        "\(diff.lines.map { line($0) })", label: "Difference from version \(older.number)")
    }
    return """
      <section aria-labelledby="h-yaml"><h2 id="h-yaml">YAML, compared with version \(older.number)</h2>\
      \(lines)\(full)</section>
      """
  }

  private func line(_ line: LineDiff.Line) -> Markup {
    switch line {
    case .same(let text): "<span class=\"l\">  \(Highlight.yaml(line: text[...]))</span>\n"
    case .removed(let text): "<del class=\"l\">− \(Highlight.yaml(line: text[...]))</del>\n"
    case .added(let text): "<ins class=\"l\">+ \(Highlight.yaml(line: text[...]))</ins>\n"
    case .skipped(let count): "<span class=\"l skip-lines\">⋯ \(counted(count, "line"))</span>\n"
    }
  }
}
