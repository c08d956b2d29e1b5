import StrataSQLite
import StrataSchema

extension StoreError {
  /// What an error of a lower layer means to the user of a store.
  init(_ error: any Error, path: String) {
    switch error {
    case let error as StoreError: self = error
    case let error as MigrationError: self = .migrationFailed(error)
    case let error as MetadataError:
      if case .newerLayout = error {
        self = .needsMigration(path: path, from: 0, to: 0, reason: error.description)
      } else {
        self = .corrupt(path: path, reason: error.description)
      }
    case let error as SchemaFormatError: self = .corrupt(path: path, reason: error.description)
    case let error as JSONError: self = .corrupt(path: path, reason: error.description)
    case let error as FileError: self = .fileAccess(path: error.path, reason: error.reason)
    case let error as SQLiteError: self.init(sqlite: error, path: path)
    default: self = .sqlite(code: 0, message: "\(error)")
    }
  }

  private init(sqlite error: SQLiteError, path: String) {
    switch error.primaryCode {
    case .notADatabase: self = .notADatabase(path: path)
    case .corrupt: self = .corrupt(path: path, reason: error.message)
    case .busy, .locked: self = .busy(path: path)
    case .full: self = .diskFull(path: path)
    case .readOnly: self = .readOnly(path: path)
    case .cannotOpen, .ioError: self = .fileAccess(path: path, reason: error.message)
    case .constraint: self.init(constraint: error)
    default: self = .sqlite(code: Int(error.code), message: error.message)
    }
  }

  /// SQLite names what was violated: `UNIQUE constraint failed: Person.id, Person.name`.
  private init(constraint error: SQLiteError) {
    let subject =
      error.message.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 1)
      .dropFirst().first.flatMap { String($0) }?.drop { $0 == " " } ?? ""
    let paths = subject.split(separator: ",").compactMap {
      SchemaPath(String($0.drop { $0 == " " }))
    }
    let properties = paths.compactMap(\.property)
    switch (error.constraint, paths.first) {
    case (.notNull, let path?):
      self = .missingRequired(model: path.model, property: path.property ?? "")
    case (.unique, let path?): self = .notUnique(model: path.model, properties: properties)
    default: self = .sqlite(code: Int(error.code), message: error.message)
    }
  }
}
