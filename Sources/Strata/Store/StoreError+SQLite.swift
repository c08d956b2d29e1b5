import StrataSQLite
import StrataSchema

extension StoreError {
  /// What an error of a lower layer means to the user of a store.
  init(_ error: any Error, path: String) {
    switch error {
    case let error as StoreError: self = error
    case let error as MigrationError:
      self = Self.aboutKey(error.kind, path: path) ?? .migrationFailed(error)
    case let error as MetadataError:
      if case .newerLayout = error {
        self = .needsMigration(path: path, from: 0, to: 0, reason: error.description)
      } else {
        self = .corrupt(path: path, reason: error.description)
      }
    case let error as FileDamage: self = .corrupt(path: path, reason: error.description)
    case let error as CountExhausted: self = .fileAccess(path: path, reason: error.description)
    case let error as SchemaFormatError: self = .corrupt(path: path, reason: error.description)
    case let error as JSONError: self = .corrupt(path: path, reason: error.description)
    case let error as FileError where error.isNoSpace: self = .diskFull(path: error.path)
    case let error as FileError: self = .fileAccess(path: error.path, reason: error.reason)
    case let error as SQLiteError: self.init(sqlite: error, path: path)
    case let error as ColumnError:
      self = .corrupt(path: path, reason: "in a column \(error), which something else has written")
    default: self = .sqlite(code: 0, message: "\(Self.place(path))\(error)")
    }
  }

  /// What an error of making a new file means.
  init(ofNewFile error: any Error, path: String) {
    guard let made = error as? MigrationError else {
      self.init(error, path: path)
      return
    }
    switch made.kind {
    case .diskFull: self = .diskFull(path: path)
    case .busy: self = .busy(path: path)
    case .inputOutput, .readOnly: self = .fileAccess(path: path, reason: made.description)
    default: self.init(error, path: path)
    }
  }

  /// What stands between a key and a file has cases of its own.
  private static func aboutKey(_ kind: MigrationError.Kind, path: String) -> StoreError? {
    switch kind {
    case .fileEncrypted: .keyMissing(path: path)
    case .wrongKey: .wrongKey(path: path)
    case .fileNotEncrypted: .notEncrypted(path: path)
    case .otherCipher: .otherCipher(path: path)
    default: nil
    }
  }

  private static let hasOther = "another process has put another file into its place. "
  /// What a store says whose file is another one by now, as after `strata rekey`.
  static let isReplaced = hasOther + "Open it again."

  /// Whether another file stands at the place of a store's.
  var isOfReplacedFile: Bool {
    if case .fileAccess(_, let reason) = self { return reason.hasPrefix(Self.hasOther) }
    return false
  }

  /// What a store says that is about to write, and whose file is not at its place any more.
  ///
  /// - Parameter hasLog: whether the file had a log, which stays where it was.
  static func replaced(path: String, hasLog: Bool) -> StoreError {
    do {
      guard try POSIXFiles().exists(path) else {
        return .fileAccess(
          path: path,
          reason: "another process has moved or deleted the file. Nothing was written.")
      }
    } catch {
      return .fileAccess(path: path, reason: "\(error.reason). Nothing was written.")
    }
    guard hasLog else { return .fileAccess(path: path, reason: isReplaced) }
    return .fileAccess(
      path: path,
      reason: """
        \(hasOther)Nothing was written. \(path)-wal and \(path)-shm may be left of the old one: remove them where nothing else has \
        the new file open, before it is opened.
        """)
  }

  /// What a store says behind an error with which SQLite has ended the transaction.
  static func takenBack(path: String) -> StoreError {
    .fileAccess(
      path: path,
      reason:
        "SQLite has taken the transaction back after an error in it, as on a full disk or at a page that cannot be read. Nothing of it is stored."
    )
  }

  private static func place(_ path: String) -> String { path.isEmpty ? "" : path + ": " }

  private init(sqlite error: SQLiteError, path: String) {
    if let problem = error.pageProblem {
      self = Self.aboutKey(MigrationError.Kind(problem), path: path) ?? .notADatabase(path: path)
      return
    }
    if error.isOfLostTransaction {
      self = .takenBack(path: path)
      return
    }
    if error.isOfDamagedPage {
      self = .corrupt(path: path, reason: error.meaning.what)
      return
    }
    switch error.primaryCode {
    case .notADatabase:
      self =
        EncryptedFile.isEncrypted(path) ? .keyMissing(path: path) : .notADatabase(path: path)
    case .corrupt:
      self = .corrupt(
        path: path, reason: "SQLite cannot make sense of a part of it (\(error.message))")
    case .busy, .locked: self = .busy(path: path)
    case .full: self = .diskFull(path: path)
    case .readOnly where error.isOfReplacedFile:
      self = .fileAccess(path: path, reason: Self.isReplaced)
    case .readOnly: self = .readOnly(path: path)
    case .cannotOpen, .ioError, .permission:
      self = .fileAccess(path: path, reason: error.sentence)
    case .constraint: self.init(constraint: error, path: path)
    default: self.init(other: error, path: path)
    }
  }

  private init(other error: SQLiteError, path: String) {
    if error.meaning.isDamage {
      self = .corrupt(path: path, reason: "\(error.meaning.what) (SQLite: \(error.message))")
    } else {
      self = .sqlite(code: Int(error.code), message: Self.place(path) + error.sentence)
    }
  }

  /// SQLite names what was violated: `UNIQUE constraint failed: Person.id, Person.name`.
  private init(constraint error: SQLiteError, path file: String) {
    let subject =
      error.message.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 1)
      .dropFirst().first.flatMap { String($0) }?.drop { $0 == " " } ?? ""
    let paths = subject.split(separator: ",").compactMap { Self.path(of: $0.drop { $0 == " " }) }
    var properties: [String] = []
    for name in paths.compactMap(\.property) where !properties.contains(name) {
      properties.append(name)
    }
    switch (error.constraint, paths.first) {
    case (.notNull, let path?):
      self = .missingRequired(model: path.model, property: path.property ?? "")
    case (.unique, let path?), (.primaryKey, let path?):
      self = .notUnique(model: path.model, properties: properties)
    default: self.init(other: error, path: file)
    }
  }

  /// The property that a column, an index or the column of a collection's table belongs to: `Person.name`,
  /// `index 'Person.tags.unique.null'`, `Person.tags.value`.
  private static func path(of name: Substring) -> SchemaPath? {
    var text = name
    if text.hasPrefix("index '") { text = text.dropFirst("index '".count).prefix { $0 != "'" } }
    return SchemaPath(text.split(separator: ".").prefix(2).joined(separator: "."))
  }
}
