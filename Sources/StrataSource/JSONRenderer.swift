/// `{"format": "strata.check/1", "findings": [{"code", "rule", "severity", "message", "file", "line", "column",
/// "endLine", "endColumn", "help", "fix"}]}`.
///
/// Lines and columns are counted from 1, columns in Unicode scalars; what a finding does not have is null. A fix is its
/// title and its edits, which also say their place in bytes, and `"guess": true` where only people know whether it is meant.
package struct JSONRenderer: Sendable {
  package init() {}

  package func render(_ diagnostics: Diagnostics) -> String {
    let findings = diagnostics.sorted.map { finding($0, sources: diagnostics.sources) }
    return JSONText.object([
      ("format", .string("strata.check/1")), ("findings", .array(findings)),
      ("omitted", .int(diagnostics.omittedCount)),
    ]).prettyText
  }

  private func finding(_ diagnostic: Diagnostic, sources: [String: SourceFile]) -> JSONText {
    let span = diagnostic.span
    return .object([
      ("code", .string(diagnostic.code)), ("rule", .string(diagnostic.rule)),
      ("severity", .string(diagnostic.severity.rawValue)),
      ("message", .string(diagnostic.message)), ("file", .optional(span?.path)),
      ("line", .optional(span?.start.line)), ("column", .optional(span?.start.column)),
      ("endLine", .optional(span?.end.line)), ("endColumn", .optional(span?.end.column)),
      ("help", .optional(diagnostic.help)),
      ("fix", diagnostic.fixIt.map { fix($0, sources: sources) } ?? .null),
      (
        "related",
        .array(
          diagnostic.labels.map { label in
            .object(
              [("message", .string(label.message)), ("file", .string(label.span.path))]
                + place(label.span))
          })
      ),
    ])
  }

  private func fix(_ fixIt: FixIt, sources: [String: SourceFile]) -> JSONText {
    let edits = fixIt.edits.map { edit -> JSONText in
      var members: [(key: String, value: JSONText)] = [("file", .string(edit.path))]
      if let source = sources[edit.path] { members += place(source.span(edit.range)) }
      members += [
        ("offset", .int(edit.range.lowerBound)), ("length", .int(edit.range.count)),
        ("replacement", .string(edit.replacement)),
      ]
      return .object(members)
    }
    return .object(
      [("title", .string(fixIt.title)), ("edits", .array(edits))]
        + (fixIt.isGuess ? [("guess", .bool(true))] : []))
  }

  private func place(_ span: SourceSpan) -> [(key: String, value: JSONText)] {
    [
      ("line", .int(span.start.line)), ("column", .int(span.start.column)),
      ("endLine", .int(span.end.line)), ("endColumn", .int(span.end.column)),
    ]
  }
}
