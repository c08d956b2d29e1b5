import Foundation
import StrataExpression
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata

/// The cases of Realm's migration block in which opening a file is what counts.
@Suite struct ClassicOpeningTests {
  let bench: ClassicBench

  init() throws { bench = try ClassicBench() }

  /// P(x) of version 1.
  private static let pet = Model(name: "P", properties: [.required("x", .int)])
  private static let two = "INSERT INTO P(_row, x) VALUES (1, 10), (2, 20)"

  private enum One: GeneratedSchema {
    static let definition = SchemaDefinition(dynamic: ClassicBench.schema(1, [pet]))
  }

  private enum Added: GeneratedSchema {
    static let definition = SchemaDefinition(
      dynamic: ClassicBench.schema(
        1, [Model(name: "P", properties: pet.properties + [.required("y", .int)])]))
  }

  private enum Changed: GeneratedSchema {
    static let definition = SchemaDefinition(
      dynamic: ClassicBench.schema(
        1,
        [
          Model(
            name: "P", primaryKey: ["id"],
            properties: [.optional("x", .int), .required("id", .string)]),
          Model(name: "Q", properties: []),
        ]))
  }

  private enum WithModel: GeneratedSchema {
    static let definition = SchemaDefinition(
      dynamic: ClassicBench.schema(
        1, [pet, Model(name: "Q", properties: [.required("name", .string)])]))
  }

  private enum Five: GeneratedSchema {
    static let definition = SchemaDefinition(
      dynamic: ClassicBench.schema(
        5, [Model(name: "P", properties: pet.properties + [.optional("y", .int)])]))
  }

  private func configuration(
    _ schema: any GeneratedSchema.Type, deleting: Bool = false, block: MigrationBlock? = nil
  ) -> Store.Configuration {
    Store.Configuration(
      fileURL: URL(fileURLWithPath: bench.path), schema: schema, migrationBlock: block,
      deleteIfMigrationNeeded: deleting)
  }

  private func error(_ configuration: Store.Configuration) -> StoreError? {
    do throws(StoreError) {
      _ = try Store(configuration: configuration)
      return nil
    } catch {
      return error
    }
  }

  // MARK: - Cases

  @Test func case1ThatAPropertyWasAddedAtTheSameVersionIsAnError() throws {
    try bench.write(1, [Self.pet], Self.two)

    let error = error(configuration(Added.self))

    #expect(error?.code == "STR5006")
    #expect(error?.description.contains("Property 'P.y' has been added.") == true)
    #expect(try bench.column("SELECT x FROM P") == [.integer(10), .integer(20)])
  }

  @Test func case2AllChangesAtTheSameVersionAreInOneError() throws {
    try bench.write(
      1, [Self.pet, Model(name: "R", properties: [])], Self.two)

    let text = error(configuration(Changed.self))?.description ?? ""

    #expect(text.contains("Property 'P.id' has been added."))
    #expect(text.contains("Property 'P.x' has been made optional."))
    #expect(text.contains("Primary Key for class 'P' has been added."))
    #expect(text.contains("Class 'R' has been removed."))
    #expect(!text.contains("'Q'"))
  }

  @Test func case3ANewModelAtTheSameVersionIsNoMigration() throws {
    try bench.write(1, [Self.pet], Self.two)
    let calls = Tally()

    let store = try Store(
      configuration: configuration(WithModel.self) { _, _ in calls.note("called") })

    try store.write { try store.create(named: "Q", value: ["name": "new"]) }
    #expect(try store.objects(named: "P").count == 2)
    #expect(try store.objects(named: "Q").count == 1)
    #expect(calls.count == 0)
    #expect(try bench.version == 1)
  }

  @Test func case4AnOlderVersionIsRefusedWithBothNumbers() throws {
    try bench.write(7, [Self.pet], Self.two)
    let calls = Tally()

    let error = error(configuration(Five.self) { _, _ in calls.note("called") })

    #expect(error == .fileIsNewer(path: bench.path, version: 7, newest: 5))
    #expect(calls.count == 0)
    #expect(try bench.version == 7)
    #expect(try bench.column("SELECT x FROM P") == [.integer(10), .integer(20)])
  }

  @Test func case5TheBlockRunsOnceWhenNothingButTheVersionIsAnother() throws {
    try bench.write(2, [Model(name: "P", properties: Five.definition.schema.models[0].properties)])
    let calls = Tally()
    let block: MigrationBlock = { migration, oldSchemaVersion in
      calls.note("from \(oldSchemaVersion) to \(migration.newSchema.version)")
    }

    _ = try Store(configuration: configuration(Five.self, block: block))
    _ = try Store(configuration: configuration(Five.self, block: block))

    #expect(calls.noted == ["from 2 to 5"])
    #expect(try bench.version == 5)
  }

  @Test func case6NoBlockRunsForANewFile() throws {
    let calls = Tally()

    let store = try Store(
      configuration: configuration(Five.self) { _, _ in calls.note("called") })

    #expect(calls.count == 0)
    #expect(try store.objects(named: "P").count == 0)
    #expect(try bench.version == 5)
  }

  @Test func case25DeletingInsteadOfMigratingCallsNoBlock() throws {
    try bench.write(1, [Self.pet], Self.two)
    let calls = Tally()

    let store = try Store(
      configuration: configuration(Five.self, deleting: true) { _, _ in calls.note("called") })

    #expect(try store.objects(named: "P").count == 0)
    #expect(calls.count == 0)
    #expect(try bench.version == 5)
  }

  @Test func case25DeletingKeepsTheObjectsWhenAModelIsAllThatIsNew() throws {
    try bench.write(1, [Self.pet], Self.two)

    let store = try Store(configuration: configuration(WithModel.self, deleting: true))

    #expect(try store.objects(named: "P").count == 2)
    #expect(try store.objects(named: "Q").count == 0)
  }

  // MARK: - Around the cases

  @Test func anIndexACaseOrADefaultAtTheSameVersionIsNoMigration() throws {
    enum Indexed: GeneratedSchema {
      static let definition = SchemaDefinition(
        dynamic: ClassicBench.schema(
          1,
          [
            Model(
              name: "P",
              properties: [
                Property(
                  name: "x", type: .value(ValueType(.scalar(.int))), defaultValue: .int(3),
                  index: .ordinary)
              ])
          ]))
    }
    try bench.write(1, [Self.pet], Self.two)

    let store = try Store(configuration: configuration(Indexed.self))

    #expect(try store.objects(named: "P").filter("x == 20").count == 1)
  }

  @Test func bothFormsAtOnceAreRefused() throws {
    try bench.write(1, [Self.pet], Self.two)
    var configuration = configuration(Five.self) { _, _ in }
    configuration.migrations = NoSteps.self

    #expect(error(configuration) == .twoFormsOfMigration)
    #expect(try bench.version == 1)
  }

  @Test func aFileOfFrozenVersionsNeedsItsMigrationsOrABlock() throws {
    try bench.write(1, [Self.pet], Self.two)
    try bench.sql("UPDATE _strata SET value = '\(Digest(of: "chain"))' WHERE key = 'chain'")

    #expect(error(configuration(Five.self))?.code == "STR5006")
    let store = try Store(configuration: configuration(Five.self) { _, _ in })

    #expect(try store.objects(named: "P").count == 2)
  }

  @Test func openingWithALookFirstTellsOfTheUpgrade() throws {
    try bench.write(1, [Self.pet], Self.two)
    let calls = Tally()

    let result = try Store.open(configuration(Five.self) { _, _ in calls.note("called") })

    guard case .needsUpgrade(let outline) = result else {
      Issue.record("\(result)")
      return
    }
    #expect(outline.from == 1)
    #expect(outline.to == 5)
    #expect(outline.objects == 2)
    #expect(calls.count == 0)
  }

  /// What asks for checksums means new files. The reader keeps the log, which any SQLite may write back.
  @Test func aFileWithoutChecksumsIsUpgradedWithout() throws {
    try bench.write(1, [Self.pet], Self.two)
    let reader = try Database(path: bench.path, mode: .readWrite)
    try reader.begin(.deferred)
    #expect(try reader.firstValue("SELECT count(*) FROM P") == 2)
    var configuration = configuration(Five.self) { _, _ in }
    configuration.checksums = true

    try Store(configuration: configuration).close()

    let plain = try Database(path: bench.path, mode: .readWrite, vfs: Database.systemVFS)
    #expect(try plain.firstValue("PRAGMA integrity_check") == "ok")
    #expect(plain.reservedBytes == 0)
    reader.close()
    plain.close()
    #expect(Database.firstBytes(of: bench.path, count: 21)?[20] == 0)
    #expect(try bench.column("PRAGMA integrity_check") == [.text("ok")])
    #expect(try bench.column("SELECT x FROM P") == [.integer(10), .integer(20)])
    #expect(try bench.version == 5)
  }

  @Test func anotherSchemasFileIsLeftAlone() throws {
    try bench.write(1, [Self.pet], Self.two)
    try bench.sql("UPDATE _strata SET value = 'Other' WHERE key = 'schema'")

    let error = error(configuration(Five.self) { _, _ in })

    #expect(error?.description.contains("Other") == true)
    #expect(try bench.version == 1)
  }
}

private enum NoSteps: MigrationChain {
  static let history = EmbeddedHistory(json: "{}")
  static var steps: [Step] { [] }
}
