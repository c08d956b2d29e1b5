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

  // MARK: - Objects that the old file alone has

  private func link(_ name: String, _ model: String, _ rule: Property.DeleteRule) -> Property {
    Property(name: name, type: .value(ValueType(.object(model))), deleteRule: rule)
  }

  private let customer = Model(name: "Customer", properties: [.required("name", .string)])

  /// The older version would have refused to delete the customer.
  @Test func whatHasToLinkToADeletedObjectIsNamed() throws {
    let invoice = Model(
      name: "Invoice", primaryKey: ["number"],
      properties: [.required("number", .int), link("customer", "Customer", .deny)])
    let item = Model(name: "Item", properties: [link("invoice", "Invoice", .deny)])
    let target = downs.target([customer, invoice, item], [customer]) {
      $0.drop = [SchemaPath("Invoice"), SchemaPath("Item")]
    }
    let (old, new) = try files(
      target, "INSERT INTO Customer(_row, name) VALUES (1, 'Ada'), (2, 'Bob')",
      "INSERT INTO Invoice(_row, number, customer) VALUES (3, 70, 1), (4, 71, 2)",
      "INSERT INTO Item(_row, invoice) VALUES (5, 3), (6, 4)")
    try bench.sql(new, "DELETE FROM Customer WHERE _row = 1")
    let before = try bench.bytes(new)

    let error = #expect(throws: MigrationError.self) { try downs.downgrade(new, old, target) }
    #expect(error?.kind == .losesData)
    #expect(try bench.bytes(new) == before)

    let report = try downs.downgrade(new, old, target) { $0.acceptsLoss = true }
    #expect(report.losses.map(\.model) == ["Invoice", "Item"])
    #expect(
      report.losses.map(\.reason) == [
        "the old file alone has it, and Invoice.customer has to lead to what is deleted",
        "the old file alone has it, and Item.invoice has to lead to what is deleted",
      ])
    #expect(report.losses.map(\.count) == [1, 1])
    #expect(report.losses.map { $0.objects.map(\.identity) } == [[3], [5]])
    #expect(report.losses.map { $0.objects.map(\.key) } == [["70"], [nil]])
    #expect(try bench.sql(new, "SELECT _row FROM Invoice") == [[.integer(4)]])
    #expect(try bench.sql(new, "SELECT _row FROM Item") == [[.integer(6)]])
  }

  /// A step has given the invoice up, so that nothing kept its customer from being deleted.
  @Test func whatAStepHasDeletedIsNamed() throws {
    let invoice = Model(
      name: "Invoice",
      properties: [.required("total", .int), link("customer", "Customer", .deny)])
    let target = downs.target([customer, invoice], [customer, invoice]) {
      $0.delete = ["Invoice": expression("old.total == 0")]
    }
    let (old, new) = try files(
      target, "INSERT INTO Customer(_row, name) VALUES (1, 'Ada'), (2, 'Bob')",
      "INSERT INTO Invoice(_row, total, customer) VALUES (3, 0, 1), (4, 5, 2), (5, 0, 2)")
    try bench.sql(new, "DELETE FROM Customer WHERE _row = 1")

    let report = try downs.downgrade(new, old, target) { $0.acceptsLoss = true }

    #expect(report.losses.map(\.model) == ["Invoice"])
    #expect(report.losses.map { $0.objects.map(\.identity) } == [[3]])
    #expect(
      try bench.sql(new, "SELECT _row FROM Invoice ORDER BY _row") == [
        [.integer(4)], [.integer(5)],
      ]
    )
  }

  /// The older version deletes the note itself.
  @Test func whatIsDeletedWithItsTargetIsNoLoss() throws {
    let note = Model(name: "Note", properties: [link("customer", "Customer", .cascade)])
    let target = downs.target([customer, note], [customer]) { $0.drop = [SchemaPath("Note")] }
    let (old, new) = try files(
      target, "INSERT INTO Customer(_row, name) VALUES (1, 'Ada'), (2, 'Bob')",
      "INSERT INTO Note(_row, customer) VALUES (3, 1), (4, 2)")
    try bench.sql(new, "DELETE FROM Customer WHERE _row = 1")

    #expect(try downs.downgrade(new, old, target).isLossless)

    #expect(try bench.sql(new, "SELECT _row FROM Note") == [[.integer(4)]])
  }

  // MARK: - Names and sizes

  /// The downgrade has tables of its own beside those of the models.
  @Test(arguments: ["_back", "_back_elements", "_back_same", "_back_owned", "_back_lost"])
  func aModelMayBeCalledAsATableOfTheDowngradeWas(_ name: String) throws {
    let rule = ModelRule(name: "positive", condition: "n > 0", sentence: nil)
    func model(_ type: ScalarType) -> Model {
      Model(name: name, properties: [.required("n", type)], rules: [rule])
    }
    let target = downs.target([model(.int32)], [model(.double)])
    let (old, new) = try files(target, "INSERT INTO \"\(name)\"(_row, n) VALUES (1, 1), (2, 2)")
    try bench.sql(new, "UPDATE \"\(name)\" SET n = 7.0 WHERE _row = 1")
    try bench.sql(new, "UPDATE \"\(name)\" SET n = 0.5 WHERE _row = 2")

    let report = try downs.downgrade(new, old, target) { $0.acceptsLoss = true }

    #expect(report.losses.map { $0.objects.map(\.identity) } == [[2]])
    #expect(
      try bench.sql(new, "SELECT n FROM \"\(name)\" ORDER BY _row") == [
        [.integer(7)], [.integer(2)],
      ])
  }

  /// As many as the language lets a model have; both comparisons look at all of them.
  @Test func aModelOfAThousandPropertiesGoesBack() throws {
    func model(_ type: ScalarType) -> Model {
      Model(
        name: "Wide",
        properties: (0..<1000).map { .optional("p\($0)", $0 == 0 ? type : .int) })
    }
    let target = downs.target([model(.int32)], [model(.double)])
    let (old, new) = try files(
      target, "INSERT INTO Wide(_row, p0, p999) VALUES (1, 1, 1), (2, 2, 2)")
    try bench.sql(new, "UPDATE Wide SET p999 = 7 WHERE _row = 1")
    try bench.sql(new, "UPDATE Wide SET p0 = 0.5, p998 = 8 WHERE _row = 2")

    let report = try downs.downgrade(new, old, target) { $0.acceptsLoss = true }

    #expect(report.losses.map(\.property) == ["p0"])
    #expect(
      try bench.sql(new, "SELECT p0, p998, p999 FROM Wide ORDER BY _row") == [
        [.integer(1), .null, .integer(7)], [.integer(2), .integer(8), .integer(2)],
      ])
  }

  // MARK: - Objects that were all replaced

  private func people(_ age: ScalarType) -> Model {
    Model(name: "Person", properties: [.required("name", .string), .required("age", age)])
  }

  /// As a cache that was loaded anew. The file says itself that it was upgraded from the old one.
  @Test func aFileWhoseObjectsWereAllReplacedGoesBack() throws {
    let target = downs.target([people(.int32)], [people(.double)])
    let (old, new) = try files(
      target, "INSERT INTO Person(_row, name, age) VALUES (1, 'Ada', 36), (2, 'Bob', 40)")
    try bench.sql(new, "DELETE FROM Person")
    try bench.sql(new, "INSERT INTO Person(_row, name, age) VALUES (100, 'Eve', 7)")

    let report = try downs.downgrade(new, old, target)

    #expect(report.isLossless)
    #expect(report.isMadeOfOldFile == true)
    #expect(report.changes.map(\.created) == [1])
    #expect(report.changes.map(\.deleted) == [2])
    #expect(
      try bench.sql(new, "SELECT _row, name, age FROM Person") == [
        [.integer(100), .text("Eve"), .integer(7)]
      ])
  }

  /// Another file may have had as many transactions by chance. An identity that the old file had behind it is given to no object later.
  @Test func aFileWithOtherObjectsOfTheTimeBeforeIsRefused() throws {
    let target = downs.target([people(.int32)], [people(.double)])
    let (old, new) = try files(
      target, "INSERT INTO Person(_row, name, age) VALUES (1, 'Ada', 36), (2, 'Bob', 40)")
    try bench.sql(new, "UPDATE Person SET _row = _row + 10")

    let error = #expect(throws: MigrationError.self) {
      try downs.downgrade(new, old, target) { $0.acceptsLoss = true }
    }

    #expect(error?.kind == .cannotGoBack)
    #expect(error?.description.contains("was not made from") == true)
  }
}
