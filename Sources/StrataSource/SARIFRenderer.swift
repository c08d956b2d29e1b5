/// SARIF 2.1.0 (OASIS), with the metadata of rules, regions in code points and bytes, and fixes.
package struct SARIFRenderer: Sendable {
  /// What the tool could have found; kinds that were found and are missing here are described by themselves.
  package let kinds: [DiagnosticKind]
  package let toolVersion: String?

  package init(kinds: [DiagnosticKind], toolVersion: String? = nil) {
    self.kinds = kinds
    self.toolVersion = toolVersion
  }

  package func render(_ diagnostics: Diagnostics) -> String {
    let findings = diagnostics.sorted
    let rules = rules(for: findings)
    let indexes = Dictionary(
      rules.enumerated().map { ($1.code, $0) }, uniquingKeysWith: { first, _ in first })
    var driver: [(key: String, value: JSONText)] = [("name", .string("strata"))]
    if let toolVersion { driver.append(("version", .string(toolVersion))) }
    driver.append(("rules", .array(rules.map(rule))))
    let results = findings.map {
      result($0, ruleIndex: indexes[$0.code] ?? 0, sources: diagnostics.sources)
    }
    var run: [(key: String, value: JSONText)] = [
      ("tool", .object([("driver", .object(driver))])),
      ("columnKind", .string("unicodeCodePoints")),
    ]
    if let omission = diagnostics.omission {
      run.append(("invocations", invocations(omission)))
    }
    run.append(("results", .array(results)))
    return JSONText.object([
      ("$schema", .string("https://json.schemastore.org/sarif-2.1.0.json")),
      ("version", .string("2.1.0")), ("runs", .array([.object(run)])),
    ]).prettyText
  }

  /// Section 3.20.21, "toolExecutionNotifications property".
  private func invocations(_ omission: String) -> JSONText {
    let notification: JSONText = .object([
      ("level", .string("warning")), ("message", .object([("text", .string(omission))])),
    ])
    return .array([
      .object([
        ("executionSuccessful", .bool(true)),
        ("toolExecutionNotifications", .array([notification])),
      ])
    ])
  }

  private func rules(for findings: [Diagnostic]) -> [DiagnosticKind] {
    var known = Set(kinds.map(\.code))
    var rules = kinds
    for finding in findings where known.insert(finding.code).inserted {
      rules.append(
        DiagnosticKind(finding.code, finding.rule, finding.rule, severity: finding.severity))
    }
    return rules.sorted { $0.code < $1.code }
  }

  private func rule(_ kind: DiagnosticKind) -> JSONText {
    .object([
      ("id", .string(kind.code)), ("name", .string(kind.name)),
      ("shortDescription", .object([("text", .string(kind.summary))])),
      ("help", .object([("text", .string("strata explain \(kind.code)"))])),
      ("defaultConfiguration", .object([("level", .string(level(kind.severity)))])),
    ])
  }

  private func level(_ severity: Severity) -> String {
    switch severity {
    case .error: "error"
    case .warning: "warning"
    case .info: "note"
    }
  }

  private func result(
    _ finding: Diagnostic, ruleIndex: Int, sources: [String: SourceFile]
  ) -> JSONText {
    let text = finding.message + (finding.help.map { "\n\($0)" } ?? "")
    var members: [(key: String, value: JSONText)] = [
      ("ruleId", .string(finding.code)), ("ruleIndex", .int(ruleIndex)),
      ("level", .string(level(finding.severity))), ("message", .object([("text", .string(text))])),
    ]
    if let span = finding.span {
      members.append(
        ("locations", .array([.object([("physicalLocation", location(span))])])))
    }
    if !finding.labels.isEmpty {
      members.append(
        (
          "relatedLocations",
          .array(
            finding.labels.enumerated().map { index, label in
              .object([
                ("id", .int(index + 1)), ("physicalLocation", location(label.span)),
                ("message", .object([("text", .string(label.message))])),
              ])
            })
        ))
    }
    // Programs apply what stands here; the message tells of a guess.
    if let fixIt = finding.fixIt, !fixIt.isGuess {
      members.append(("fixes", .array([fix(fixIt, sources)])))
    }
    return .object(members)
  }

  private func location(_ span: SourceSpan) -> JSONText {
    .object([("artifactLocation", artifact(span.path)), ("region", region(span))])
  }

  private func region(_ span: SourceSpan) -> JSONText {
    .object([
      ("startLine", .int(span.start.line)), ("startColumn", .int(span.start.column)),
      ("endLine", .int(span.end.line)), ("endColumn", .int(span.end.column)),
      ("byteOffset", .int(span.range.lowerBound)), ("byteLength", .int(span.range.count)),
    ])
  }

  private func fix(_ fixIt: FixIt, _ sources: [String: SourceFile]) -> JSONText {
    var paths: [String] = []
    for edit in fixIt.edits where !paths.contains(edit.path) { paths.append(edit.path) }
    let changes = paths.map { path -> JSONText in
      let replacements = fixIt.edits.filter { $0.path == path }.map { edit -> JSONText in
        let deleted =
          sources[path].map { region($0.span(edit.range)) }
          ?? .object([
            ("byteOffset", .int(edit.range.lowerBound)), ("byteLength", .int(edit.range.count)),
          ])
        return .object([
          ("deletedRegion", deleted),
          ("insertedContent", .object([("text", .string(edit.replacement))])),
        ])
      }
      return .object([
        ("artifactLocation", artifact(path)), ("replacements", .array(replacements)),
      ])
    }
    return .object([
      ("description", .object([("text", .string(fixIt.title))])),
      ("artifactChanges", .array(changes)),
    ])
  }

  /// A relative path is a relative reference (RFC 3986), an absolute one a file URI.
  private func artifact(_ path: String) -> JSONText {
    let allowed = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/".utf8)
    var uri = path.hasPrefix("/") ? "file://" : ""
    for byte in path.utf8 {
      if allowed.contains(byte) {
        uri.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        let digits = String(byte, radix: 16, uppercase: true)
        uri += "%" + (digits.utf8.count < 2 ? "0" : "") + digits
      }
    }
    return .object([("uri", .string(uri))])
  }
}
