import CSQLite

/// A file whose bytes are read as they stand on the disk, through SQLite: when a descriptor of one's own is closed, the system drops all
/// locks that the process has on the file, section 2.2 of <https://www.sqlite.org/howtocorrupt.html>.
final class SharedFile {
  private let handle: OpaquePointer
  private let file: UnsafeMutablePointer<sqlite3_file>
  private let methods: UnsafePointer<sqlite3_io_methods>
  /// When it was opened.
  let size: Int

  /// Nil where there is no file that can be read.
  ///
  /// - Parameter isURI: whether the path is an URI as SQLite reads it.
  init?(_ path: String, isURI: Bool = false) {
    // Opening a pipe would wait for its writer.
    guard isURI || (try? POSIXFiles().status(of: path))??.kind == .file else { return nil }
    var opened: OpaquePointer?
    let uri = isURI ? path : FilePaths.uri(path, "mode=ro")
    let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI
    let code = sqlite3_open_v2(uri, &opened, flags, Database.systemVFS)
    var file: UnsafeMutablePointer<sqlite3_file>?
    var size: sqlite3_int64 = 0
    guard code == SQLITE_OK, let handle = opened,
      sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK,
      let file, let methods = file.pointee.pMethods,
      methods.pointee.xFileSize(file, &size) == SQLITE_OK
    else {
      sqlite3_close_v2(opened)
      return nil
    }
    (self.handle, self.file, self.methods, self.size) = (handle, file, methods, Int(size))
  }

  /// Bytes from an offset on, fewer where the file ends earlier; nil where they cannot be read.
  func read(from offset: Int, count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: max(0, min(count, size - offset)))
    if bytes.isEmpty { return [] }
    let code = bytes.withUnsafeMutableBytes {
      methods.pointee.xRead(file, $0.baseAddress, Int32($0.count), Int64(offset))
    }
    return code == SQLITE_OK ? bytes : nil
  }

  deinit { sqlite3_close_v2(handle) }
}
