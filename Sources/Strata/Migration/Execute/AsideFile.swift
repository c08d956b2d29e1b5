package import StrataSQLite
import StrataSchema

/// A file beside the database in which its new content is built.
///
/// It needs no journal: whatever happens to it, the old file is whole, and the next run begins anew.
package final class AsideFile {
  /// Stands behind the database's own name, so that leftovers are recognised.
  package static let suffix = "-strata-upgrade"
  /// Kibibytes of pages that a connection keeps of the file that it builds, and of the one that it reads.
  private static let cacheSize: Int64 = 5632
  private static let sourceCacheSize: Int64 = 1024

  let path: String
  let database: Database
  private let files: any FileOperations
  private var isRemoved = false

  /// - Parameters:
  ///   - source: the file whose content it gets, and whose group may read it as these permissions say.
  init(
    path: String, of source: String, vfs: String?, pageSize: Int64, permissions: UInt32,
    files: any FileOperations
  ) throws {
    self.path = path
    self.files = files
    try files.removeIfPresent(path)
    // Made with the database's own permissions and group, so that a user who may not read the database cannot read its copy.
    try files.write([], to: path, permissions: permissions)
    files.keepAccess(of: source, permissions, at: path)
    // What is attached may be named by a URI.
    database = try Database(
      path: FilePaths.uri(path, "mode=rw"), mode: .readWrite, vfs: vfs, isURI: true)
    try database.setPragma("page_size", .integer(pageSize))
    try database.turnJournalOff()
    try database.setPragma("synchronous", "OFF", in: "main")
    try database.setPragma("locking_mode", "EXCLUSIVE", in: "main")
    let cacheSize = EngineSwitches.current.cacheSize ?? Self.cacheSize
    try database.setPragma("cache_size", .integer(-cacheSize))
    try database.setPragma("secure_delete", false)
    try database.setPragma("foreign_keys", false)
    try database.spillTemporaries()
  }

  /// Commits what was written, unless the disk failed on the way: a block may have caught that, and there is no journal that
  /// would have taken the failed statement back.
  func commit() throws {
    if let failure = database.storageFailure { throw failure }
    try database.commit()
  }

  /// What stopped the work first: what comes after a failure of the disk that a block has caught is its consequence.
  func cause(of error: any Error) -> any Error {
    if let error = error as? MigrationError, error.kind == .cancelled { return error }
    return database.storageFailure ?? error
  }

  /// Attaches what the file is built from as `source`.
  ///
  /// - Parameter source: a path, or a URI that says how to read it.
  func attachSource(_ source: String) throws {
    try attach(source, as: "source")
    try database.setPragma("cache_size", .integer(-Self.sourceCacheSize), in: "source")
  }

  /// Attaches a file that is read.
  func attach(_ source: String, as name: String) throws {
    // Its log is brought into it by the connections that have its lock. Where another file has come into its place, the log is not that one's.
    try database.set(.noCheckpointOnClose, true)
    try database.attach(source, as: name)
  }

  /// Attaches the file whose objects are read.
  func attach(_ source: any UpgradeSource, as name: String) throws {
    try source.checkIsInPlace()
    try attach(source.attachment, as: name)
  }

  /// Makes the finished file a database like any other, whole and durable, and closes it.
  func finish() throws {
    try database.set(.noCheckpointOnClose, false)
    // Still used by this process alone, so that it gets no `-shm`.
    try database.setPragma("journal_mode", "WAL", in: "main")
    // A file that was copied from one with a log has got one with that. Closing brings it into the file, and says nothing of a failure.
    let answer = try database.rows("PRAGMA main.wal_checkpoint(TRUNCATE)").first
    if let failure = database.storageFailure { throw failure }
    guard answer?[0].ifInteger == 0 else {
      throw MigrationError(
        .inputOutput, "\(path) cannot be finished: its log is not brought into it.")
    }
    database.close()
    for suffix in ["-wal", "-shm"] { try files.removeIfPresent(path + suffix) }
    try files.synchronize(path)
  }

  /// Closes and removes the file.
  func remove() {
    guard !isRemoved else { return }
    isRemoved = true
    database.close()
    try? files.removeIfPresent(path)
  }

  deinit { remove() }

  // MARK: - Names that one process at a time may use

  /// Makes this process the only one that makes files of these names, as long as it holds what is returned.
  ///
  /// The file's own write lock does not do: SQLite's backup lets it go for a moment.
  /// - Parameters:
  ///   - place: the file beside which they stand.
  ///   - waiting: milliseconds to wait for another process.
  /// - Returns: nil where another process has them.
  package static func lockNames(
    beside place: String, permissions: UInt32 = 0o600, waiting: Int, files: any FileOperations
  ) throws -> FileLock? {
    do {
      return try FileLock.take(
        place + suffix, permissions: permissions, waiting: waiting, files: files)
    } catch {
      throw lockError(error, place + suffix, files)
    }
  }

  private static func lockError(
    _ error: FileError, _ lock: String, _ files: any FileOperations
  ) -> any Error {
    guard error.isPermissionDenied, (try? files.exists(lock)) == true else { return error }
    return MigrationError(
      .inputOutput,
      """
      \(lock) was left by a run of another user that was killed, or that is at work: this user may not open it. Where no such run is at \
      work, remove it, and try again.
      """)
  }

  /// What an interrupted run has left beside a database.
  ///
  /// - Parameter known: what was looked up before; without it the folder is read.
  static func leftovers(
    of path: String, known: Leftovers? = nil, files: any FileOperations
  ) throws -> [String] {
    let name = FilePaths.name(of: path) + suffix
    let folder = FilePaths.folder(of: path)
    let names = try known?.names(in: folder, files: files) ?? names(in: folder, files: files)
    // By their bytes: two spellings of an accent are two files, and equal texts.
    return names.filter {
      $0.utf8.starts(with: name.utf8) && isOurs($0.utf8.dropFirst(name.utf8.count))
    }.map { folder + "/" + $0 }
  }

  /// What files are made for beside a database; a number is that of a pass.
  private static let purposes: Set<String> = [
    "base", "copy", "down", "new", "old", "rekey", seed,
  ]
  /// For a file of which it is tried whether it can be made of a seed.
  private static let seed = "seed"

  /// Where it is tried, of which the names are locked by themselves: the file beside may be upgraded meanwhile.
  static func seedTrial(beside place: String) -> String { place + suffix + "-" + seed }

  /// What SQLite has beside each of them.
  private static let companions = ["-wal", "-shm", "-journal"]
  /// Digits of the number of a pass. A longer number is a user's, as a year or a day.
  private static let maximumDigits = 3
  /// From here on passes are numbered anew: of an earlier one of the same number the file is gone long since.
  private static let passNumbers = 1000

  /// The file that a pass makes, of which there may be as many as steps.
  static func path(beside place: String, pass number: Int) -> String {
    place + suffix + "-\(number % passNumbers)"
  }

  /// Whether what follows the suffix is the end of a name that a run has given, and nothing behind it: a user may call a file alike,
  /// `a.db-strata-upgrade-2024-11-02`, and what is a leftover is removed.
  package static func isOurs(_ end: Substring.UTF8View) -> Bool {
    if end.isEmpty { return true }
    guard end.first == UInt8(ascii: "-") else { return false }
    let word = end.dropFirst().prefix { $0 != UInt8(ascii: "-") }
    guard isPurpose(String(decoding: word, as: UTF8.self)) else { return false }
    let rest = end[word.endIndex...]
    if rest.isEmpty || companions.contains(where: { rest.elementsEqual($0.utf8) }) { return true }
    // The old file of a way back is upgraded under a name of its own, beside which files are made, too.
    return rest.starts(with: suffix.utf8) && isOurs(rest.dropFirst(suffix.utf8.count))
  }

  private static func isPurpose(_ word: String) -> Bool {
    purposes.contains(word)
      || (1...maximumDigits).contains(word.utf8.count) && word.utf8.allSatisfy { 48...57 ~= $0 }
        && String(Int(word) ?? 0) == word
  }

  /// All names in a folder that are those of leftovers.
  static func names(in folder: String, files: any FileOperations) throws -> [String] {
    let mark = Array(suffix.utf8)
    return try files.contents(ofFolder: folder).filter { name in
      let bytes = Array(name.utf8)
      return bytes.indices.contains { bytes[$0...].starts(with: mark) }
    }
  }

  /// The file beside which a leftover of this name stands; nil for the name of another file.
  static func owner(of name: String) -> String? {
    let (bytes, mark) = (Array(name.utf8), Array(suffix.utf8))
    return bytes.indices.first { bytes[$0...].starts(with: mark) }.map {
      String(decoding: bytes[..<$0], as: UTF8.self)
    }
  }

  /// Removes them, but for the lock's own file.
  ///
  /// - Parameters:
  ///   - lock: that of the names, which the caller holds. Where it has made its file, no run has been killed since folders were read.
  ///   - known: what was looked up before; without it the folder is read.
  package static func removeLeftovers(
    of path: String, holding lock: FileLock, known: Leftovers? = nil, files: any FileOperations
  ) throws {
    let own = FilePaths.name(of: path) + suffix
    let trial = seedTrial(beside: path)
    for leftover in try leftovers(of: path, known: lock.isNew ? known : nil, files: files)
    where !FilePaths.name(of: leftover).isSpelled(like: own) {
      if leftover.utf8.starts(with: trial.utf8) {
        try removeTrial(trial, files)
      } else {
        try files.removeIfPresent(leftover)
      }
    }
  }

  /// Removes what is left of a trial, unless it is one of another process that is at work.
  private static func removeTrial(_ trial: String, _ files: any FileOperations) throws {
    guard let lock = try lockNames(beside: trial, waiting: 0, files: files) else { return }
    defer { lock.release() }
    try removeLeftovers(of: trial, holding: lock, files: files)
    for suffix in [""] + companions { try files.removeIfPresent(trial + suffix) }
  }
}
