import StrataEvolution
import StrataExpression
import StrataSchema
import StrataSource

extension ChangeStory {
  /// A change in a list of a pull request is left out after so many.
  static let maximumLines = 200

  /// The story as GitHub's Markdown.
  package var markdown: String {
    var text = "## Schema \(MarkdownText.escaped(schemaName))\n\n"
    guard !versions.isEmpty, versions.contains(where: { $0.older != nil || baseline == nil }) else {
      return text + "No change for stored data: no version is new"
        + (baseline.map { " against \($0)" } ?? "") + ".\n"
    }
    text += summary
    for version in versions { text += story(of: version) }
    text += riskList
    if let samples { text += rowsTouched(samples) }
    text += changelog
    return text
  }

  private var summary: String {
    let changes = versions.flatMap(\.changes)
    let open = changes.count { $0.state == .open }
    let verified = changes.filter { $0.state == .verified }
    let broken = verified.count { $0.evidence != nil }
    let numbers = versions.map { "\($0.isFrozen ? "" : "working ")version \($0.number)" }
    let first = versions.first.flatMap(\.older).map { "from version \($0.number) to " } ?? "to "
    return "**\(counted(changes.count, "change"))** \(first)\(numbers.last ?? "")"
      + (baseline.map { " (against \($0))" } ?? "") + ": "
      + (open == 0
        ? changes.isEmpty && versions.contains { !$0.dataChanges.isEmpty }
          ? "the declarations stay as they are for stored data, and **the step changes it.**"
          : "every change is automatic, \(verified.isEmpty ? "" : "verified, ")covered by a step or accepted."
        : "**\(open) \(open == 1 ? "needs" : "need") a step.**")
      + (broken == 0
        ? ""
        : " **\(broken) \(broken == 1 ? "rule is" : "rules are") broken by objects of samples, which are refused.**")
      + "\n"
  }

  private func story(of version: ReportedVersion) -> String {
    let title = version.isFrozen ? "Version \(version.number)" : "Working version \(version.number)"
    var text = "\n### \(title)\n\n"
    if version.older == nil {
      return text
        + "The first version: \(counted(version.schema.models.count, "model")), nothing to upgrade from.\n"
    }
    guard !version.changes.isEmpty else {
      return text + version.absence + "\n"
        + version.dataChanges.map { "- \(MarkdownText.escaped($0))\n" }.joined()
    }
    text += "| | change | verdict | rule |\n|---|---|---|---|\n"
    for change in version.changes.prefix(Self.maximumLines) {
      let sign =
        switch change.change.kind.effect {
        case .added: "🟢"
        case .removed: "🔴"
        case .changed: "🟡"
        }
      var verdict = change.state == .open ? "**needs a step**" : change.state.words
      if let because = change.because { verdict += ": \(MarkdownText.escaped(because))" }
      text +=
        "| \(sign) | \(MarkdownText.escaped(change.change.message)) | \(verdict) | `\(change.change.kind.code)` "
        + "\(change.change.kind.name) |\n"
    }
    if version.changes.count > Self.maximumLines {
      text += "\n… and \(version.changes.count - Self.maximumLines) more.\n"
    }
    return text
  }

  private var riskList: String {
    let risks = risks
    var text = "\n### Risks\n\n"
    guard !risks.isEmpty else { return text + "- none: no stored value is lost or rewritten\n" }
    for item in risks.prefix(Self.maximumLines) {
      let label =
        switch item.risk {
        case .high: "🔴 **high**"
        case .medium: "🟡 **medium**"
        case .low: "🟢 low"
        }
      text += "- \(label) \(MarkdownText.escaped(item.text))"
      text += item.code.isEmpty ? "\n" : " (`\(item.code)`)\n"
    }
    if risks.count > Self.maximumLines {
      text += "- … and \(risks.count - Self.maximumLines) more\n"
    }
    return text
  }

  private func rowsTouched(_ samples: [(version: Int, rows: SampleRows)]) -> String {
    var text = "\n### Rows touched on samples\n\n"
    let lines = samples.flatMap { sample in
      sample.rows.rows.map {
        "| `\(MarkdownText.code(sample.rows.file))` (v\(sample.rows.version)) | v\(sample.version) | `\($0.model)` | "
          + "\(grouped($0.objects)) | \(MarkdownText.escaped($0.what)) |\n"
      }
    }
    guard !lines.isEmpty else {
      return text + "No sample holds objects that a step touches.\n"
    }
    text += "| sample | step | model | rows | what |\n|---|---|---|---:|---|\n"
    text += lines.prefix(Self.maximumLines).joined()
    if lines.count > Self.maximumLines {
      text += "\n… and \(lines.count - Self.maximumLines) more.\n"
    }
    return text
  }

  /// In the form of keepachangelog.com, to be rewritten for the readers of the app.
  private var changelog: String {
    let changes = versions.flatMap(\.changes)
    let dataChanges = versions.flatMap(\.dataChanges)
    var text = "\n### Draft of the changelog\n\n```markdown\n"
    for (effect, title) in [
      (ChangeEffect.added, "Added"), (.changed, "Changed"), (.removed, "Removed"),
    ] {
      var messages = changes.filter { $0.change.kind.effect == effect }.map(\.change.message)
      if effect == .changed { messages += dataChanges }
      guard !messages.isEmpty else { continue }
      text += "### \(title)\n\n"
      for message in messages.prefix(Self.maximumLines) {
        text += "- \(MarkdownText.line(message).capitalised).\n"
      }
      if messages.count > Self.maximumLines {
        text += "- … and \(messages.count - Self.maximumLines) more.\n"
      }
      text += "\n"
    }
    if changes.isEmpty, dataChanges.isEmpty { text += "Nothing that stored data would notice.\n" }
    return text.trimmingEnd + "\n```\n"
  }
}

extension String {
  /// With an upper-case letter at the beginning.
  var capitalised: String { prefix(1).uppercased() + dropFirst() }

  fileprivate var trimmingEnd: String {
    var text = self
    while text.hasSuffix("\n") { text.removeLast() }
    return text
  }
}
