import StrataExpression
import StrataHistory
import StrataSchema
package import StrataSource

/// Applies all rules to a history and the declarations that are being worked on.
package enum Checker {
  /// Findings in no particular order; `Diagnostics` sorts them.
  ///
  /// - Parameter cache: has what the last run found between frozen versions, if these are the same.
  package static func check(
    _ input: CheckInput, cache: CheckCache? = nil, reporting diagnostics: inout Diagnostics
  ) {
    var run = CheckRun(input)
    run.run(cache)
    for finding in run.findings { diagnostics.report(finding) }
  }
}

/// What was found between the frozen versions of a project, for a caller that knows that they did not change.
package final class CheckCache {
  fileprivate var known: (findings: [Diagnostic], usedAcceptances: [Int: Set<Int>])?
  /// How many pairs of versions were compared since the cache was made.
  package fileprivate(set) var comparedPairCount = 0

  package init() {}

  /// Forgets everything: a frozen version, a step to one, a block, the lock or a setting has changed.
  package func forget() { known = nil }
}

private struct CheckRun {
  let input: CheckInput
  private(set) var findings: [Diagnostic] = []
  private var comparedPairCount = 0
  /// By version, which of its acceptances were needed.
  private var usedAcceptances: [Int: Set<Int>] = [:]

  init(_ input: CheckInput) { self.input = input }

  mutating func run(_ cache: CheckCache?) {
    defer { cache?.comparedPairCount += comparedPairCount }
    let versions = input.versions
    let frozen = input.frozen
    if let known = cache?.known {
      (findings, usedAcceptances) = known
    } else {
      checkPairs(zip(frozen, frozen.dropFirst()))
      cache?.known = (findings, usedAcceptances)
    }
    checkPairs(zip(versions, versions.dropFirst()).dropFirst(max(frozen.count - 1, 0)))
    let rules = RuleCatalogue.all
    for rule in rules {
      switch rule.detection {
      case .version(let check):
        if let newest = versions.last, isWanted(rule, isOpen(newest)) {
          for finding in check(newest) { report(finding, rule, newest) }
        }
      case .history(let check):
        guard severity(of: rule) != nil else { continue }
        for finding in check(input) {
          // Of two with one number the second one is not frozen, and its findings are about it.
          let version = finding.version.flatMap { number in
            versions.last { $0.number == number }
          }
          report(finding, rule, version)
        }
      default: break
      }
    }
    reportUnusedAcceptances(versions)
    reportSettingsWithoutEffect()
  }

  private mutating func checkPairs(_ pairs: some Sequence<(CheckedVersion, CheckedVersion)>) {
    let rules = RuleCatalogue.all
    let byKind = RuleCatalogue.byKind
    for (older, newer) in pairs {
      comparedPairCount += 1
      let pair = CheckedPair(
        older: older, newer: newer, isOpen: isOpen(newer), hasPublicClasses: input.hasPublicClasses)
      for change in pair.changes {
        guard let rule = byKind[change.kind] else { continue }
        judge(change, rule, pair)
      }
      for rule in rules {
        guard case .pair(let check) = rule.detection, isWanted(rule, pair.isOpen) else { continue }
        for finding in check(pair) { report(finding, rule, newer) }
      }
      checkStep(pair)
    }
  }

  /// Whether a version is new: what people did long ago is judged only where it is wrong. Declarations that are edited under
  /// the number of a frozen version are new, though the baseline has that number.
  private func isOpen(_ version: CheckedVersion) -> Bool {
    guard let baseline = input.baseline, version.line != nil else { return version.line == nil }
    return baseline.lock.line(ofVersion: version.number) == nil
  }

  /// Whether a rule is asked at all: not one that is switched off.
  private func isWanted(_ rule: Rule, _ isOpen: Bool) -> Bool {
    guard let severity = severity(of: rule) else { return false }
    return isOpen || severity == .error
  }

  private func severity(of rule: Rule) -> Severity? {
    if !rule.hasFixedSeverity, let configured = input.severities[rule.name] { return configured }
    return rule.severity
  }

  // MARK: Changes

  private mutating func judge(_ change: SchemaChange, _ rule: Rule, _ pair: CheckedPair) {
    if change.verdict == .step, pair.newer.hasUnreadableStep || pair.coverage.covers(change) {
      return
    }
    if pair.coverage.repairs(change) || !change.isJudged { return }
    guard isWanted(rule, pair.isOpen), pair.isOpen || change.isJudgedWhenSealed else { return }
    var message = change.message
    if let seen = Evidence(pair: pair, samples: input.samples ?? []).sentence(on: change) {
      message += "; \(seen)"
    }
    let finding = Finding(
      message, at: pair.span(of: change), path: change.path, oldPath: change.oldPath,
      labels: pair.labels(of: change),
      help: pair.help(for: change),
      fixIt: RenameFix.fix(for: change, in: pair))
    report(finding, rule, pair.newer)
  }

  private mutating func checkStep(_ pair: CheckedPair) {
    for (rule, finding) in StepCheck(pair).findings { report(finding, rule, pair.newer) }
    for diagnostic in ExpressionCheck(pair).diagnostics { findings.append(diagnostic) }
  }

  // MARK: Reporting

  private mutating func report(_ finding: Finding, _ rule: Rule, _ version: CheckedVersion?) {
    guard let severity = severity(of: rule) else { return }
    if rule.class != .never, let version, accepts(version, rule, finding) { return }
    findings.append(
      Diagnostic(
        code: rule.code, rule: rule.name, severity: severity, message: finding.message,
        span: finding.span, labels: finding.labels, help: finding.help ?? rule.help(finding),
        fixIt: finding.fixIt))
  }

  private mutating func accepts(
    _ version: CheckedVersion, _ rule: Rule, _ finding: Finding
  ) -> Bool {
    guard let step = version.step?.step, let path = finding.path else { return false }
    for (index, acceptance) in step.accept.enumerated()
    where acceptance.rule == rule.name
      && (acceptance.at == path || acceptance.at == finding.oldPath)
    {
      usedAcceptances[version.number, default: []].insert(index)
      return true
    }
    return false
  }

  /// Acceptances of released versions stay, as what they accepted does: only open ones are looked through.
  private mutating func reportUnusedAcceptances(_ versions: [CheckedVersion]) {
    for version in versions where isOpen(version) {
      guard let step = version.step else { continue }
      for (index, acceptance) in step.step.accept.enumerated()
      where usedAcceptances[version.number]?.contains(index) != true {
        let known = RuleCatalogue.named(acceptance.rule)
        let isRefused = known?.class == .never
        report(
          Finding(
            known == nil
              ? "there is no rule '\(acceptance.rule)'"
              : isRefused
                ? "'\(acceptance.rule)' cannot be accepted"
                : "nothing is found by '\(acceptance.rule)' at '\(acceptance.at)'",
            at: step.places[known == nil ? .acceptedRule(index) : .acceptedPath(index)],
            help: known == nil
              ? RuleCatalogue.question(acceptance.rule)
              : "remove it"), .acceptUnused, nil)
      }
    }
  }

  private mutating func reportSettingsWithoutEffect() {
    for (name, span) in input.severitySpans {
      guard let rule = RuleCatalogue.named(name) else {
        report(
          Finding(
            "there is no rule '\(name)'", at: span,
            help: RuleCatalogue.question(name)),
          .settingUnknown, nil)
        continue
      }
      guard rule.hasFixedSeverity, let wanted = input.severities[name], wanted != rule.severity
      else { continue }
      report(
        Finding(
          "the severity of '\(name)' cannot be set: what it finds is always an error", at: span,
          help: "remove it"), .settingUnknown, nil)
    }
  }
}
