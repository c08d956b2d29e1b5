import StrataFiles
import StrataHistory
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata

/// What `inspect --rules` knows of damaged files.
@Suite struct DamagedRuleInspectionTests {
  private let bench: Workbench
  private let target: UpgradeTarget
  private let path: String

  init() throws {
    bench = try Workbench()
    let rule = ModelRule(name: "adult", condition: "age >= 18", sentence: nil)
    let person = Model(
      name: "Person", properties: [.required("age", .int), .required("text", .string)],
      rules: [rule])
    let schema = Schema(name: "Test", version: 0, models: [person])
    target = UpgradeTarget(history: .chained("Test", [("2026-01-01", schema, nil)]))
    path = try bench.sample("a.db", version: 0, of: target, objects: 0)
    try bench.sql(
      path,
      Graph.numbers(1_000)
        + "INSERT INTO Person (_row, age, text) SELECT x, 20, replace(hex(zeroblob(4500)), '0', 'x') FROM i"
    )
    try bench.sql(path, "UPDATE _strata SET value = 2000 WHERE key = 'nextRow'")
  }

  @Test func damageThatSparesObjectsKeepsTheirRulesKnown() throws {
    try bench.addUnused(pages: 2, bytes: 12, to: path)

    let inspection = try FileInspector().inspect(
      path, target: target, checksAll: true, rules: true)

    #expect(inspection.status == .damaged)
    #expect(inspection.brokenRules == [])
    #expect(!inspection.areRulesUnknown)
  }

  /// The rule does not read the texts, and a sample of them is sound.
  @Test func thatNoneIsBrokenIsNoKnowledgeWhereTheDigestMeetsDamage() throws {
    var bytes = try POSIXFiles().read(path, from: 0, count: 1 << 26)
    let pages = stride(from: 4096, to: bytes.count, by: 4096)
      .filter { page in bytes[page + 4..<page + 4096].allSatisfy { $0 == UInt8(ascii: "x") } }
    // The number of the page on which a long value goes on, <https://www.sqlite.org/fileformat.html#overflow_payload_pages>.
    let page = pages[pages.count / 3]
    for index in 0..<4 { bytes[page + index] = 0xFF }
    try POSIXFiles().write(bytes, to: path, permissions: 0o600)

    let inspection = try FileInspector().inspect(path, target: target, digest: true, rules: true)

    #expect(inspection.status == .damaged)
    #expect(inspection.brokenRules == nil)
    #expect(inspection.areRulesUnknown)
  }
}
