import StrataFiles
import StrataHistory
import StrataSchema
import Testing

@testable import Strata

/// A rule that the database cannot ask for, as `inspect --rules` tells of it.
@Suite struct DeepRuleInspectionTests {
  /// Whether such a rule can be asked is a matter of how SQLite was built.
  @Test(arguments: [false, true])
  func aRuleThatIsTooDeepIsNamedAndNotTakenForDamage(isDamaged: Bool) throws {
    let bench = try Workbench()
    let sum = String(repeating: "age + (", count: 40) + "age" + String(repeating: ")", count: 40)
    let rule = ModelRule(name: "deep", condition: "age > -1", sentence: nil)
    let schema = Schema(
      name: "Test", version: 0,
      models: [Model(name: "Person", properties: [.required("age", .int)], rules: [rule])])
    let target = UpgradeTarget(history: .chained("Test", [("2026-01-01", schema, nil)]))
    let path = try bench.sample("a.db", version: 0, of: target, objects: 0)
    // No store opens a file with such a rule, so that none is made with it.
    try bench.sql(
      path,
      """
      UPDATE _strata SET value = replace(value, 'age > -1', '\(sum) > -1')
      WHERE key = 'definition'
      """)
    let stored = try bench.sql(path, "SELECT 1 FROM _strata WHERE value LIKE '%age + (age%'")
    #expect(stored.count == 1)
    if isDamaged { try bench.sql(path, "ALTER TABLE Person ADD COLUMN extra INT") }

    let inspection = try FileInspector().inspect(path, target: target, rules: true)

    #expect(
      inspection.status == (isDamaged ? .damaged : .current),
      "\(inspection.problem?.description ?? "")")
    if let problem = inspection.rulesProblem {
      #expect(problem.description.contains("the rule Person.deep, which is too deep"))
      #expect(inspection.areRulesUnknown && inspection.brokenRules == nil)
    } else {
      #expect(inspection.areRulesUnknown == isDamaged)
    }
  }
}
