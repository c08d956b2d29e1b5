import StrataExpression
package import StrataSQLite
import StrataSchema

/// Tells what a file is and whether it can be upgraded, without changing anything.
package struct FileInspector {
  package let files: any FileOperations
  let vfs: String?

  package init(files: any FileOperations = POSIXFiles(), vfs: String? = nil) {
    self.files = files
    self.vfs = vfs
  }

  /// Looks at a file that has to be one of ours.
  ///
  /// - Parameter purpose: what its tables are to be fit for.
  /// - Throws: `MigrationError` that says what it is instead.
  package func stored(at path: String, for purpose: TableCheck.Purpose = .reading) throws
    -> StoredSchema
  {
    try checkFile(path)
    return try looking(at: path) { try stored(in: $0, path: path, for: purpose) }
  }

  /// The same, and how its objects are now.
  func marked(at path: String) throws -> (StoredSchema, UpgradeMark) {
    try checkFile(path)
    return try looking(at: path) { database in
      let stored = try stored(in: database, path: path, for: .reading)
      return (stored, try stored.mark(in: database))
    }
  }

  /// How often a file is looked at that others write meanwhile.
  private static let maximumLooks = 5

  /// Looks at a file, and anew where another process has written it meanwhile: a file without a log is read without locks, and what
  /// was read may be of two states of it.
  package func looking<Result>(at path: String, _ body: (Database) throws -> Result) throws
    -> Result
  {
    func look() throws -> (result: Swift.Result<Result, any Error>, isOfOneState: Bool) {
      let untouched = try openUntouched(path)
      defer { untouched.close() }
      let result = Swift.Result {
        try diagnosed(path) { try untouched.readingOneState { try body(untouched.database) } }
      }
      return (result, untouched.isUnchanged)
    }
    for _ in 0..<Self.maximumLooks {
      let (result, isOfOneState) = try look()
      if isOfOneState { return try result.get() }
    }
    throw MigrationError.isWritten(path)
  }

  /// Reads a file once, for who cannot begin anew: where another process has written it meanwhile, that is an error.
  ///
  /// - Parameter isLocked: whether SQLite's locks are to keep what is read; see `UntouchedDatabase.openLocked`.
  package func readingOnce<Result>(
    _ path: String, isLocked: Bool, _ body: (Database) throws -> Result
  ) throws -> Result {
    try checkFile(path)
    let untouched = try diagnosed(path) {
      isLocked
        ? try UntouchedDatabase.openLocked(path, vfs: vfs, files: files)
        : try UntouchedDatabase.open(path, vfs: vfs, files: files)
    }
    defer { untouched.close() }
    let result = Swift.Result {
      try diagnosed(path) { try untouched.readingOneState { try body(untouched.database) } }
    }
    guard untouched.isUnchanged else { throw MigrationError.isWritten(path) }
    return try result.get()
  }

  /// - Parameter isForSeveral: whether several connections are to read the same state of it.
  package func openUntouched(_ path: String, isForSeveral: Bool = false) throws -> UntouchedDatabase
  {
    try diagnosed(path) {
      try isForSeveral
        ? UntouchedDatabase.openForSeveral(path, vfs: vfs, files: files)
        : UntouchedDatabase.open(path, vfs: vfs, files: files)
    }
  }

  /// Runs `body`; a file that SQLite refuses is looked at to say why.
  package func diagnosed<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
    try Self.translate(path) {
      do {
        return try body()
      } catch let error as SQLiteError {
        throw diagnose(path, error)
      }
    }
  }

  /// Reads the metadata of an open file, and holds its tables against them.
  package func stored(
    in database: Database, path: String, for purpose: TableCheck.Purpose = .reading
  ) throws -> StoredSchema {
    var stored = try description(in: database, path: path)
    try Self.translate(path) {
      try TableCheck(database: database, schema: stored.schema).run(for: purpose)
      try CellSample(database: database, schema: stored.schema).check()
      if purpose == .writing {
        stored.rowCounter = try StrataMetadata.nextRow(of: database, schema: stored.schema)
      }
    }
    return stored
  }

  /// Reads the metadata of an open file.
  package func description(in database: Database, path: String) throws -> StoredSchema {
    try checkIsWhole(database, path)
    guard let metadata = try StrataMetadata.read(from: database) else {
      let isCoreData =
        try database.firstValue(
          "SELECT 1 FROM sqlite_schema WHERE name = 'Z_METADATA'") != nil
      throw MigrationError(
        .foreignFile,
        isCoreData
          ? "\(path) is a Core Data store. `strata adopt coredata \(path) --output DIR` makes a database of it; --model names the folder of its model's versions."
          : "\(path) is a SQLite database that Strata did not write.")
    }
    return try Self.translate(path) { try StoredSchema(metadata: metadata) }
  }

  /// A link to what is not there, as on a disk that is not mounted, is in its folder: it would be looked for in vain.
  private func missing(_ path: String) -> MigrationError {
    guard let target = try? files.readLink(path) else {
      return MigrationError(.fileMissing, "\(path) does not exist.")
    }
    return MigrationError(.fileMissing, "\(path) is a link to \(target), which is not there.")
  }

  /// Refuses what cannot be a database of ours, each case with its own sentence.
  package func checkFile(_ path: String) throws {
    let status: FileStatus?
    do {
      status = try files.status(of: path)
    } catch {
      throw MigrationError(.fileUnreadable, "\(path) cannot be reached: \(error.reason).")
    }
    guard let status else {
      throw missing(path)
    }
    switch status.kind {
    case .folder: throw MigrationError(.fileIsFolder, "\(path) is a folder, not a database file.")
    case .other:
      throw MigrationError(
        .notADatabase, "\(path) is a pipe, socket or device, not a database file.")
    case .file, .link: break
    }
    guard files.isAccessible(path, forWriting: false) else {
      throw MigrationError(
        .fileUnreadable, "\(path) cannot be read: this user has no permission to read it.")
    }
    // SQLite, too, takes a file of one byte for an empty one.
    guard status.size > 1 else {
      throw MigrationError(
        .notADatabase,
        "\(path) \(status.size == 0 ? "is empty" : "has one byte"), not a database file.")
    }
  }

  /// What is wrong with a file that SQLite refuses, from its first bytes. A store of this process may have it open all the same: one damaged page
  /// does not keep it from using the others.
  private func diagnose(_ path: String, _ error: SQLiteError) -> MigrationError {
    if error.primaryCode == .notADatabase, error.pageProblem == nil,
      EncryptedFile.isEncrypted(path)
    {
      return MigrationError(
        .fileEncrypted,
        "\(path) is encrypted, and no key was given: name the file that holds it with --key-file.")
    }
    guard error.pageProblem == nil,
      error.primaryCode == .notADatabase || error.primaryCode == .corrupt,
      let size = try? files.size(of: path),
      let start = Database.firstBytes(of: path, count: SQLiteHeader.byteCount)
    else { return MigrationError(error, path: path) }
    if SQLiteHeader.isRealm(start) {
      return MigrationError(
        .foreignFile,
        """
        \(path) is a Realm file. `strata adopt realm \(path) --output DIR` makes a database of it; `inspect` and `export` \
        read it as it is.
        """)
    }
    // Where SQLite has found more to complain about than the beginning, the key is right, and the header stands behind it.
    let isBehindKey = error.primaryCode == .corrupt && !start.starts(with: Database.magic)
    let opened =
      isBehindKey
      ? Database.openedBytes(of: path, count: SQLiteHeader.byteCount, vfs: vfs) : nil
    guard let header = SQLiteHeader(opened ?? start) else {
      if start.starts(with: Database.magic) {
        return MigrationError(
          .fileDamaged, "\(path) is damaged: it ends after \(start.count) bytes.")
      }
      return MigrationError(
        .notADatabase, "\(path) is not a database file: \(Self.describe(start)).")
    }
    if error.primaryCode == .notADatabase {
      return MigrationError(
        .fileDamaged,
        "\(path) is damaged: it begins as a SQLite file, and the rest of its header is none. \(SQLiteError.helpForDamage) It was not changed."
      )
    }
    if let pages = header.pageCount, pages * header.pageSize > size {
      return Self.isCutOff(path, size: size, expected: pages * header.pageSize)
    }
    return MigrationError(error, path: path)
  }

  private static func isCutOff(_ path: String, size: Int, expected: Int) -> MigrationError {
    MigrationError(
      .fileDamaged,
      "\(path) is damaged: it has \(size) bytes where its header says \(expected). It was cut off; restore it from a backup."
    )
  }

  /// Refuses a file that ends inside of its last page.
  ///
  /// SQLite itself refuses one that lacks whole pages, and takes what is missing of a page for zeros: rows without values, which would pass for the
  /// file's own. With a log or a journal the file may be in the middle of being written.
  ///
  /// - Parameter path: of the file for people, of which a copy may be what is open.
  package func checkIsWhole(_ database: Database, _ path: String) throws {
    guard let end = try FileEnd(of: database, files), end.size % end.pageSize != 0, end.missing > 0
    else { return }
    throw Self.isCutOff(path, size: end.size, expected: end.expected)
  }

  private static func describe(_ start: [UInt8]) -> String {
    let text = start.prefix(24)
    let isText = text.allSatisfy {
      (0x20..<0x7F).contains($0) || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 || $0 >= 0x80
    }
    guard isText, let line = String(validating: text, as: UTF8.self)?.split(separator: "\n").first
    else {
      return "its first bytes are those of no known format (it may be encrypted: give its key)"
    }
    return "it starts with the text “\(line)”"
  }

  /// Runs `body`, whose SQLite errors become sentences about the file.
  package static func translate<Result>(_ path: String, _ body: () throws -> Result) throws
    -> Result
  {
    try translate(path, .upgrade, body)
  }

  static func translate<Result>(
    _ path: String, _ direction: Direction, _ body: () throws -> Result
  ) throws -> Result {
    do {
      return try body()
    } catch let error as SQLiteError {
      throw MigrationError(error, path: path, direction)
    } catch let error as FileDamage {
      throw MigrationError(
        .fileDamaged,
        "\(path) is damaged: \(error). \(SQLiteError.helpForDamage) It was not changed.")
    } catch MetadataError.newerLayout(let layout) {
      throw MigrationError(
        .fileIsNewer,
        "\(path) was written by a newer program: it has edition \(layout) of the layout of files, and the newest that this program knows is \(TableLayout.version). Use a newer program."
      )
    } catch let error as MetadataError {
      throw MigrationError(.fileDamaged, "\(path) cannot be understood: \(error).")
    } catch let error as SchemaFormatError {
      throw MigrationError(
        .fileDamaged, "\(path) cannot be understood: its own schema is damaged: \(error).")
    } catch let error as JSONError {
      throw MigrationError(
        .fileDamaged, "\(path) cannot be understood: its own schema is damaged: \(error).")
    } catch let error as CountExhausted {
      throw MigrationError(.inputOutput, "\(path): \(error)")
    } catch let error as FileError where error.isNoSpace {
      throw MigrationError(
        .diskFull,
        "The disk of \(error.path) is full (\(error.reason)). \(path) was not changed; make room, and try again."
      )
    } catch let error as FileError {
      throw MigrationError(.inputOutput, "\(path): \(error)")
    }
  }
}

extension MigrationError {
  /// Of a file that was read without locks, and not of one state.
  package static func isWritten(_ path: String) -> MigrationError {
    .busy(
      path,
      "\(path) was written by another process while it was read. Try again when nothing else writes it."
    )
  }

  /// What a failure of SQLite says about a file.
  init(_ error: SQLiteError, path: String, _ direction: Direction = .upgrade) {
    if let problem = error.pageProblem {
      self.init(problem, path: path)
      return
    }
    if error.isOfDamagedPage {
      self.init(
        .fileDamaged,
        "\(path) is damaged: \(error.meaning.what). \(error.meaning.help) The file was not changed."
      )
      return
    }
    switch error.primaryCode {
    case .notADatabase:
      self.init(.notADatabase, "\(path) is not a database file, or it is encrypted.")
    case .corrupt:
      self.init(
        .fileDamaged,
        "\(path) is damaged (SQLite: \(error.message)). \(SQLiteError.helpForDamage) It was not changed."
      )
    case .busy, .locked:
      self = .busy(
        path,
        "\(path) is being written by another process. Try again when it has finished.")
    case .readOnly where error.isOfReplacedFile:
      self = .busy(path, "\(path) was written anew by another process at this moment. Try again.")
    case .readOnly:
      self.init(.readOnly, "\(path) cannot be written: it is read-only.")
    case .full:
      self.init(
        .diskFull,
        "The disk is full. \(path) was not changed; make room, and try again.")
    case .cannotOpen:
      self.init(.fileUnreadable, "\(path): \(error.sentence)")
    case .interrupted:
      self.init(.cancelled, "The \(direction) of \(path) was cancelled; the file was not changed.")
    default:
      self.init(
        error.meaning.isDamage ? .fileDamaged : .inputOutput, "\(path): \(error.sentence)")
    }
  }
}
