import CSQLite

// Files in whose place another process may put another one.

extension Database {
  /// How often a file is opened anew because another one came into its place.
  private static let maximumOpenings = 10

  /// Opens the file that is at a path, and begins to read it.
  ///
  /// SQLite opens a file at once, and its log with the first read. Where another process puts a new file into the place in between, as
  /// `rekey` does, the log is the new file's: laid over the old one it would be nonsense, and the connection that closes last would write it
  /// into the old file and remove it. Of a file with a log a connection keeps a lock from its first read on, with which nothing can come
  /// into the place any more. Of a file without one `isReplaced` is to be asked again.
  ///
  /// - Parameter busyTimeout: milliseconds to wait for a process that keeps others from reading.
  package static func inPlace(
    path: String, mode: Mode, vfs: String? = nil, isURI: Bool = false, busyTimeout: Int
  ) throws -> Database {
    var vfs = vfs
    for _ in 1..<maximumOpenings {
      let database = try Database(path: path, mode: mode, vfs: vfs, isURI: isURI)
      database.setBusyTimeout(milliseconds: busyTimeout)
      if try database.isInPlace() {
        guard database.lacksChecksums else { return database }
        // The header says nothing of checksums, and the first page in the log does: written back without them, pages would be damaged.
        try database.set(.noCheckpointOnClose, true)
        vfs = ChecksummedPages.vfs()
      }
      database.close()
    }
    return try Database(path: path, mode: mode, vfs: vfs, isURI: isURI)
  }

  /// Begins to read, and leaves the log alone from then on where it is another file's.
  package func isInPlace() throws -> Bool {
    try set(.noCheckpointOnClose, true)
    do {
      _ = try tablesVersion()
    } catch {
      // What is read of two files may be anything.
      if isReplaced { return false }
      // Nothing is left beside a damaged database. What is none may be encrypted, and its log is not SQLite's to write.
      if !isOfUnknownKind { try? set(.noCheckpointOnClose, false) }
      throw error
    }
    if isReplaced { return false }
    try set(.noCheckpointOnClose, false)
    return true
  }

  /// Whether the file at the path is another one by now, or none.
  package var isReplaced: Bool {
    var answer: Int32 = 0
    return sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &answer) == SQLITE_OK
      && answer != 0
  }
}
