package import StrataSQLite

/// A database file that is read without changing it, its `-wal` or its `-shm`.
///
/// SQLite itself writes when it reads a file in WAL mode: it creates the log's index, or mends it after a crash. There are
/// three cases, <https://www.sqlite.org/wal.html#read_only_databases>:
/// - without a log, the file is opened as immutable, and nothing beside it is looked for. Nothing is locked then either: who reads
///   for long asks in the end whether the file `isUnchanged`;
/// - with a log and its index, the index is opened read-only: SQLite uses it where a process keeps it up to date, else builds
///   one in memory;
/// - with a log alone (copied without its index), one that SQLite cannot read without writing, or the rollback journal
///   of a process that was killed, everything is copied to a temporary folder and read there.
package final class UntouchedDatabase {
  package let database: Database
  /// The file itself, not its copy.
  let path: String
  /// What another connection attaches to read the same.
  package let attachment: String
  private let copy: TemporaryFolder?
  private let files: any FileOperations
  /// A file without a lock is held against this later; nil where SQLite's locks hold the content, or a copy that was made under them.
  private let stamp: Stamp?
  private var isHandedOver = false
  /// Whether all that the connection shows stands in its file, and nothing in a log beside it.
  package private(set) var holdsAllPages: Bool

  /// How often a file that changes while it is opened is tried again.
  private static let maximumAttempts = 5

  package static func open(_ path: String, vfs: String? = nil, files: any FileOperations) throws
    -> UntouchedDatabase
  {
    let path = place(of: path, files)
    for _ in 1..<maximumAttempts {
      let stamp = try Stamp(of: path, files)
      do {
        let opened = try openOnce(path, vfs: vfs, files: files)
        // A writer that came in between would not be seen through an immutable file, nor a copy be whole.
        if opened.isUnchanged { return opened }
        opened.close()
      } catch let error where (try? Stamp(of: path, files)) == stamp {
        throw error
      } catch {
        // What was looked for went away with the last connection of another process.
        continue
      }
    }
    return try openOnce(path, vfs: vfs, files: files)
  }

  /// Opens a file for who hands on what is read before all is read, and so cannot begin anew: nothing that others write is seen.
  ///
  /// SQLite's own locks see to that. For them it makes a log and its index beside the file, and removes both with the last connection. Where the file
  /// or its folder cannot be written, it is opened as by ``open(_:vfs:files:)``.
  package static func openLocked(
    _ path: String, vfs: String? = nil, files: any FileOperations
  ) throws -> UntouchedDatabase {
    let path = place(of: path, files)
    let stamp = try Stamp(of: path, files)
    if stamp.logSize == 0, stamp.journalSize == 0, files.isAccessible(path, forWriting: true),
      files.isAccessible(FilePaths.folder(of: path), forWriting: true),
      let database = try? Database.inPlace(
        path: FilePaths.uri(path, "mode=rw"), mode: .readWrite, vfs: vfs, isURI: true,
        busyTimeout: Self.busyTimeout)
    {
      let opened = UntouchedDatabase(locked: database, path, files: files)
      do {
        try opened.lock()
        return opened
      } catch {
        // What is wrong with the file is told by who only reads it.
        opened.close()
      }
    }
    return try open(path, vfs: vfs, files: files)
  }

  /// Opens a file that several connections are to read. A rollback journal's locks keep others from writing meanwhile, and take nothing beside the file;
  /// of a log that others may write, a copy is read from a temporary folder.
  static func openForSeveral(
    _ path: String, vfs: String? = nil, files: any FileOperations
  ) throws -> UntouchedDatabase {
    if let locked = try openWithJournal(place(of: path, files), vfs: vfs, files: files) {
      return locked
    }
    let opened = try open(path, vfs: vfs, files: files)
    guard opened.mayBeWritten else { return opened }
    defer { opened.close() }
    let folder = try TemporaryFolder(files: files)
    let copy = folder.path + "/copy.db"
    try files.write([], to: copy, permissions: 0o600)
    // Pages with checksums get theirs from a connection that writes them, and the first page changes with the copy.
    let target = try Database(
      path: copy, mode: .readWrite,
      vfs: try FileCipher.resolve(vfs ?? Database.processDefaultVFS, of: opened.database))
    defer { target.close() }
    let backup = try Backup(from: opened.database, into: target)
    // All pages at once are of one state.
    guard try backup.step() == .done else { throw MigrationError.isWritten(path) }
    try backup.finish()
    target.close()
    return try UntouchedDatabase(path, copy: copy, folder, vfs: vfs, files: files, stamp: nil)
  }

  /// Opens a file that has no log, and none of a journal to roll back, in a transaction; nil for any other.
  private static func openWithJournal(
    _ path: String, vfs: String?, files: any FileOperations
  ) throws -> UntouchedDatabase? {
    let stamp = try Stamp(of: path, files)
    let start = Database.firstBytes(of: path, count: SQLiteHeader.byteCount) ?? []
    guard stamp.logSize == 0, SQLiteHeader(start)?.usesLog == false else { return nil }
    let database = try Database(
      path: FilePaths.uri(path, "mode=ro"), mode: .readOnly, vfs: vfs, isURI: true)
    let opened = UntouchedDatabase(locked: database, path, files: files)
    do {
      try opened.lock()
      return opened
    } catch let error as SQLiteError where error.primaryCode == .busy {
      opened.close()
      throw MigrationError.isWritten(path)
    } catch {
      // A journal to roll back, or damage, which is told by who only reads the file.
      opened.close()
      return nil
    }
  }

  /// Milliseconds to wait for a process that writes.
  private static let busyTimeout = 5000

  /// Opens a copy of a file whose pages all stand in the file itself: what a log beside it holds is written into the copy, and what a journal
  /// holds is rolled back in it.
  ///
  /// - Parameters:
  ///   - mend: changes the copy before it is opened.
  ///   - prepare: what the copy needs before SQLite reads it.
  /// - Returns: nil where the log cannot be written into the copy.
  package static func openWithoutLog(
    _ path: String, vfs: String? = nil, files: any FileOperations,
    mend: (_ copy: String) throws -> Void = { _ in }, _ prepare: (Database) throws -> Void
  ) throws -> UntouchedDatabase? {
    let path = place(of: path, files)
    for _ in 0..<maximumAttempts {
      let stamp = try Stamp(of: path, files)
      let opened = try openCopy(path, vfs: vfs, files: files, stamp: nil, mend)
      guard try Stamp(of: path, files) == stamp else {
        opened.close()
        continue
      }
      try prepare(opened.database)
      guard opened.database.checkpointsWholeLog else {
        opened.close()
        return nil
      }
      opened.holdsAllPages = true
      return opened
    }
    throw MigrationError.isWritten(path)
  }

  /// Begins a transaction that stays until the database is closed, and takes SQLite's lock for it, which comes with the first read.
  private func lock() throws {
    database.setBusyTimeout(milliseconds: Self.busyTimeout)
    try database.begin(.deferred)
    _ = try database.firstValue("SELECT 1 FROM sqlite_schema LIMIT 1")
  }

  /// Where the file stands: SQLite keeps the log there, and not beside a symbolic link that leads to it.
  private static func place(of path: String, _ files: any FileOperations) -> String {
    (try? files.realPath(of: path)) ?? path
  }

  /// A log that holds its header alone has no content, <https://www.sqlite.org/fileformat.html#the_write_ahead_log>.
  private static let logHeaderSize = 32

  private static func openOnce(
    _ path: String, vfs: String?, files: any FileOperations
  ) throws -> UntouchedDatabase {
    let stamp = try Stamp(of: path, files)
    if stamp.journalSize == 0 {
      if stamp.logSize == 0 {
        return try UntouchedDatabase(
          path, uri: FilePaths.uri(path, "mode=ro&immutable=1"), vfs: vfs, files: files,
          stamp: stamp)
      }
      if try files.exists(path + "-shm") {
        let opened = try UntouchedDatabase(
          path, uri: FilePaths.uri(path, "mode=ro&readonly_shm=1"), vfs: vfs, files: files,
          stamp: nil)
        if opened.database.canReadLog { return opened }
        opened.close()
      }
    }
    return try openCopy(path, vfs: vfs, files: files, stamp: stamp)
  }

  private static func openCopy(
    _ path: String, vfs: String?, files: any FileOperations, stamp: Stamp?,
    _ mend: (_ copy: String) throws -> Void = { _ in }
  ) throws -> UntouchedDatabase {
    let folder = try TemporaryFolder(files: files)
    let copy = folder.path + "/copy.db"
    // A store of this process may be writing the file.
    if try files.exists(path) { try files.copyDatabase(path, to: copy, permissions: 0o600) }
    for suffix in ["-wal", "-journal"] where try files.exists(path + suffix) {
      try files.copy(path + suffix, to: copy + suffix, permissions: 0o600)
    }
    try mend(copy)
    return try UntouchedDatabase(path, copy: copy, folder, vfs: vfs, files: files, stamp: stamp)
  }

  /// Whether everything that was read so far is of one state of the file.
  package var isUnchanged: Bool {
    guard let stamp else { return true }
    return (try? Stamp(of: path, files)) == stamp
  }

  /// Whether a log is there, which others may write while it is read.
  var mayBeWritten: Bool { stamp == nil && copy == nil }

  /// Runs statements that all see the same state of the file. Where a log is there, which others may write, each would see the newest
  /// one by itself.
  package func readingOneState<Result>(_ body: () throws -> Result) throws -> Result {
    if database.isInTransaction { return try body() }
    // In a transaction SQLite does not change where temporary tables are.
    try database.spillTemporaries()
    try database.begin(.deferred)
    defer { try? database.rollback() }
    return try body()
  }

  /// Whether a log or a journal with content stands beside a file.
  package static func hasLogOrJournal(_ path: String, _ files: any FileOperations) -> Bool {
    guard let stamp = try? Stamp(of: path, files) else { return true }
    return stamp.logSize > 0 || stamp.journalSize > 0
  }

  /// What tells that the file was not written: the file's status, and how large the log and the journal are.
  fileprivate struct Stamp: Equatable {
    let status: FileStatus?
    let logSize: Int
    let journalSize: Int

    init(of path: String, _ files: any FileOperations) throws {
      status = try files.status(of: path)
      let size = try files.size(of: path + "-wal") ?? 0
      logSize = size <= logHeaderSize ? 0 : size
      journalSize = try files.size(of: path + "-journal") ?? 0
    }
  }

  private init(locked database: Database, _ path: String, files: any FileOperations) {
    self.path = path
    self.database = database
    self.files = files
    attachment = FilePaths.uri(path, "mode=ro")
    copy = nil
    stamp = nil
    holdsAllPages = false
  }

  private init(
    _ path: String, uri: String, vfs: String?, files: any FileOperations, stamp: Stamp?
  ) throws {
    self.path = path
    attachment = uri
    self.files = files
    self.stamp = stamp
    database = try Database(path: uri, mode: .readOnly, vfs: vfs, isURI: true)
    copy = nil
    holdsAllPages = database.isImmutable
    database.setBusyTimeout(milliseconds: Self.busyTimeout)
  }

  private init(
    _ path: String, copy: String, _ folder: TemporaryFolder, vfs: String?,
    files: any FileOperations, stamp: Stamp?
  ) throws {
    self.path = path
    // By a URI, so that it may be copied into a file that is encrypted.
    attachment = FilePaths.uri(copy, "cache=private")
    self.files = files
    self.stamp = stamp
    self.copy = folder
    holdsAllPages = false
    database = try Database(path: attachment, mode: .readWrite, vfs: vfs, isURI: true)
  }

  package func close() {
    guard !isHandedOver else { return }
    database.close()
    copy?.remove()
  }

  /// The connection for a caller who closes it; a temporary copy goes with it.
  func handOver() -> Database {
    isHandedOver = true
    database.companion = copy
    if database.isImmutable, let stamp {
      database.companion = StandingFile(path: path, stamp: stamp, files: files)
    }
    return database
  }

  deinit { close() }
}

extension Database {
  /// Writes all that the log holds into the file; whether that was possible.
  fileprivate var checkpointsWholeLog: Bool {
    guard let rows = try? rows("PRAGMA wal_checkpoint(TRUNCATE)"), let row = rows.first else {
      return false
    }
    // Whether another connection is in the way, and the pages of the log, none of which is left; both are -1 without a log.
    return row[0].ifInteger == 0 && (row[1].ifInteger ?? 0) <= 0
  }

  /// Whether SQLite can make sense of the log without writing: of one that a killed process has just begun it cannot, nor of one that
  /// the last connection of another process removes at this moment.
  var canReadLog: Bool {
    do {
      _ = try firstValue("SELECT 1 FROM sqlite_schema LIMIT 1")
      return true
    } catch let error as SQLiteError {
      return error.primaryCode != .protocolViolation && error.primaryCode != .cannotOpen
    } catch {
      return true
    }
  }
}

/// What a file was when it was opened as one that nothing changes: another user may do so all the same.
final class StandingFile {
  private let path: String
  private let stamp: UntouchedDatabase.Stamp
  private let files: any FileOperations

  fileprivate init(path: String, stamp: UntouchedDatabase.Stamp, files: any FileOperations) {
    (self.path, self.stamp, self.files) = (path, stamp, files)
  }

  var isUnchanged: Bool { (try? UntouchedDatabase.Stamp(of: path, files)) == stamp }
}
