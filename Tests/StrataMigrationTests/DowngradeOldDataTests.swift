import StrataHistory
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata

/// What the old file has comes back as it is, or the report names it.
@Suite struct DowngradeOldDataTests {
  let downs: DowngradeBench
  var bench: Workbench { downs.bench }

  init() throws { downs = try DowngradeBench() }

  /// An old file with what SQL puts into it, and the same upgraded.
  private func files(_ target: UpgradeTarget, _ statements: String...) throws -> (
    old: String, new: String
  ) {
    let old = try bench.sample("old.db", version: 0, of: target, objects: 0)
    for statement in statements { try bench.sql(old, statement) }
    try bench.sql(old, "UPDATE _strata SET value = 100 WHERE key = 'nextRow'")
    let new = bench.path("new.db")
    var options = Upgrade.Options()
    options.output = new
    try Upgrade(path: old, target: target, options: options).run()
    return (old, new)
  }

  // MARK: - Keys of maps

  private func scores(_ type: ScalarType) -> Model {
    Model(
      name: "Game",
      properties: [Property(name: "scores", type: .map(ValueType(.scalar(type))))])
  }

  /// An é is one scalar, or two: Swift takes the two texts for the same.
  @Test func aKeyThatIsAnotherInItsBytesAloneGoesBack() throws {
    let target = downs.target([scores(.int32)], [scores(.double)])
    let (old, new) = try files(
      target, "INSERT INTO Game(_row) VALUES (1)",
      "INSERT INTO \"Game.scores\" VALUES (1, 'e' || char(769), 1)")
    try bench.sql(new, "UPDATE \"Game.scores\" SET _index = char(233)")

    #expect(try downs.downgrade(new, old, target).isLossless)

    #expect(
      try bench.sql(new, "SELECT hex(_index), value FROM \"Game.scores\"") == [
        [.text("C3A9"), .integer(1)]
      ])
  }

  @Test func elementsAreTheSameWhereTheBytesOfTheirKeysAre() {
    let composed = CollectionElement(key: "\u{e9}", value: .int(1))
    let decomposed = CollectionElement(key: "e\u{301}", value: .int(1))
    #expect(composed != decomposed)
    #expect(Set([composed, decomposed, composed]).count == 2)
    #expect(composed == CollectionElement(key: "\u{e9}", value: .int(1)))
    #expect(composed != CollectionElement(key: "\u{e9}", value: .int(2)))
    #expect(CollectionElement(key: "", value: .null) != CollectionElement(value: .null))
  }
}
