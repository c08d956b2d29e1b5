/// A code quality report of GitLab: one JSON array, an object for each finding, which a merge request shows beside its line.
///
/// The format: GitLab, "Code Quality", section "Code Quality report format". A finding about no file stands at `strata.yaml`.
package struct GitLabRenderer: Sendable {
  package init() {}

  package func render(_ diagnostics: Diagnostics) -> String {
    var counts: [String: Int] = [:]
    var issues = diagnostics.sorted.map { finding in
      let path = finding.span?.path ?? Self.settings
      // Lines move while a finding stays: what it says counts, and which one it is of those that say the same.
      let identity = "\(finding.code)\n\(path)\n\(finding.message)"
      let number = counts[identity, default: 0]
      counts[identity] = number + 1
      let help = finding.help.map { "; \($0)" } ?? ""
      return issue(
        "\(finding.code) \(finding.rule)", finding.message + help, severity(finding.severity),
        "\(identity)\n\(number)", path, finding.span)
    }
    if let omission = diagnostics.omission {
      issues.append(issue("more findings", omission, "info", "more findings", Self.settings, nil))
    }
    return JSONText.array(issues).prettyText
  }

  /// Where a finding about no file stands.
  private static let settings = "strata.yaml"

  private func issue(
    _ check: String, _ description: String, _ severity: String, _ identity: String, _ path: String,
    _ span: SourceSpan?
  ) -> JSONText {
    let lines: JSONText = .object([
      ("begin", .int(span?.start.line ?? 1)), ("end", .int(span?.end.line ?? 1)),
    ])
    return .object([
      ("type", .string("issue")),
      ("check_name", .string(check)),
      ("description", .string(description)),
      ("categories", .array([.string("Bug Risk")])),
      ("severity", .string(severity)),
      ("fingerprint", .string(Self.fingerprint(identity))),
      ("location", .object([("path", .string(path)), ("lines", lines)])),
    ])
  }

  private func severity(_ severity: Severity) -> String {
    switch severity {
    case .error: "critical"
    case .warning: "minor"
    case .info: "info"
    }
  }

  /// FNV-1a of 64 bits, twice with different starts: fingerprints have to differ, not to be secret.
  private static func fingerprint(_ text: String) -> String {
    [0xcbf2_9ce4_8422_2325, 0x8422_2325_cbf2_9ce4].map { (start: UInt64) in
      let hash = text.utf8.reduce(start) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
      let digits = String(hash, radix: 16)
      return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }.joined()
  }
}
