import Strata
import StrataSQLite
import StrataTestModels

/// A store of the testing schema in a folder of its own.
struct TestStore {
  let folder: TemporaryFolder
  let store: Store

  init() throws {
    folder = try TemporaryFolder()
    store = try Store(path: folder.file("a.db"), schema: TestingSchema.self)
  }

  /// Another connection to the same file.
  func open() throws -> Store {
    try Store(path: folder.file("a.db"), schema: TestingSchema.self)
  }
}

extension TestStore {
  /// What another program does to the file.
  func execute(_ sql: String) throws {
    let database = try Database(path: folder.file("a.db"))
    database.setBusyTimeout(milliseconds: 5000)
    try database.execute(sql)
  }

  /// Model, change and columns of the entries of one transaction.
  func logged(transaction: Int64) throws -> [String] {
    let database = try Database(path: folder.file("a.db"), mode: .readOnly)
    return try database.rows(
      "SELECT model, change, columns FROM _strata_changes WHERE \"transaction\" = ? ORDER BY entry",
      .integer(transaction)
    ).map { row in row.compactMap(\.ifText).joined(separator: " ") }
  }
}
