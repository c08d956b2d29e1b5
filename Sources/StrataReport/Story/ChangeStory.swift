package import StrataEvolution
import StrataExpression
import StrataHistory
import StrataSchema
package import StrataSource

/// What a pull request does to the schema and to data that is there: what changed, what is risky, which rows of samples
/// are touched, and a draft of the changelog.
package struct ChangeStory: Sendable {
  package enum Risk: String, CaseIterable, Sendable, Comparable {
    case high
    case medium
    case low

    package static func < (left: Risk, right: Risk) -> Bool {
      allCases.firstIndex(of: left) ?? 0 < allCases.firstIndex(of: right) ?? 0
    }
  }

  package struct RiskItem: Sendable {
    package let risk: Risk
    package let code: String
    package let text: String
  }

  /// The versions that the story is about.
  package let versions: [ReportedVersion]
  /// What it is compared with: `git:main`, `v4`; nil where it is the version before.
  package let baseline: String?
  /// What files hold that the steps touch; nil where no samples were looked at.
  package let samples: [(version: Int, rows: SampleRows)]?
  package let schemaName: String
  package let findings: [Diagnostic]

  /// - Parameters:
  ///   - input: what was checked. With a baseline the story is of the versions that the baseline has not, and of one that is
  ///     not frozen yet, whatever its number is; without one, of the versions that are not frozen yet, or of the newest step.
  ///   - findings: what the check found.
  ///   - tellsNewestStep: whether the newest step is told where nothing is open and there is no baseline.
  package init(_ input: CheckInput, findings: Diagnostics, tellsNewestStep: Bool = true) {
    let all = ReportedVersion.all(input, findings: findings)
    if let baseline = input.baseline {
      versions = all.filter { !$0.isFrozen || baseline.lock.line(ofVersion: $0.number) == nil }
    } else {
      let open = all.filter { !$0.isFrozen }
      versions = open.isEmpty && tellsNewestStep ? all.suffix(1) : open
    }
    baseline = input.baseline?.name
    schemaName = all.last?.schema.name ?? ""
    let told = versions
    samples = input.samples.map { samples in
      told.flatMap { version -> [(version: Int, rows: SampleRows)] in
        guard let older = version.older else { return [] }
        return samples.filter { $0.version <= older.number }.map {
          (version: version.number, rows: SampleRows($0, before: version, in: all))
        }
      }
    }
    self.findings = findings.sorted.filter { $0.severity > .info }
  }

  /// What may go wrong, the worst first.
  package var risks: [RiskItem] {
    var items: [RiskItem] = []
    for version in versions {
      for change in version.changes {
        let risk: Risk =
          switch change.state {
          case .open: .high
          // Only a sample says what a new rule meets; one that breaks it is refused.
          case .verified where samples != nil: change.evidence == nil ? .low : .high
          case .verified, .covered, .accepted: .medium
          case .automatic: .low
          }
        guard risk != .low || change.change.isJudged && change.change.kind.isWorthKnowing else {
          continue
        }
        var text = "v\(version.number): \(change.change.message)"
        switch change.state {
        case .open: text += "; the step does not say what becomes of the data"
        case .accepted: text += "; accepted: \(change.because ?? "")"
        case .covered: text += "; covered by the step"
        case .verified: text += "; a file of which an object breaks it is refused"
        case .automatic: break
        }
        if let evidence = change.evidence { text += "; \(evidence)" }
        items.append(RiskItem(risk: risk, code: change.change.kind.code, text: text))
      }
      items += dataRisks(of: version)
    }
    let told = Set(items.map(\.code))
    for finding in findings where !told.contains(finding.code) {
      items.append(
        RiskItem(
          risk: finding.severity == .error ? .high : .medium, code: finding.code,
          text: finding.message))
    }
    return items.enumerated().sorted {
      ($0.element.risk, $0.offset) < ($1.element.risk, $1.offset)
    }.map(\.element)
  }

  /// What the step does with data on purpose.
  private func dataRisks(of version: ReportedVersion) -> [RiskItem] {
    version.dataChanges.map {
      RiskItem(risk: .medium, code: "", text: "v\(version.number): \($0)")
    }
  }
}

extension ChangeKind {
  /// Whether a change that needs no step is still worth a line among the risks.
  fileprivate var isWorthKnowing: Bool {
    switch self {
    case .indexAdded, .fulltextChanged, .uniqueRemoved, .deleteRuleChanged, .orderingChanged,
      .enumCaseAdded, .indexRemoved, .ruleAdded, .ruleChanged, .ruleRemoved:
      true
    default: false
    }
  }
}
