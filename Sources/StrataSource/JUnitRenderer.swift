/// A JUnit report: a suite for each file, a test case for each finding. What the run fails for fails here, too; what is less
/// severe is output of a case that passes. Without findings one case says that all is well.
package struct JUnitRenderer: Sendable {
  /// The least severity that fails.
  private let threshold: Severity

  package init(failingFrom threshold: Severity = .error) { self.threshold = threshold }

  package func render(_ diagnostics: Diagnostics) -> String {
    let findings = diagnostics.sorted
    var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    let more = diagnostics.omission == nil ? 0 : 1
    text += "<testsuites name=\"strata check\" \(counts(findings, and: more))>\n"
    if findings.isEmpty {
      text += "  <testsuite name=\"strata check\" tests=\"1\" failures=\"0\">\n"
      text += "    <testcase classname=\"strata check\" name=\"no findings\"/>\n  </testsuite>\n"
    }
    // They are sorted by file.
    var rest = findings[...]
    while let first = rest.first {
      let file = first.span?.path ?? ""
      let own = rest.prefix { ($0.span?.path ?? "") == file }
      rest = rest[own.endIndex...]
      let name = file.isEmpty ? "strata check" : file
      text += "  <testsuite name=\"\(escape(name))\" \(counts(own))>\n"
      for finding in own { text += testCase(finding, suite: name, sources: diagnostics.sources) }
      text += "  </testsuite>\n"
    }
    if let omission = diagnostics.omission {
      text += "  <testsuite name=\"strata check\" tests=\"1\" failures=\"0\">\n"
      text += "    <testcase classname=\"strata check\" name=\"more findings\">\n"
      text += "      <system-out>\(omission)</system-out>\n"
      text += "    </testcase>\n  </testsuite>\n"
    }
    return text + "</testsuites>\n"
  }

  private func counts(_ findings: some Collection<Diagnostic>, and more: Int = 0) -> String {
    let failures = findings.count { $0.severity >= threshold }
    return "tests=\"\(max(1, findings.count + more))\" failures=\"\(failures)\""
  }

  private func testCase(
    _ finding: Diagnostic, suite: String, sources: [String: SourceFile]
  ) -> String {
    let place = finding.span.map { " \($0.start.line):\($0.start.column)" } ?? ""
    let name = escape("\(finding.code) \(finding.rule)\(place)")
    let body = escape(TextRenderer().render(finding, sources: sources))
    var text = "    <testcase classname=\"\(escape(suite))\" name=\"\(name)\""
    if let span = finding.span {
      text += " file=\"\(escape(span.path))\" line=\"\(span.start.line)\""
    }
    text += ">\n"
    if finding.severity >= threshold {
      text += "      <failure type=\"\(finding.code)\" message=\"\(escape(finding.message))\">"
      text += "\(body)</failure>\n"
    } else {
      text += "      <system-out>\(body)</system-out>\n"
    }
    return text + "    </testcase>\n"
  }

  /// XML 1.0 has no way to write most control characters.
  private func escape(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\n", "\t": result.unicodeScalars.append(scalar)
      case "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
      default: result.unicodeScalars.append(scalar.shown)
      }
    }
    return result
  }
}
