package import StrataEvolution
import StrataExpression
package import StrataHistory
package import StrataSchema
package import StrataSource

/// A change between two versions, with what the step makes of it.
package struct ReportedChange: Sendable {
  package enum State: String, CaseIterable, Sendable {
    /// The upgrade needs nothing.
    case automatic
    /// The upgrade needs nothing and looks at every object: a file of which one breaks the rule is refused.
    case verified
    /// The step says what becomes of the data.
    case covered
    /// The step accepts it, with a reason.
    case accepted
    /// The step does not say what becomes of the data.
    case open

    /// `1 needs a step`, `2 need a step`.
    func words(_ count: Int) -> String {
      self == .open && count > 1 ? "\(count) need a step" : "\(count) \(words)"
    }

    package var words: String {
      switch self {
      case .automatic: "automatic"
      case .verified: "verified"
      case .covered: "covered by the step"
      case .accepted: "accepted"
      case .open: "needs a step"
      }
    }
  }

  package let change: SchemaChange
  package let state: State
  /// Why it was accepted.
  package let because: String?
  /// What real files hold of it.
  package let evidence: String?
}

/// A version with what led to it.
package struct ReportedVersion: Sendable {
  package let version: CheckedVersion
  /// The version before it; nil for the first one.
  package let older: CheckedVersion?
  package let changes: [ReportedChange]
  /// The text of the step, also where it has questions left; nil where there is none.
  package let stepFile: SourceFile?
  /// What `check` found in its files.
  package let findings: [Diagnostic]
  /// The name of its page, without its end: its number, or `workingPage` where a version before it has that number.
  package let page: String

  /// The page of declarations that are edited under the number of a frozen version.
  static let workingPage = "working"

  package var number: Int { version.number }
  package var schema: Schema { version.schema }
  package var step: MigrationStep? { version.step?.step }
  package var isFrozen: Bool { version.line != nil }

  /// `version 5`, `working version 6`.
  package var name: String { (isFrozen ? "version " : "working version ") + String(number) }

  /// As another page names it beside a link.
  var label: String { page == Self.workingPage ? name : "version \(number)" }

  /// How many changes have this effect.
  func count(_ effect: ChangeEffect) -> Int { changes.count { $0.change.kind.effect == effect } }

  func count(_ state: ReportedChange.State) -> Int { changes.count { $0.state == state } }
}

extension ReportedVersion {
  /// Characters of an expression in a sentence.
  private static let maximumExpression = 60

  /// What the step does to stored data on purpose, beside what the changes say: a clause each.
  package var dataChanges: [String] {
    guard let step else { return [] }
    return step.delete.keys.sorted().map { "objects of '\($0)' are deleted by a condition" }
      + step.deduplicate.keys.sorted().map { "objects of '\($0)' that agree become one" }
      + rewrittenValues(step)
      + (step.hasBlock
        ? [
          "a Swift block takes care of \(step.swiftModels.sorted().map { "'\($0)'" }.joined(separator: ", "))"
        ] : [])
  }

  /// Properties that go on and get other values, where no change of theirs is said to be covered by the step.
  private func rewrittenValues(_ step: MigrationStep) -> [String] {
    let added = Set(changes.filter { $0.change.kind == .modelAdded }.map(\.change.path.model))
    let told = Set(
      changes.filter { $0.state != .automatic || $0.change.kind.effect == .added }.map {
        $0.change.path
      })
    return step.set.sorted { $0.key < $1.key }.flatMap { model, values in
      values.sorted { $0.key < $1.key }.compactMap { name, expression in
        let path = SchemaPath(model, name)
        guard !told.contains(path), !added.contains(model) else { return nil }
        let text = expression.text
        let isShort = text.count <= Self.maximumExpression
        return
          "the values of '\(path)' are worked out anew: \(text.prefix(Self.maximumExpression))\(isShort ? "" : "…")"
      }
    }
  }

  /// What is said where no change is.
  var absence: String {
    dataChanges.isEmpty
      ? "Nothing that stored data would notice."
      : "The declarations stay as they are for stored data, and the step changes it."
  }
}

extension ReportedVersion {
  /// All versions of a history, each with the changes from the one before it.
  package static func all(_ input: CheckInput, findings: Diagnostics) -> [ReportedVersion] {
    var result: [ReportedVersion] = []
    let byPath = Dictionary(grouping: findings.sorted) { $0.span?.path ?? "" }
    var older: CheckedVersion?
    for version in input.versions {
      var changes: [ReportedChange] = []
      if let older {
        let pair = CheckedPair(
          older: older, newer: version, isOpen: version.line == nil,
          hasPublicClasses: input.hasPublicClasses)
        let evidence = Evidence(pair: pair, samples: input.samples ?? [])
        changes = pair.changes.map { change in
          let acceptance = version.step?.step.acceptance(of: change)
          let isCovered =
            change.verdict == .verified
            ? pair.coverage.repairs(change) : pair.coverage.covers(change)
          let state: ReportedChange.State =
            switch change.verdict {
            case _ where acceptance != nil: .accepted
            case .automatic: .automatic
            case _ where isCovered: .covered
            case .verified: .verified
            case .step where version.line != nil && !change.isJudgedWhenSealed: .automatic
            case .step, .never: .open
            }
          return ReportedChange(
            change: change, state: state, because: acceptance?.because,
            evidence: evidence.sentence(on: change))
        }
      }
      let stepFile = Self.stepFile(of: version, findings)
      let paths = Set(
        [version.places.version?.path, stepFile?.path].compactMap { $0 }
          + version.blocks.map(\.path))
      result.append(
        ReportedVersion(
          version: version, older: older, changes: changes, stepFile: stepFile,
          findings: paths.sorted().flatMap { byPath[$0] ?? [] },
          page: result.contains { $0.number == version.number }
            ? workingPage : String(version.number)))
      older = version
    }
    return result
  }

  private static func stepFile(of version: CheckedVersion, _ findings: Diagnostics) -> SourceFile? {
    if let file = version.step?.places.file { return file.bytes.isEmpty ? nil : file }
    guard version.hasUnreadableStep else { return nil }
    // What cannot be read is known from what was found in it.
    return findings.sources.values.first { file in
      ["yaml", "yml"].contains { file.name == "\(version.number).\($0)" }
        && file.path != version.places.version?.path
    }
  }
}
