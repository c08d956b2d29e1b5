import StrataSQLite

/// A database file that is read without changing it, its `-wal` or its `-shm`.
///
/// SQLite itself writes when it reads a file in WAL mode: it creates the log's index, or mends it after a crash. There are
/// three cases, <https://www.sqlite.org/wal.html#read_only_databases>:
/// - without a log, the file is opened as immutable, and nothing beside it is looked for;
/// - with a log and its index, the index is opened read-only: SQLite uses it where a process keeps it up to date, else builds
///   one in memory;
/// - with a log alone (copied without its index), or one that SQLite cannot read without writing, both are copied to a temporary folder and read there.
final class UntouchedDatabase {
  let database: Database
  private let copy: TemporaryFolder?

  /// How often a file that changes while it is opened is tried again.
  private static let maximumAttempts = 5

  static func open(_ path: String, vfs: String? = nil, files: some FileOperations) throws
    -> UntouchedDatabase
  {
    for _ in 1..<maximumAttempts {
      let log = try files.size(of: path + "-wal") ?? 0
      let opened = try openOnce(path, logSize: log, vfs: vfs, files: files)
      // A writer that came in between would not be seen through an immutable file.
      let isStillWithoutLog = try (files.size(of: path + "-wal") ?? 0) <= logHeaderSize
      if log > logHeaderSize || isStillWithoutLog { return opened }
    }
    return try openOnce(
      path, logSize: try files.size(of: path + "-wal") ?? 0, vfs: vfs, files: files)
  }

  /// A log that holds its header alone has no content, <https://www.sqlite.org/fileformat.html#the_write_ahead_log>.
  private static let logHeaderSize = 32

  private static func openOnce(
    _ path: String, logSize: Int, vfs: String?, files: some FileOperations
  ) throws -> UntouchedDatabase {
    if logSize <= logHeaderSize {
      return try UntouchedDatabase(uri: uri(path, "immutable=1"), vfs: vfs)
    }
    if try files.exists(path + "-shm") {
      let opened = try UntouchedDatabase(uri: uri(path, "readonly_shm=1"), vfs: vfs)
      if opened.canRead { return opened }
      opened.close()
    }
    let folder = try TemporaryFolder(files: files)
    let copy = folder.path + "/copy.db"
    for suffix in ["", "-wal"] {
      try files.copy(path + suffix, to: copy + suffix, permissions: 0o600)
    }
    return try UntouchedDatabase(path: copy, folder: folder)
  }

  /// Whether SQLite can make sense of the log without writing: of one that a killed process has just begun it cannot.
  private var canRead: Bool {
    do {
      _ = try database.firstValue("SELECT 1 FROM sqlite_schema LIMIT 1")
      return true
    } catch let error as SQLiteError {
      return error.primaryCode != .protocolViolation
    } catch {
      return true
    }
  }

  private init(uri: String, vfs: String?) throws {
    database = try Database(path: uri, mode: .readOnly, vfs: vfs, isURI: true)
    copy = nil
    database.setBusyTimeout(milliseconds: 5000)
  }

  private init(path: String, folder: TemporaryFolder) throws {
    copy = folder
    database = try Database(path: path, mode: .readWrite)
  }

  func close() {
    database.close()
    copy?.remove()
  }

  deinit { close() }

  /// The path as SQLite's URIs spell it: everything but unreserved characters and slashes in hexadecimal.
  static func uri(_ path: String, _ parameters: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var text: [UInt8] = Array("file:".utf8)
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."),
        UInt8(ascii: "-"), UInt8(ascii: "_"):
        text.append(byte)
      default:
        text += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: text, as: UTF8.self) + "?" + parameters
  }
}

/// A new folder that nobody else has, for as long as its owner needs it.
final class TemporaryFolder {
  let path: String
  private let files: any FileOperations
  private var isRemoved = false

  init(files: any FileOperations) throws {
    self.files = files
    var generator = SystemRandomNumberGenerator()
    path = "\(FilePaths.temporaryFolder)/strata-\(generator.next())"
    try files.createFolder(path, permissions: 0o700)
  }

  func remove() {
    guard !isRemoved else { return }
    isRemoved = true
    for name in (try? files.contents(ofFolder: path)) ?? [] {
      try? files.remove(path + "/" + name)
    }
    try? files.removeFolder(path)
  }

  deinit { remove() }
}
