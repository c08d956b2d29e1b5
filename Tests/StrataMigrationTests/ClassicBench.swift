import Foundation
import StrataExpression
import StrataFiles
import StrataSQLite
import StrataSchema
import Synchronization

@testable import Strata

/// Files that are opened with other declarations than they were written with, as an app does.
final class ClassicBench {
  private let folder: TemporaryFolder
  /// One file is enough for each test.
  let path: String

  init() throws {
    folder = try TemporaryFolder(files: POSIXFiles())
    path = folder.path + "/classic.db"
  }

  /// Writes a file of a version, with objects that SQL adds.
  func write(_ version: Int, _ models: [Model], _ statements: String...) throws {
    let database = try Database(path: path, mode: .create)
    defer { database.close() }
    try database.configureForStrata()
    try database.setPragma("journal_mode", "WAL")
    let schema = Self.schema(version, models)
    try database.transaction {
      try TableLayout(schema).create(
        in: database, lineage: Lineage(beginning: schema), chain: nil)
    }
    for statement in statements { try database.execute(statement) }
    try StrataMetadata.write(.integer(1000), for: .nextRow, to: database)
  }

  static func schema(_ version: Int, _ models: [Model], enums: [EnumType] = []) -> Schema {
    Schema(name: "Test", version: version, models: models, enums: enums)
  }

  /// Brings the file to a version, as opening it does.
  @discardableResult
  func migrate(
    to version: Int, _ models: [Model], _ block: MigrationBlock? = nil
  ) throws -> UpgradeReport {
    try Upgrade(
      path: path, target: UpgradeTarget(classic: Self.schema(version, models), block: block)
    ).run()
  }

  /// The error that keeps the file as it was.
  func refusal(
    to version: Int, _ models: [Model], _ block: MigrationBlock? = nil
  ) throws -> MigrationError? {
    let before = try contents()
    do {
      try migrate(to: version, models, block)
      return nil
    } catch let error as MigrationError {
      guard try contents() == before else { return nil }
      return error
    }
  }

  /// What the file holds, without what SQLite keeps beside it.
  private func contents() throws -> Digest? {
    try FileInspector().inspect(path, target: nil, digest: true).dataDigest
  }

  @discardableResult
  func sql(_ text: String) throws -> [[SQLiteValue]] {
    let database = try Database(path: path, mode: .readWrite)
    defer { database.close() }
    return try database.rows(text)
  }

  /// The first column of a query.
  func column(_ text: String) throws -> [SQLiteValue] { try sql(text).map { $0[0] } }

  var version: Int { get throws { try Store.schemaVersion(at: path) } }
}

/// Counts what a block does, which may run wherever it likes.
final class Tally: Sendable {
  private let lines = Mutex<[String]>([])

  func note(_ line: String) { lines.withLock { $0.append(line) } }
  var noted: [String] { lines.withLock { $0 } }
  var count: Int { noted.count }
}

/// A block that looks at every object of a model and changes none.
func looking(at model: String) -> MigrationBlock {
  { migration, _ in migration.enumerateObjects(ofType: model) { _, _ in } }
}
