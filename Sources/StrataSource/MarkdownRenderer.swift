/// Findings as Markdown, for a comment on a pull request: a heading with their number, and a table.
package struct MarkdownRenderer: Sendable {
  /// How many findings a table has; servers refuse long comments.
  package static let maximumRows = 200

  package init() {}

  package func render(_ diagnostics: Diagnostics) -> String {
    let findings = diagnostics.sorted
    guard !findings.isEmpty else { return "**No findings.**\n" }
    var text =
      "**\(summary(findings, of: diagnostics))**\n\n| | where | what | what to do |\n|---|---|---|---|\n"
    for finding in findings.prefix(Self.maximumRows) {
      let place = finding.span.map { "`\(MarkdownText.code($0.path)):\($0.start.line)`" } ?? ""
      text +=
        "| \(finding.severity.rawValue) | \(place) | \(MarkdownText.escaped(finding.message)) [\(finding.code)] "
        + "| \(MarkdownText.escaped(finding.help ?? "")) |\n"
    }
    let omitted = findings.count - Self.maximumRows + diagnostics.omittedCount
    if omitted > 0 { text += "\n\(omitted) more are not shown.\n" }
    return text
  }

  private func summary(_ findings: [Diagnostic], of diagnostics: Diagnostics) -> String {
    Severity.allCases.reversed().compactMap { severity in
      let count =
        findings.count { $0.severity == severity } + diagnostics.omittedCount(of: severity)
      let word = severity == .info ? "hint" : severity.rawValue
      return count == 0 ? nil : "\(count) \(word)\(count == 1 ? "" : "s")"
    }.joined(separator: ", ")
  }
}
