import Foundation
import Strata
import StrataSQLite
import StrataTestModels
import Testing

/// A store of the testing schema in a folder of its own.
struct TestStore {
  let folder: TemporaryFolder
  let store: Store

  init() throws {
    folder = try TemporaryFolder()
    try Self.emptyFile.get().write(to: URL(fileURLWithPath: folder.file("a.db")))
    store = try Store(path: folder.file("a.db"), schema: TestingSchema.self)
  }

  /// What a new store writes, made once: opening it takes a part of the time of creating it.
  private static let emptyFile = Result {
    let folder = try TemporaryFolder()
    try Store(path: folder.file("a.db"), schema: TestingSchema.self).close()
    return try Data(contentsOf: URL(fileURLWithPath: folder.file("a.db")))
  }

  /// Another connection to the same file.
  func open() throws -> Store {
    try Store(path: folder.file("a.db"), schema: TestingSchema.self)
  }
}

extension Store.Configuration {
  /// For several that use a file at the same time: each gets its turn, however long the machine lets one of them stand still.
  static func patient(_ path: String) -> Store.Configuration {
    var configuration = Store.Configuration(path: path, schema: TestingSchema.self)
    configuration.busyTimeout = .seconds(600)
    return configuration
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

// MARK: - What several suites begin with

extension TestStore {
  /// A file in which Ada has two dogs, a tag and a score, and Bob, whose boss she is.
  static func withAdaAndBob() throws -> TestStore {
    let test = try TestStore()
    let ada = Person(id: 1, name: "Ada", age: 36)
    ada.dogs.append(Dog(name: "Rex"))
    ada.dogs.append(Dog(name: "Tan"))
    ada.tags.insert("poet")
    ada.scores["chess"] = 1
    try test.store.write {
      try test.store.add(ada)
      try test.store.add(Person(id: 2, name: "Bob", boss: ada))
    }
    return test
  }

  func added<Added: Object>(_ object: Added) throws -> Added {
    try store.write { try store.add(object) }
    return object
  }

  struct Refusal: Error {}

  /// Adds an object in a transaction that comes to nothing.
  func cancelled<Added: Object>(_ object: Added) throws -> Added {
    #expect(throws: Refusal.self) {
      try store.write {
        try store.add(object)
        throw Refusal()
      }
    }
    return object
  }
}
