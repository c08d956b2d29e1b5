import CSQLite
import Synchronization

extension Database {
  private static let processVFS = Mutex<String?>(nil)

  /// The VFS of files for which none is named: set by a command that was given a key, so that whatever it reads and writes is
  /// encrypted.
  package static var processDefaultVFS: String? {
    get { processVFS.withLock { $0 } }
    set { processVFS.withLock { $0 = newValue } }
  }

  /// The name of the system's VFS, for files that are not to be what the process's others are.
  package static var systemVFS: String {
    sqlite3_vfs_find(nil).map { String(cString: $0.pointee.zName) } ?? ""
  }

  /// A database in memory is on no disk, and a URI may name its VFS itself.
  static func defaultVFS(for path: String, isURI: Bool) -> String? {
    guard let name = processDefaultVFS, path != ":memory:", !path.isEmpty,
      !(isURI && FilePaths.parameters(ofURI: path).contains { $0.hasPrefix("vfs=") })
    else { return nil }
    return FileCipher.resolve(name, forFile: path, isURI: isURI)
  }

  /// Whether the pages of a file that was just opened have the bytes free that a checksum takes, or have checksums though its header,
  /// which is damaged then, says no such thing.
  static func hasChecksums(_ handle: OpaquePointer?) -> Bool {
    var count: Int32 = -1
    let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_RESERVE_BYTES, &count)
    if code == SQLITE_OK, Int(count) == ChecksummedPages.byteCount { return true }
    func read(_ offset: Int, _ count: Int) -> [UInt8]? { bytes(of: handle, offset, count) }
    guard let start = read(0, 100), start.starts(with: magic) else {
      return false
    }
    // SQLite says nothing of a header whose page size makes no sense, which a journal may take back.
    return ChecksummedPages.sizeOfPages(behind: start, read: read) != nil
  }

  /// Whether the pages have checksums of which the connection knows nothing, because it was opened before the file had content. What it wrote would
  /// keep the checksums of what was there before.
  package var lacksChecksums: Bool {
    var vfs: UnsafeMutablePointer<sqlite3_vfs>?
    return sqlite3_file_control(handle, "main", SQLITE_FCNTL_VFS_POINTER, &vfs) == SQLITE_OK
      && vfs == sqlite3_vfs_find(nil) && hasChecksums
  }

  /// Bytes of the file as its VFS reads them; nil where there are fewer, and for a database in memory.
  private static func bytes(of handle: OpaquePointer?, _ offset: Int, _ count: Int) -> [UInt8]? {
    var file: UnsafeMutablePointer<sqlite3_file>?
    guard
      sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK,
      let file, let methods = file.pointee.pMethods
    else { return nil }
    var bytes = [UInt8](repeating: 0, count: count)
    let code = bytes.withUnsafeMutableBytes {
      methods.pointee.xRead(file, $0.baseAddress, Int32(count), Int64(offset))
    }
    return code == SQLITE_OK ? bytes : nil
  }

  /// Leaves the log of a file alone that does not begin as a SQLite database, and is most likely encrypted: SQLite, which cannot read the
  /// file, would copy the pages of the log into it as they are, and remove the log. Where they are sealed for their places in the log,
  /// no key would open them any more.
  func leaveLogOfUnknownFile() throws(SQLiteError) {
    if isOfUnknownKind { try set(.noCheckpointOnClose, true) }
  }

  /// Refuses to write a file in AES-256-GCM without its cipher where a rollback journal stands beside it: SQLite would copy the journal's pages,
  /// which are sealed for the journal, into the file before it looks at the file itself.
  func leaveJournalOfEncryptedFile() throws(SQLiteError) {
    guard mode != .readOnly, let name = sqlite3_db_filename(handle, "main"),
      Self.bytes(of: handle, 0, FileCipher.magic.count) == FileCipher.magic,
      let journal = sqlite3_filename_journal(name).map({ String(cString: $0) }),
      let size = try? POSIXFiles().size(of: journal), size > 0
    else { return }
    throw SQLiteError(code: SQLITE_NOTADB, message: "file is not a database", path: path)
  }

  /// The file that is `main`, from the root; nil of a database in memory.
  package var fileName: String? {
    guard let name = sqlite3_db_filename(handle, "main"), name.pointee != 0 else { return nil }
    return String(cString: name)
  }

  /// Whether the file has something else at its beginning than a plain SQLite database.
  var isOfUnknownKind: Bool { Self.isOfUnknownKind(handle) }

  fileprivate static func isOfUnknownKind(_ handle: OpaquePointer?) -> Bool {
    bytes(of: handle, 0, magic.count).map { $0 != magic } ?? false
  }

  /// How every plain SQLite file begins: https://sqlite.org/fileformat2.html#magic_header_string.
  package static let magic = Array("SQLite format 3\0".utf8)

  /// Whether a file is a SQLite database that is not encrypted.
  package static func isPlain(_ path: String) -> Bool {
    firstBytes(of: path, count: magic.count) == magic
  }

  /// The first bytes of a file, without a descriptor of one's own (``SharedFile``).
  ///
  /// - Returns: fewer bytes where the file is shorter; nil where it cannot be read.
  package static func firstBytes(of path: String, count: Int, isURI: Bool = false) -> [UInt8]? {
    SharedFile(path, isURI: isURI)?.read(from: 0, count: count)
  }

  /// The first bytes of a file as SQLite sees them: of an encrypted one those that its key opens; nil where there are none.
  ///
  /// - Parameter vfs: of the file; nil for the process's own.
  package static func openedBytes(of path: String, count: Int, vfs: String?) -> [UInt8]? {
    // No statement runs: nothing is locked, and nothing is made beside the file.
    guard
      let database = try? Database(
        path: FilePaths.uri(path, "mode=ro"), mode: .readOnly, vfs: vfs, isURI: true)
    else { return nil }
    defer { database.close() }
    return bytes(of: database.handle, 0, count)
  }

  /// Whether both files hold the same pages once they are opened: encrypted again, the same page is another one on the disk.
  package static func haveSamePages(_ path: String, _ other: String, vfs: String?) throws -> Bool {
    func open(_ path: String) throws -> Database {
      let uri = FilePaths.uri(path, "mode=ro&immutable=1")
      return try Database(path: uri, mode: .readOnly, vfs: vfs, isURI: true)
    }
    let (one, two) = (try open(path), try open(other))
    let size = try one.pragma("page_size")
    let pages = try one.pragma("page_count")
    guard try two.pragma("page_size") == size, try two.pragma("page_count") == pages,
      let bytes = size.ifInteger, let count = pages.ifInteger
    else { return false }
    // An encrypted file has a hole where SQLite neither reads nor writes.
    for number in 0..<count where number != MainPageFile.lockByte / bytes {
      guard let first = one.page(number, Int(bytes)), first == two.page(number, Int(bytes)) else {
        return false
      }
    }
    return true
  }

  /// A page of the file as SQLite sees it, from 0; what stands in a log is not looked at.
  private func page(_ number: Int64, _ size: Int) -> [UInt8]? {
    Self.bytes(of: handle, Int(number) * size, size)
  }
}

extension SQLiteError {
  /// What went wrong in the last call for a connection.
  ///
  /// Beside an encrypted file SQLite meets the log before the file, and says that it cannot open it (``LogPageFile``). It is the file
  /// that is no database without its key.
  init(_ code: Int32, of connection: OpaquePointer?, sql: String?, path: String?) {
    let known = Self.code(code, of: connection)
    if code & 0xFF == SQLITE_CANTOPEN, Database.isOfUnknownKind(connection) {
      self.init(code: SQLITE_NOTADB, message: "file is not a database", sql: sql, path: path)
    } else if known != code {
      self.init(
        code: known, message: String(cString: sqlite3_errstr(known)), sql: sql, path: path)
    } else {
      self.init(
        code: code, message: String(cString: sqlite3_errmsg(connection)), sql: sql, path: path)
    }
  }
}
