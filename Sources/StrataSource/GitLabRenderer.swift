/// A code quality report of GitLab: one JSON array, an object for each finding, which a merge request shows beside its line.
///
/// The format: GitLab, "Code Quality", section "Code Quality report format". A finding about no file stands at `strata.yaml`.
package struct GitLabRenderer: Sendable {
  package init() {}

  package func render(_ diagnostics: Diagnostics) -> String {
    var counts: [String: Int] = [:]
    return JSONText.array(
      diagnostics.sorted.map { finding in
        let path = finding.span?.path ?? "strata.yaml"
        // Lines move while a finding stays: what it says counts, and which one it is of those that say the same.
        let identity = "\(finding.code)\n\(path)\n\(finding.message)"
        let number = counts[identity, default: 0]
        counts[identity] = number + 1
        let help = finding.help.map { "; \($0)" } ?? ""
        return .object([
          ("type", .string("issue")),
          ("check_name", .string("\(finding.code) \(finding.rule)")),
          ("description", .string(finding.message + help)),
          ("categories", .array([.string("Bug Risk")])),
          ("severity", .string(severity(finding.severity))),
          ("fingerprint", .string(Self.fingerprint("\(identity)\n\(number)"))),
          (
            "location",
            .object([
              ("path", .string(path)),
              (
                "lines",
                .object([
                  ("begin", .int(finding.span?.start.line ?? 1)),
                  ("end", .int(finding.span?.end.line ?? 1)),
                ])
              ),
            ])
          ),
        ])
      }
    ).prettyText
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
