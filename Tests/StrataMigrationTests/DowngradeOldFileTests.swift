import Foundation
import StrataHistory
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata

/// Which old file a newer one is taken back with: the one that it was made of, and a whole one.
@Suite struct DowngradeOldFileTests {
  let downs: DowngradeBench
  var bench: Workbench { downs.bench }

  init() throws { downs = try DowngradeBench() }

  /// In a fleet many files have had as many transactions as each other, and their objects the same numbers.
  @Test(arguments: [3, 2_000], ["first", "last", "all"])
  func thatOfAnotherFileIsRefused(objects: Int, which: String) throws {
    let (old, new) = try downs.files(downs.renaming, objects: objects)
    let other = bench.path("other.db")
    try FileManager.default.copyItem(atPath: old, toPath: other)
    let place =
      switch which {
      case "first": "= (SELECT min(_row) FROM Person)"
      case "last": "= (SELECT max(_row) FROM Person)"
      default: "IS NOT NULL"
      }
    try bench.sql(other, "UPDATE Person SET secret = 'of another' WHERE _row \(place)")
    let before = try bench.bytes(new)

    let error = #expect(throws: MigrationError.self) {
      try downs.downgrade(new, other, downs.renaming)
    }

    #expect(error?.kind == .losesData)
    #expect(
      error?.description.contains(
        "it is not what an upgrade makes of \(other), which is the old one of another file, or"
      ) == true, "\(String(describing: error))")
    #expect(try bench.bytes(new) == before)
    #expect(
      try downs.downgrade(new, other, downs.renaming) { $0.isDryRun = true }.isMadeOfOldFile
        == false)
    #expect(try downs.downgrade(new, old, downs.renaming).isMadeOfOldFile == true)
  }

  /// Identifiers are all that tells some objects from each other.
  @Test func identifiersTellFilesApart() throws {
    let model = Model(name: "Note", properties: [.required("id", .uuid)])
    let target = downs.target(
      [model], [Model(name: "Note", properties: model.properties + [.optional("text", .string)])])
    let (old, new) = try downs.files(target, objects: 3)
    let other = bench.path("other.db")
    try FileManager.default.copyItem(atPath: old, toPath: other)
    try bench.sql(other, "UPDATE Note SET id = randomblob(16)")

    #expect(
      try downs.downgrade(new, other, target) { $0.isDryRun = true }.isMadeOfOldFile == false)
    #expect(try downs.downgrade(new, old, target).isMadeOfOldFile == true)
  }

  /// What other programs keep in it does not come back, and is not looked at.
  @Test func anIndexThatOnlyAnotherProgramCanReadKeepsNothingBack() throws {
    let (old, new) = try downs.files(downs.renaming)
    try change(
      old, "CREATE INDEX own ON other(a COLLATE NOCASE)", "INSERT INTO other VALUES ('x')",
      "UPDATE sqlite_schema SET sql = replace(sql, 'NOCASE', 'APP') WHERE name = 'own'")

    #expect(try downs.downgrade(new, old, downs.renaming).isMadeOfOldFile == true)
  }

  @Test func upgradesInPlaceAndAsideSayTheSameOfTheOldFile() throws {
    let target = downs.target(
      [Model(name: "Person", properties: [.required("name", .string)])],
      [Model(name: "Person", properties: [.required("name", .string), .optional("age", .int)])])
    let (old, aside) = try downs.files(target)
    let inPlace = bench.path("in-place.db")
    try FileManager.default.copyItem(atPath: old, toPath: inPlace)
    try upgrade(inPlace, target)
    let mark = "SELECT value FROM _strata WHERE key = 'upgrades'"

    #expect(try bench.sql(inPlace, mark) == bench.sql(aside, mark))
    #expect(try downs.downgrade(inPlace, old, target).isMadeOfOldFile == true)
  }

  /// An edition that wrote no digest of the objects has made the upgrade.
  @Test func aMarkWithoutADigestIsOfItsVersionAndCount() throws {
    let (old, new) = try downs.files(downs.renaming)
    try bench.sql(
      new,
      "UPDATE _strata SET value = (SELECT json_array(json_array(value ->> 0 ->> 0, value ->> 0 ->> 1)) FROM _strata WHERE key = 'upgrades') WHERE key = 'upgrades'"
    )
    #expect(try downs.downgrade(new, old, downs.renaming).isMadeOfOldFile == true)
  }

  /// Nothing reads an index while the old file is copied, page by page.
  /// By the index the objects are counted before.
  @Test(arguments: [
    ("Person.primaryKey", "malformed"), ("Person.name.fulltext_data", "Page "), ("other", "Page "),
  ])
  func aDamagedOneIsRefusedAndTheFileStays(table: String, finding: String) throws {
    let target = downs.target(
      [Self.searched],
      [
        Model(
          name: "Person", primaryKey: ["id"],
          properties: Self.searched.properties + [.optional("age", .int)])
      ])
    let (old, new) = try downs.files(target, objects: 2_000)
    try bench.sql(old, "CREATE TABLE other(a TEXT)")
    try bench.sql(old, "PRAGMA journal_mode = DELETE")
    let root = try bench.sql(old, "SELECT rootpage FROM sqlite_schema WHERE name = '\(table)'")
    let page = Int(try #require(root.first?[0].ifInteger))
    let size = Int(try #require(try bench.sql(old, "PRAGMA page_size").first?[0].ifInteger))
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: old))
    try file.seek(toOffset: UInt64((page - 1) * size))
    try file.write(contentsOf: Data(count: size))
    try file.close()

    try refuses(old, new, target, finding == "Page " ? "Page \(page): " : finding)
  }

  /// Another program's table leads to pages of a model: who takes away the one takes away the other.
  @Test func pagesThatTwoTablesShareAreFound() throws {
    let (old, new) = try downs.files(downs.renaming)
    try change(
      old,
      "UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'Person') WHERE name = 'other'"
    )
    try refuses(old, new, downs.renaming, "Person and other stand in the same place")
  }

  /// A model's index leads to pages that are free for others.
  @Test func pagesThatAreFreeAreFound() throws {
    let (old, new) = try downs.files(downs.renaming)
    try change(
      old,
      "UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'other') WHERE name = 'Person.primaryKey'",
      "DROP TABLE other")
    try refuses(old, new, downs.renaming, "2nd reference to page ")
  }

  /// A person with a name that is searched.
  private static let searched = Model(
    name: "Person", primaryKey: ["id"],
    properties: [
      .required("id", .int),
      Property(name: "name", type: .value(ValueType(.scalar(.string))), index: .fulltext),
    ])

  /// Changes what a file says of its tables, beside a table `other` of another program.
  private func change(_ path: String, _ statements: String...) throws {
    let database = try Database(path: path, mode: .readWrite)
    defer { database.close() }
    try database.set(.defensive, false)
    for statement in ["CREATE TABLE other(a TEXT)", "PRAGMA writable_schema = 1"] + statements {
      try database.execute(statement)
    }
  }

  private func refuses(
    _ old: String, _ new: String, _ target: UpgradeTarget, _ finding: String,
    at location: Testing.SourceLocation = #_sourceLocation
  ) throws {
    let before = try bench.bytes(new)
    let error = #expect(throws: MigrationError.self, sourceLocation: location) {
      try downs.downgrade(new, old, target)
    }
    let text = error?.description ?? ""
    #expect(
      text.hasPrefix("\(old) is damaged") && text.contains(finding), "\(text)",
      sourceLocation: location)
    #expect(try bench.bytes(new) == before, sourceLocation: location)
  }
}
