/// Collects the findings of a run, and the texts that they point into.
package struct Diagnostics: Sendable {
  /// How many findings are kept; more than can be read, and a bound on memory.
  package static let maximumCount = 10_000

  private var findings: [Diagnostic] = []
  /// How many findings came after `maximumCount` others.
  package private(set) var omittedCount = 0
  /// The same as a sentence; nil where all are there.
  package var omission: String? {
    omittedCount > 0 ? "\(omittedCount) more are not shown" : nil
  }
  package private(set) var errorCount = 0
  /// The files that spans may point into, by path: renderers quote their lines.
  package private(set) var sources: [String: SourceFile] = [:]

  package init() {}

  package var isEmpty: Bool { findings.isEmpty }
  /// How many findings were reported, those that were not kept included.
  package var count: Int { findings.count + omittedCount }
  package var hasErrors: Bool { errorCount > 0 }

  /// By file, position and code; first those that belong to no file. One that was reported twice stands
  /// once.
  package var sorted: [Diagnostic] {
    var result: [Diagnostic] = []
    let inOrder = findings.enumerated().sorted { left, right in
      let (a, b) = (left.element, right.element)
      switch (a.span, b.span) {
      case (nil, .some): return true
      case (.some, nil): return false
      case (let x?, let y?) where x != y: return x < y
      default: return a.code == b.code ? left.offset < right.offset : a.code < b.code
      }
    }
    for (_, finding) in inOrder where result.last != finding { result.append(finding) }
    return result
  }

  package mutating func report(_ diagnostic: Diagnostic) {
    if diagnostic.severity == .error { errorCount += 1 }
    if findings.count < Self.maximumCount {
      findings.append(diagnostic)
    } else {
      omittedCount += 1
    }
  }

  package mutating func report(
    _ kind: DiagnosticKind, _ message: String, at span: SourceSpan?,
    labels: [Diagnostic.Label] = [], help: String? = nil, fixIt: FixIt? = nil
  ) {
    report(
      Diagnostic(kind, message, at: span, labels: labels, help: help, fixIt: fixIt))
  }

  /// Makes a file's lines available to renderers.
  package mutating func add(_ source: SourceFile) { sources[source.path] = source }

  /// Without some of its findings. How many were not kept stays: of them it is not known what they were.
  package func dropping(_ isUnwanted: (Diagnostic) -> Bool) -> Diagnostics {
    var result = Diagnostics()
    result.sources = sources
    for finding in sorted where !isUnwanted(finding) { result.report(finding) }
    result.omittedCount = omittedCount
    return result
  }

  /// Counts findings that were not kept.
  mutating func add(omitted count: Int) { omittedCount += count }

  package mutating func append(_ other: Diagnostics) {
    for finding in other.findings { report(finding) }
    omittedCount += other.omittedCount
    sources.merge(other.sources) { _, new in new }
  }
}
