import StrataEvolution
import StrataExpression
import StrataHistory
import StrataSchema
import StrataSource

/// `index.html`: the newest version's diagram, the history as a timeline, and what `check` found.
struct OverviewPage {
  let name: String
  let versions: [ReportedVersion]
  let findings: [Diagnostic]

  /// Models that a timeline entry names before it counts the rest.
  private static let namedChanges = 3

  var file: ReportFile {
    ReportFile(
      name: "index.html",
      text: Page(name: name, title: name, root: "", navigation: "", content: content).text)
  }

  private var content: Markup {
    guard let newest = versions.last else { return "<p>There is no version yet.</p>" }
    let diagram = DiagramSVG(newest.schema, title: "Models of \(newest.name)")
    return """
      \(hero(newest))
      <section aria-labelledby="h-diagram"><div class="title"><h2 id="h-diagram">Models of \(newest.name)</h2>\
      <a href="versions/\(newest.page).html">Details</a></div>
      \(Pieces.diagram(diagram, name: "Diagram of \(newest.name)"))</section>
      <section aria-labelledby="h-history"><h2 id="h-history">History</h2>\(versions.count > 1 ? chart : nil)\(timeline)</section>
      <section aria-labelledby="h-findings"><h2 id="h-findings">What <code>check</code> found</h2>\(found)</section>
      \(ModelTables(schema: newest.schema).markup)
      """
  }

  private func hero(_ newest: ReportedVersion) -> Markup {
    let schema = newest.schema
    let properties = schema.models.reduce(0) { $0 + $1.properties.count }
    let links = schema.models.reduce(0) {
      $0 + $1.properties.count { !$0.type.isInverse && $0.type.linkedModel != nil }
    }
    let changes = versions.flatMap(\.changes)
    let dates = versions.compactMap { $0.version.line?.date }
    let facts = [
      (versions.count, "version", "versions"), (schema.models.count, "model", "models"),
      (properties, "property", "properties"), (links, "link", "links"),
      (schema.enums.count, "enum", "enums"), (changes.count, "change so far", "changes so far"),
    ]
    let span: Markup? =
      if let first = dates.first, let last = dates.last {
        first == last
          ? "<p class=\"when\">frozen \(first)</p>"
          : "<p class=\"when\">frozen from \(first) to \(last)</p>"
      } else { nil }
    let figures = facts.map { count, one, many in
      "<div class=\"fact\"><dd>\(count)</dd><dt>\(count == 1 ? one : many)</dt></div>" as Markup
    }
    let open = changes.count { $0.state == .open }
    let verdicts = ReportedChange.State.allCases.compactMap { state -> Markup? in
      let count = changes.count { $0.state == state }
      return count == 0 ? nil : Pieces.chip(state, state.words(count))
    }
    return """
      <section class="hero"><h1 dir="auto">\(name)</h1>\(span)<dl class="facts">\(figures)</dl>\
      <p class="verdicts">\(verdicts)\(open == 0 && changes.count > 0
        ? " Every change has its answer." as Markup : nil)</p></section>
      """
  }

  // MARK: The history

  /// How much each step changed, a bar each.
  private var chart: Markup {
    let most = max(1, versions.map(\.changes.count).max() ?? 1)
    let width = 12
    func height(_ count: Int) -> Int {
      count == 0 ? 0 : max(2, Int((Double(count) / Double(most)).squareRoot() * 84.0))
    }
    let bars = versions.enumerated().map { index, version -> Markup in
      var y = 90
      let total = height(version.changes.count)
      let parts = ChangeEffect.allCases.map { effect -> Markup in
        let count = version.count(effect)
        guard count > 0 else { return "" }
        let part = max(1, total * count / max(1, version.changes.count))
        y -= part
        return
          "<rect class=\"\(effect.rawValue)\" x=\"\(index * width + 2)\" y=\"\(y)\" width=\"\(width - 3)\" height=\"\(part)\" rx=\"1\"/>"
      }
      return """
        <a href="versions/\(version.page).html" aria-label="\(version.name): \(counted(version.changes.count, "change"))">\
        <rect class="slot" x="\(index * width)" y="0" width="\(width)" height="94" fill="transparent"/>\
        <rect class="base" x="\(index * width + 2)" y="91" width="\(width - 3)" height="2"/>\(parts)\
        <title>\(version.name): \(counted(version.changes.count, "change"))</title></a>
        """
    }
    return """
      <div class="chart" tabindex="0" role="region" aria-label="Changes of each version"><svg viewBox="0 0 \
      \(versions.count * width) 96" width="\(versions.count * width)" height="96" role="group" \
      aria-label="Changes of each version, a bar each">\(bars)</svg></div>
      """
  }

  private var timeline: Markup {
    let rows = versions.reversed().map { entry($0) }
    return "<ol class=\"timeline\" reversed>\(rows)</ol>"
  }

  private func entry(_ version: ReportedVersion) -> Markup {
    let worst =
      [ReportedChange.State.open, .accepted, .covered, .verified].first { version.count($0) > 0 }
      ?? .automatic
    let important = version.changes.sorted { rank($0) < rank($1) }
    let lines = important.prefix(Self.namedChanges).map { change -> Markup in
      "<li class=\"\(change.change.kind.effect.rawValue)\">\(Markup(sentence: change.change.message))</li>"
    }
    let rest = version.changes.count - lines.count
    let more: Markup? = rest > 0 ? "<li class=\"more\">and \(rest) more</li>" : nil
    let searched = version.changes.map(\.change.message).joined(separator: " ")
    let first: Markup? =
      version.older == nil
      ? "<li class=\"added\">the first version, \(counted(version.schema.models.count, "model"))</li>"
      : version.changes.isEmpty
        ? version.dataChanges.isEmpty
          ? "<li class=\"more\">nothing that stored data would notice</li>"
          : "<li class=\"changed\">the step changes stored data</li>" : nil
    let step: [Markup] = [
      version.stepFile == nil ? "" : "<span class=\"tag\">step</span>",
      version.version.blocks.isEmpty ? "" : "<span class=\"tag\">Swift block</span>",
      version.isFrozen ? "" : "<span class=\"tag work\">not frozen</span>",
    ]
    return """
      <li class="entry \(worst.rawValue)" data-text="\(searched)" value="\(version.number)"><a class="number" \
      href="versions/\(version.page).html">\(version.number)<span class="hidden"> — \(version.name)</span></a>\
      <div class="what"><div class="line"><span class="date">\(version.version.line?.date ?? "")</span>\
      \(Pieces.counts(version))\(step)</div><ul>\(first)\(Array(lines))\(more)</ul></div></li>
      """
  }

  private func rank(_ change: ReportedChange) -> Int {
    let state: Int =
      switch change.state {
      case .open: 0
      case .accepted: 1
      case .covered: 2
      case .verified: 3
      case .automatic: 4
      }
    return state * 2 + (change.change.path.property == nil ? 0 : 1)
  }

  // MARK: Findings

  private var found: Markup {
    guard !findings.isEmpty else {
      return "<p class=\"good\">Nothing. Every rule holds for every version.</p>"
    }
    return Pieces.findings(findings.map { (Pieces.Span($0), nil) })
  }
}

extension Pieces.Span {
  init(_ finding: Diagnostic) {
    self.init(
      severity: finding.severity.rawValue, code: "\(finding.code) \(finding.rule)",
      message: finding.message,
      place: finding.span.map { "\($0.path):\($0.start.line):\($0.start.column)" },
      help: finding.help)
  }
}
