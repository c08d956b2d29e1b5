import CSQLite

/// What SQLite answered instead of doing it.
package struct SQLiteError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The extended result code, for example 2067 for a violated UNIQUE.
  package let code: Int32
  /// SQLite's own sentence.
  package let message: String
  /// The statement, where there was one.
  package let sql: String?
  /// The database file, empty for one in memory.
  package let path: String?

  package init(code: Int32, message: String, sql: String? = nil, path: String? = nil) {
    self.code = code
    self.message = message
    self.sql = sql
    self.path = path
  }

  /// The kind of failure, without its details.
  package var primaryCode: PrimaryCode {
    if code == Self.noRoomForIndex { return .full }
    // All that SQLite says of a header that names a format which there is not.
    if code == SQLITE_ERROR, message == "unsupported file format" { return .corrupt }
    return PrimaryCode(rawValue: code & 0xFF)
  }

  /// SQLite's code, or that of a full disk where the system refuses a write for want of room. Of the system's reasons SQLite knows a full
  /// disk alone, and takes the others for failures of the disk.
  ///
  /// - Parameter connection: that of the write. A statement keeps what the system said, but for a commit.
  static func code(_ code: Int32, of connection: OpaquePointer?) -> Int32 {
    guard code == PageCode.write, let connection else { return code }
    let isOfNoSpace =
      FileError.isNoSpace(sqlite3_system_errno(connection))
      || FileError.isNoSpace(lastSystemError(of: connection))
    return isOfNoSpace ? SQLITE_FULL : code
  }

  /// `errno` of this thread.
  private static func lastSystemError(of connection: OpaquePointer) -> Int32 {
    var vfs: UnsafeMutablePointer<sqlite3_vfs>?
    guard
      sqlite3_file_control(connection, "main", SQLITE_FCNTL_VFS_POINTER, &vfs) == SQLITE_OK,
      let vfs, let last = vfs.pointee.xGetLastError
    else { return 0 }
    return last(vfs, 0, nil)
  }

  /// `SQLITE_IOERR_SHMSIZE`: there is no room for the index of the log, which is written first of all.
  private static let noRoomForIndex = SQLITE_IOERR | 19 << 8

  package var description: String {
    let place = path.flatMap { $0.isEmpty ? nil : $0 + ": " } ?? ""
    return place + sentence
  }
}

extension SQLiteError {
  /// SQLite's primary result codes, as far as they are used.
  package struct PrimaryCode: RawRepresentable, Hashable, Sendable {
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }

    package static let error = PrimaryCode(rawValue: SQLITE_ERROR)
    package static let permission = PrimaryCode(rawValue: SQLITE_PERM)
    package static let abort = PrimaryCode(rawValue: SQLITE_ABORT)
    package static let busy = PrimaryCode(rawValue: SQLITE_BUSY)
    package static let locked = PrimaryCode(rawValue: SQLITE_LOCKED)
    package static let outOfMemory = PrimaryCode(rawValue: SQLITE_NOMEM)
    package static let readOnly = PrimaryCode(rawValue: SQLITE_READONLY)
    package static let interrupted = PrimaryCode(rawValue: SQLITE_INTERRUPT)
    package static let ioError = PrimaryCode(rawValue: SQLITE_IOERR)
    package static let corrupt = PrimaryCode(rawValue: SQLITE_CORRUPT)
    package static let full = PrimaryCode(rawValue: SQLITE_FULL)
    package static let cannotOpen = PrimaryCode(rawValue: SQLITE_CANTOPEN)
    package static let protocolViolation = PrimaryCode(rawValue: SQLITE_PROTOCOL)
    package static let schemaChanged = PrimaryCode(rawValue: SQLITE_SCHEMA)
    package static let tooBig = PrimaryCode(rawValue: SQLITE_TOOBIG)
    package static let constraint = PrimaryCode(rawValue: SQLITE_CONSTRAINT)
    package static let mismatch = PrimaryCode(rawValue: SQLITE_MISMATCH)
    package static let misuse = PrimaryCode(rawValue: SQLITE_MISUSE)
    package static let notADatabase = PrimaryCode(rawValue: SQLITE_NOTADB)
  }

  /// Whether triggers or foreign keys had more rows to follow, one from the other, than SQLite follows. What the statement
  /// changed by then is not taken back.
  package var isOfTooLongChain: Bool { message.contains("too many levels of trigger recursion") }

  /// Whether the file, its disk or another connection is to blame, or an interruption, and not the statement or its values.
  package var isOfStorage: Bool {
    let codes: [PrimaryCode] = [
      .busy, .locked, .outOfMemory, .readOnly, .interrupted, .ioError, .corrupt, .full,
      .cannotOpen, .protocolViolation, .notADatabase,
    ]
    return codes.contains(primaryCode)
  }

  /// Whether the machine had no room, no memory or no file left for the work: it says nothing of the database.
  package var isOfLack: Bool { [.full, .outOfMemory, .cannotOpen].contains(primaryCode) }

  /// Which constraint was violated, when one was.
  package enum Constraint: Hashable, Sendable {
    case notNull
    case unique
    case primaryKey
    case foreignKey
    case other
  }

  // The extended codes are macros that Swift does not import: the detail stands above the low byte.
  package var constraint: Constraint? {
    guard primaryCode == .constraint else { return nil }
    switch code >> 8 {
    case 3: return .foreignKey
    case 5: return .notNull
    case 6: return .primaryKey
    case 8, 10: return .unique  // 10 is a duplicate rowid
    default: return .other
    }
  }
}

extension SQLiteError {
  /// Why the key and the file do not go together, where that is what is wrong.
  package var pageProblem: PageProblem? { PageProblem(code: code) }

  /// Whether another file has come to stand in the place of the one that was opened: `SQLITE_READONLY_DBMOVED`.
  package var isOfReplacedFile: Bool { code == SQLITE_READONLY | 4 << 8 }

  /// Whether a statement came behind a guarded transaction that SQLite has ended by itself.
  package var isOfLostTransaction: Bool { code == SQLITE_CONSTRAINT | 2 << 8 }

  /// Whether a page is not what was written: a bit flipped, two pages swapped, half of it missing.
  package var isOfDamagedPage: Bool { code == PageCode.data }

  /// Whether a definition in the file calls a function that SQLite does not let it call, so that SQLite reads none of the file's definitions.
  var isOfUnreadDefinition: Bool {
    message.hasPrefix("malformed database schema") && message.contains("unsafe use of")
  }

  /// Whether what was read is no database, or not what was written there.
  package var isOfDamagedFile: Bool {
    isOfDamagedPage || pageProblem != nil || primaryCode == .corrupt || primaryCode == .notADatabase
  }
}
