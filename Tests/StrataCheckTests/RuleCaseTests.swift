import StrataEvolution
import StrataSource
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite("Rules")
struct RuleCaseTests {
  @Test("Each case's findings are exactly what is expected", arguments: try RuleCase.all)
  func findings(of rule: RuleCase) throws {
    let found = try rule.findings()
    // For a new case, or a sentence that was changed: read what was recorded before it is committed.
    if ProcessInfo.processInfo.environment["STRATA_RECORD_CASES"] == "1" {
      try Data(found.lines.utf8).write(
        to: URL(filePath: "\(RuleCase.folder)/\(rule.name)/expected.txt"))
      return
    }
    #expect(found.lines == rule.expected)
    if rule.name.hasPrefix("STR") {
      let code = rule.name.prefix { $0 != "-" }
      #expect(
        found.sorted.contains { $0.code == code } != rule.name.hasSuffix("-default"),
        "a case is about its own code")
    }
    for finding in found.sorted {
      #expect(finding.span != nil, "\(finding.message) points nowhere")
    }
  }

  @Test("Each rule has a case")
  func completeness() throws {
    let cases = Set(try RuleCase.all.map(\.name))
    for rule in RuleCatalogue.all {
      #expect(cases.contains(rule.code), "\(rule.code) \(rule.name) has no case")
    }
  }

  @Test("Codes and names are each others', and the catalogue is sorted")
  func catalogue() {
    let rules = RuleCatalogue.all
    #expect(Set(rules.map(\.code)).count == rules.count)
    #expect(Set(rules.map(\.name)).count == rules.count)
    #expect(rules.map(\.code) == rules.map(\.code).sorted())
    for kind in ChangeKindNames.all { #expect(RuleCatalogue.coded(kind)?.code == kind) }
  }

  @Test("What was checked is the same on every run")
  func determinism() throws {
    for each in try RuleCase.all { #expect(try each.findings().lines == each.findings().lines) }
  }
}
