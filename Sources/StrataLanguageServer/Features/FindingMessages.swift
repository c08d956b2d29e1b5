import StrataFrontend
import StrataProject
import StrataSchema
import StrataSource

/// The findings of a project in the words of the protocol.
struct FindingMessages {
  let project: OpenProject
  let server: LanguageServer

  /// By path, as `check` writes it. A finding about no file stands at the start of the first one.
  var byFile: [String: [JSON]] {
    let findings = project.findings
    var lines: [String: TextLines] = [:]
    func place(_ span: SourceSpan) -> JSON {
      let known =
        lines[span.path]
        ?? TextLines((findings.sources[span.path] ?? project.file(at: span.path))?.bytes ?? [])
      lines[span.path] = known
      return known.json(span.range)
    }
    var result: [String: [JSON]] = [:]
    for finding in findings.sorted {
      guard
        let path = finding.span?.path ?? project.files.schemas.first?.path
          ?? project.files.versions.first?.path
      else { continue }
      var members = Self.members(
        of: finding, at: finding.span.map(place) ?? TextLines([]).json(0..<0))
      if !finding.labels.isEmpty {
        members["relatedInformation"] = .array(
          finding.labels.map { label in
            [
              "message": .string(label.message),
              "location": [
                "uri": .string(server.uri(label.span.path, in: project)),
                "range": place(label.span),
              ],
            ]
          })
      }
      result[path, default: []].append(.object(members))
    }
    for (problem, span) in project.missing {
      // Without a code: a check ends with it, and finds nothing.
      result[span.path, default: []].append([
        "range": place(span), "severity": .int(Severity.error.number), "source": "strata",
        "message": .string(problem.message),
      ])
    }
    return result
  }

  /// A "Diagnostic" of the protocol without its other places: what is wrong, and in the next line what to do.
  static func members(of finding: Diagnostic, at range: JSON) -> [String: JSON] {
    [
      "range": range, "severity": .int(finding.severity.number), "code": .string(finding.code),
      "source": "strata",
      "message": .string(finding.message + (finding.help.map { "\n\($0)" } ?? "")),
      "data": ["rule": .string(finding.rule)],
    ]
  }
}

extension Severity {
  /// "DiagnosticSeverity" of the protocol.
  fileprivate var number: Int64 {
    switch self {
    case .error: 1
    case .warning: 2
    case .info: 3
    }
  }
}
