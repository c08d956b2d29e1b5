/// What kinds of findings there are: a stable code, the name that people write, and what it says.
package struct DiagnosticKind: Hashable, Sendable {
  /// `STR2001`. Never reused for anything else.
  package let code: String
  /// `unknown-key`.
  package let name: String
  /// The severity when nothing else is configured.
  package let severity: Severity
  /// One sentence on what is found.
  package let summary: String

  package init(_ code: String, _ name: String, _ summary: String, severity: Severity = .error) {
    self.code = code
    self.name = name
    self.severity = severity
    self.summary = summary
  }
}

package enum Severity: String, CaseIterable, Hashable, Sendable, Comparable {
  case info
  case warning
  case error

  private var rank: Int {
    switch self {
    case .info: 0
    case .warning: 1
    case .error: 2
    }
  }

  package static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }
}

/// One finding: what is wrong in the user's words, where, and what to do next.
package struct Diagnostic: Hashable, Sendable {
  /// Another place that belongs to the finding, with what it has to do with it.
  package struct Label: Hashable, Sendable {
    package var span: SourceSpan
    package var message: String

    package init(_ message: String, at span: SourceSpan) {
      self.span = span
      self.message = message
    }
  }

  package var code: String
  /// The kind's name, `unknown-key`.
  package var rule: String
  package var severity: Severity
  /// What is wrong, without a full stop.
  package var message: String
  /// Nil for a finding about no file in particular.
  package var span: SourceSpan?
  package var labels: [Label]
  /// The next move.
  package var help: String?
  package var fixIt: FixIt?

  package init(
    _ kind: DiagnosticKind, _ message: String, at span: SourceSpan?, labels: [Label] = [],
    help: String? = nil, fixIt: FixIt? = nil
  ) {
    self.init(
      code: kind.code, rule: kind.name, severity: kind.severity, message: message, span: span,
      labels: labels, help: help, fixIt: fixIt)
  }

  package init(
    code: String, rule: String, severity: Severity, message: String, span: SourceSpan?,
    labels: [Label] = [], help: String? = nil, fixIt: FixIt? = nil
  ) {
    self.code = code
    self.rule = rule
    self.severity = severity
    self.message = message
    self.span = span
    self.labels = labels
    self.help = help
    self.fixIt = fixIt
  }
}

/// An edit that repairs a finding.
package struct FixIt: Hashable, Sendable {
  /// The bytes of a file that are replaced; an empty range inserts.
  package struct Edit: Hashable, Sendable {
    package var path: String
    package var range: Range<Int>
    package var replacement: String
    /// Whether it inserts an entry of a list with what separates it from the next one, so that several may be inserted
    /// at one place.
    package var isEntry: Bool

    package init(path: String, range: Range<Int>, replacement: String, isEntry: Bool = false) {
      self.path = path
      self.range = range
      self.replacement = replacement
      self.isEntry = isEntry
    }
  }

  /// What it does: "write 'primaryKey'".
  package var title: String
  package var edits: [Edit]
  /// Whether only people know if it is what they meant: a name that is near to theirs, or what becomes of data. It is offered,
  /// never made without a yes.
  package var isGuess: Bool

  package init(_ title: String, edits: [Edit], isGuess: Bool = false) {
    self.title = title
    self.edits = edits
    self.isGuess = isGuess
  }

  package init(
    _ title: String, replacing span: SourceSpan, with replacement: String, isGuess: Bool = false
  ) {
    self.init(
      title, edits: [Edit(path: span.path, range: span.range, replacement: replacement)],
      isGuess: isGuess)
  }
}
