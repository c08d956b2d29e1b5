import Foundation
import Strata
import StrataAdopt
import StrataExpression
import StrataHistory
import StrataRealm
import StrataSQLite
import StrataSchema
import StrataSource
import Testing

@testable import StrataCLI
@testable import StrataFiles

/// Files that Realm itself wrote stand beside the project and are not a part of it.
@Suite("Adopting Realm's own files")
struct SharedRealmAdoptionTests {
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("shared/data/realm").path
  static let isThere = FileManager.default.fileExists(atPath: folder)
  static let isMissing: Comment = "shared/data/realm is not beside the project"

  struct Entry: Decodable, Sendable, CustomTestStringConvertible {
    var name: String
    var keyHex: String?
    var tables: [String: Int]

    enum CodingKeys: String, CodingKey {
      case name, tables
      case keyHex = "key_hex"
    }

    var testDescription: String { name }
  }

  static let entries: [Entry] =
    isThere
    ? (try? JSONDecoder().decode(
      [Entry].self, from: Data(contentsOf: URL(fileURLWithPath: folder + "/manifest.json")))) ?? []
    : []

  /// Without the encrypted copy of the largest one, which takes a minute to merge; with `STRATA_LONG_TESTS=1` all.
  static let entriesOnce =
    ProcessInfo.processInfo.environment["STRATA_LONG_TESTS"] != nil
    ? entries : entries.filter { $0.name != "alltypes-v24-encrypted.realm" }

  private func adopt(_ entry: Entry) throws -> (AdoptScratch, AdoptedProject, AdoptedData) {
    let scratch = try AdoptScratch()
    let key = try entry.keyHex.map { try scratch.write("key", Array($0.utf8)) }
    let (project, data) = try scratch.adopt(Self.folder + "/" + entry.name, keyFile: key)
    return (scratch, project, data)
  }

  @Test(
    "Each becomes a project without errors and a database with as many objects",
    .enabled(if: isThere, isMissing), arguments: entries)
  func adopts(_ entry: Entry) throws {
    let (scratch, project, data) = try adopt(entry)
    #expect(project.findings.errorCount == 0)
    let hasClasses = entry.tables.keys.contains { $0.hasPrefix("class_") }
    var expected: [String: Int] = [:]
    for (table, count) in entry.tables {
      if table.hasPrefix("class_"), !table.hasPrefix("class___") {
        expected[String(table.dropFirst(6))] = count
      } else if !hasClasses, !["pk", "metadata"].contains(table) {
        expected[table] = count
      }
    }
    #expect(data.transfer.objects == expected)
    let inspection = try FileInspector().inspect(scratch.path + "/out/App.db", target: nil)
    #expect(inspection.counts == expected)
    #expect(inspection.problem == nil)
  }

  @Test(
    "Each cell of the database is the one that Realm's core reads, plain and encrypted",
    .enabled(if: isThere, isMissing),
    arguments: ["alltypes-v24.realm", "alltypes-v24-encrypted.realm"])
  func cellsAreRight(_ name: String) throws {
    let entry = try #require(Self.entries.first { $0.name == name })
    let (scratch, project, _) = try adopt(entry)
    let schema = project.history.versions[0].schema
    let dump = try RealmDump(path: Self.folder + "/alltypes-v24.dump.tsv")
    let database = try scratch.database()
    var firstRows: [String: Int64] = [:]
    for model in dump.ranks.keys {
      firstRows[model] = try database.firstValue(
        "SELECT min(_row) FROM \(SQL.identifier(model))")?.ifInteger
    }
    let tables = ["Target", "Emb", "All"]
    var compared = 0
    var differences: [String] = []
    for cell in dump.cells {
      let property = try #require(schema.model(named: cell.model)?.property(named: cell.property))
      let isAny = property.type.valueType?.base == .scalar(.any)
      // The core writes every value of a dictionary with its own type.
      func expected(_ text: Substring) -> SQLiteValue? {
        RealmDump.stored(text, isAny: isAny) { table, key in
          let model = table.map { tables[$0] } ?? property.type.linkedModel ?? ""
          guard let rank = dump.ranks[model]?[key], let first = firstRows[model] else { return nil }
          return (first + Int64(rank), model)
        }
      }
      let row = try #require(firstRows[cell.model]) + Int64(cell.rank)
      let column = SQL.identifier(cell.property)
      let table = SQL.identifier(cell.model)
      var found: [[SQLiteValue]]
      var wanted: [[SQLiteValue?]]
      let elements =
        "SELECT value FROM \(SQL.identifier("\(cell.model).\(cell.property)")) WHERE _owner = ?"
      switch property.type {
      case .list:
        found = Array(try database.rows(elements + " ORDER BY _index", .integer(row)))
        wanted = RealmDump.elements(cell.text).map { [expected($0)] }
      case .set:
        found = Array(try database.rows(elements, .integer(row))).sorted { "\($0)" < "\($1)" }
        wanted = RealmDump.elements(cell.text).map { [expected($0)] }
          .sorted { "\($0.map { $0 ?? .null })" < "\($1.map { $0 ?? .null })" }
      case .map:
        found = Array(
          try database.rows(
            elements.replacing("SELECT value", with: "SELECT _index, value") + " ORDER BY _index",
            .integer(row)))
        wanted = RealmDump.elements(cell.text).compactMap { entry in
          let parts = entry.split(separator: "=", maxSplits: 1)
          // A map of objects has no empty places.
          if property.type.linkedModel != nil, parts[1] == "n" { return nil }
          return [expected(parts[0]), expected(parts[1])]
        }
      default:
        found = Array(
          try database.rows("SELECT \(column) FROM \(table) WHERE _row = ?", .integer(row)))
        wanted = [[expected(cell.text)]]
      }
      compared += 1
      if found != wanted.map({ $0.compactMap { $0 } }) {
        differences.append("\(cell.model).\(cell.property) of \(row): \(found), not \(cell.text)")
      }
    }
    #expect(compared == 45_310)
    #expect(differences.prefix(5) == [])
  }

  /// The steps between the versions of Realm's example, as far as they are no code.
  private static func step(to version: Int) throws -> MigrationStep? {
    switch version {
    case 1:
      return MigrationStep(
        to: 1,
        set: ["Person": ["fullName": try Expression.parse("old.firstName + ' ' + old.lastName")]],
        drop: [SchemaPath("Person", "firstName"), SchemaPath("Person", "lastName")])
    case 3:
      return MigrationStep(
        to: 3,
        renames: Renames(
          models: ["Dog": "Pet"], properties: [SchemaPath("Person", "dogs"): "pets"]),
        set: ["Pet": ["kind": try Expression.parse("1")]])
    default: return nil
    }
  }

  @Test(
    "Realm's example files of versions 0 to 5 are upgraded by the steps between them, and agree",
    .enabled(if: isThere, isMissing))
  func examplesAreUpgraded() throws {
    var files: [AdoptScratch] = []
    var versions: [FrozenVersion] = []
    for number in 0...5 {
      let entry = try #require(
        Self.entries.first { $0.name == "realm-swift__default-v\(number).realm" })
      let (scratch, project, _) = try adopt(entry)
      let schema = project.history.versions[0].schema
      #expect(schema.version == number)
      files.append(scratch)
      versions.append(
        FrozenVersion(
          schema: schema, step: try Self.step(to: number), date: "2026-11-22", stepDigest: nil,
          chain: Digest(of: "\(number)")))
    }
    let target = UpgradeTarget(history: History(name: "App", versions: versions))
    var digests: [Digest?] = []
    for file in files {
      let path = file.path + "/out/App.db"
      try Upgrade(path: path, target: target).run()
      let inspection = try FileInspector().inspect(path, target: target, digest: true)
      #expect(inspection.status == .current)
      #expect(inspection.version == 5)
      digests.append(inspection.dataDigest)
      let people = try file.database().rows("SELECT fullName, age FROM Person ORDER BY age")
      #expect(
        Array(people) == [
          [.text("John Doe"), .integer(42)], [.text("Jane Doe"), .integer(43)],
          [.text("John Smith"), .integer(44)],
        ])
    }
    // The example's own code adds dogs at version 2 and an address at version 4.
    #expect(digests[0] != nil)
    #expect(digests[0] == digests[1])
    #expect(digests[2] == digests[3])
    #expect(digests[4] == digests[5])
  }
}
