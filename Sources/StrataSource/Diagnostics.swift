/// Collects the findings of a run, and the texts that they point into.
package struct Diagnostics: Sendable {
  /// How many findings are kept; more than can be read, and a bound on memory.
  package static let maximumCount = 10_000

  /// In the order in which they were reported; nil where one gave its place to a graver one.
  private var findings: [Diagnostic?] = []
  private var keptCount = 0
  /// Where the kept findings of each severity stand in `findings`.
  private var places: [Severity: [Int]] = [:]
  private var omittedCounts: [Severity: Int] = [:]
  /// How many findings were not kept, because `maximumCount` others of their severity or a graver one were.
  package var omittedCount: Int { omittedCounts.values.reduce(0, +) }
  /// The same as a sentence; nil where all are there.
  package var omission: String? {
    omittedCount > 0 ? "\(omittedCount) more are not shown" : nil
  }
  /// How many errors were reported, those that were not kept included.
  package private(set) var errorCount = 0
  /// The files that spans may point into, by path: renderers quote their lines.
  package private(set) var sources: [String: SourceFile] = [:]

  package init() {}

  package var isEmpty: Bool { findings.isEmpty }
  /// How many findings were reported, those that were not kept included.
  package var count: Int { keptCount + omittedCount }
  package var hasErrors: Bool { errorCount > 0 }

  /// How many findings of a severity were not kept.
  package func omittedCount(of severity: Severity) -> Int { omittedCounts[severity, default: 0] }

  /// Whether a finding was reported, kept or not, that is as grave as this.
  package func hasFindings(from severity: Severity) -> Bool {
    Severity.allCases.contains {
      $0 >= severity && (places[$0]?.isEmpty == false || omittedCount(of: $0) > 0)
    }
  }

  /// By file, position and code; first those that belong to no file. One that was reported twice stands
  /// once.
  package var sorted: [Diagnostic] {
    var result: [Diagnostic] = []
    let inOrder = findings.compactMap { $0 }.enumerated().sorted { left, right in
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
    guard keptCount < Self.maximumCount || makeRoom(for: diagnostic.severity) else {
      omittedCounts[diagnostic.severity, default: 0] += 1
      return
    }
    keptCount += 1
    places[diagnostic.severity, default: []].append(findings.count)
    findings.append(diagnostic)
  }

  /// Gives up the last of the findings that weigh least, so that no error is lost behind many hints. A finding stays
  /// where all others weigh as much as the new one.
  private mutating func makeRoom(for severity: Severity) -> Bool {
    for lesser in Severity.allCases where lesser < severity {
      guard let place = places[lesser]?.popLast() else { continue }
      findings[place] = nil
      keptCount -= 1
      omittedCounts[lesser, default: 0] += 1
      return true
    }
    return false
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
    result.omittedCounts = omittedCounts
    return result
  }

  /// Without its hints, also those that were not kept.
  package var withoutHints: Diagnostics {
    var result = dropping { $0.severity == .info }
    result.omittedCounts[.info] = nil
    result.errorCount += omittedCount(of: .error)
    return result
  }

  /// Counts the findings that another collection did not keep.
  mutating func add(omittedFrom other: Diagnostics) {
    omittedCounts.merge(other.omittedCounts, uniquingKeysWith: +)
    errorCount += other.omittedCount(of: .error)
  }

  package mutating func append(_ other: Diagnostics) {
    for case let finding? in other.findings { report(finding) }
    add(omittedFrom: other)
    sources.merge(other.sources) { _, new in new }
  }
}
