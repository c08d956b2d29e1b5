/// Workflow commands of GitHub Actions, one a finding, which show it beside the line of a pull request.
///
/// The format: "Workflow commands for GitHub Actions", section "Setting an error message".
package struct GitHubRenderer: Sendable {
  package init() {}

  package func render(_ diagnostics: Diagnostics) -> String {
    diagnostics.sorted.map { command($0) + "\n" }.joined()
      + (diagnostics.omission.map { "::notice::\($0)\n" } ?? "")
  }

  private func command(_ diagnostic: Diagnostic) -> String {
    let name =
      switch diagnostic.severity {
      case .error: "error"
      case .warning: "warning"
      case .info: "notice"
      }
    var properties: [String] = []
    if let span = diagnostic.span {
      properties = ["file=\(property(span.path))", "line=\(span.start.line)"]
      properties.append("endLine=\(span.end.line)")
      // Columns are taken for a single line only.
      if span.start.line == span.end.line {
        properties += ["col=\(span.start.column)", "endColumn=\(span.end.column)"]
      }
    }
    properties.append("title=\(property("\(diagnostic.code) \(diagnostic.rule)"))")
    let text = diagnostic.message + (diagnostic.help.map { "\n\($0)" } ?? "")
    return "::\(name) \(properties.joined(separator: ","))::\(data(text))"
  }

  private func data(_ text: String) -> String { escape(text, ["%", "\r", "\n"]) }

  private func property(_ text: String) -> String { escape(text, ["%", "\r", "\n", ":", ","]) }

  private func escape(_ text: String, _ characters: Set<Unicode.Scalar>) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      if characters.contains(scalar) {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        result += "%" + (digits.utf8.count < 2 ? "0" : "") + digits
      } else {
        result.unicodeScalars.append(scalar.shown)
      }
    }
    return result
  }
}
