import CSQLite
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A VFS that stands between SQLite and another one and lets a `PageScheme` seal and open the pages on the way.
///
/// SQLite reads and writes whole pages of the database, of the rollback journal and of the write-ahead log, and a few headers
/// beside them, <https://www.sqlite.org/fileformat.html>. Each kind of file has its own reading and writing, in `Page…File`.
package enum PageVFS {
  /// Registers a VFS for the scheme; its name is for `Database(path:vfs:)`. It stays as long as the process.
  ///
  /// - Parameter base: the name of the VFS below; nil for the system's.
  package static func register(_ scheme: any PageScheme, over base: String? = nil) -> String {
    registered.withLock { registered in
      let name = prefix + String(registered.count + 1)
      registered[name] = scheme.reservedBytes
      install(name, scheme, base)
      return name
    }
  }

  /// Bytes that a VFS of this kind needs at the end of each page; 0 for any other.
  static func reservedBytes(of name: String?) -> Int {
    name.flatMap { name in registered.withLock { $0[name] } } ?? 0
  }

  static let prefix = "strata-pages-"

  /// A file control of ours: writes how many bytes of a page the scheme needs to an `Int32`.
  static let reservedBytesControl: Int32 = 0x5354_5201

  private static let registered = Mutex<[String: Int]>([:])

  private static func install(_ name: String, _ scheme: any PageScheme, _ base: String?) {
    guard let root = sqlite3_vfs_find(base) else { return }
    let context = Context(root: root, scheme: scheme)
    let vfs = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    vfs.initialize(to: root.pointee)
    vfs.pointee.zName = UnsafePointer(strdup(name))
    vfs.pointee.szOsFile = root.pointee.szOsFile + Int32(fileHeaderSize)
    vfs.pointee.pNext = nil
    vfs.pointee.pAppData = Unmanaged.passRetained(context).toOpaque()
    vfs.pointee.xOpen = { vfs, name, file, flags, out in
      guard let vfs, let file else { return SQLITE_CANTOPEN }
      return PageVFS.owner(of: vfs).open(name, file, flags, out)
    }
    // The base finds its own data in the VFS that it is given.
    vfs.pointee.xDelete = { vfs, name, sync in
      guard let vfs else { return SQLITE_MISUSE }
      let root = PageVFS.owner(of: vfs).root
      return root.pointee.xDelete(root, name, sync)
    }
    vfs.pointee.xAccess = { vfs, name, flags, out in
      guard let vfs else { return SQLITE_MISUSE }
      let root = PageVFS.owner(of: vfs).root
      return root.pointee.xAccess(root, name, flags, out)
    }
    vfs.pointee.xFullPathname = { vfs, name, count, out in
      guard let vfs else { return SQLITE_MISUSE }
      let root = PageVFS.owner(of: vfs).root
      return root.pointee.xFullPathname(root, name, count, out)
    }
    vfs.pointee.xRandomness = { vfs, count, out in
      guard let vfs else { return 0 }
      let root = PageVFS.owner(of: vfs).root
      return root.pointee.xRandomness(root, count, out)
    }
    vfs.pointee.xSleep = { vfs, microseconds in
      guard let vfs else { return 0 }
      let root = PageVFS.owner(of: vfs).root
      return root.pointee.xSleep(root, microseconds)
    }
    vfs.pointee.xCurrentTime = { vfs, out in
      guard let vfs else { return SQLITE_MISUSE }
      let root = PageVFS.owner(of: vfs).root
      return root.pointee.xCurrentTime(root, out)
    }
    vfs.pointee.xGetLastError = { vfs, count, out in
      guard let vfs else { return 0 }
      let root = PageVFS.owner(of: vfs).root
      return root.pointee.xGetLastError?(root, count, out) ?? 0
    }
    if root.pointee.iVersion >= 2, root.pointee.xCurrentTimeInt64 != nil {
      vfs.pointee.xCurrentTimeInt64 = { vfs, out in
        guard let vfs else { return SQLITE_MISUSE }
        let root = PageVFS.owner(of: vfs).root
        return root.pointee.xCurrentTimeInt64(root, out)
      }
    }
    // Without the system calls of version 3, which are the base's own.
    vfs.pointee.iVersion = min(root.pointee.iVersion, 2)
    vfs.pointee.xDlOpen = nil
    vfs.pointee.xDlError = nil
    vfs.pointee.xDlSym = nil
    vfs.pointee.xDlClose = nil
    sqlite3_vfs_register(vfs, 0)
  }

  private static func owner(of vfs: UnsafeMutablePointer<sqlite3_vfs>) -> Context {
    Unmanaged<Context>.fromOpaque(vfs.pointee.pAppData).takeUnretainedValue()
  }

  // MARK: - Files

  typealias FilePointer = UnsafeMutablePointer<sqlite3_file>

  /// Ours before the base's own file: the methods, and what stands behind them.
  static let fileHeaderSize = 16

  static func base(of file: FilePointer) -> FilePointer {
    (UnsafeMutableRawPointer(file) + fileHeaderSize).assumingMemoryBound(to: sqlite3_file.self)
  }

  static func pageFile(_ file: FilePointer) -> PageFile {
    let pointer = (UnsafeMutableRawPointer(file) + 8).load(as: UnsafeRawPointer.self)
    return Unmanaged<PageFile>.fromOpaque(pointer).takeUnretainedValue()
  }

  /// What a registered VFS needs.
  private final class Context {
    let root: UnsafeMutablePointer<sqlite3_vfs>
    let scheme: any PageScheme

    init(root: UnsafeMutablePointer<sqlite3_vfs>, scheme: any PageScheme) {
      self.root = root
      self.scheme = scheme
    }

    func open(
      _ name: UnsafePointer<CChar>?, _ file: FilePointer, _ flags: Int32,
      _ out: UnsafeMutablePointer<Int32>?
    ) -> Int32 {
      file.pointee.pMethods = nil
      let base = PageVFS.base(of: file)
      base.pointee.pMethods = nil
      let code = root.pointee.xOpen(root, name, base, flags, out)
      guard code == SQLITE_OK else {
        if base.pointee.pMethods != nil { _ = base.pointee.pMethods.pointee.xClose(base) }
        return code
      }
      let state = pageFile(name, base, flags)
      (UnsafeMutableRawPointer(file) + 8).storeBytes(
        of: UnsafeRawPointer(Unmanaged.passRetained(state).toOpaque()), as: UnsafeRawPointer.self)
      file.pointee.pMethods = PageMethods.shared.pointer
      return SQLITE_OK
    }

    private func pageFile(
      _ name: UnsafePointer<CChar>?, _ base: FilePointer, _ flags: Int32
    ) -> PageFile {
      if flags & SQLITE_OPEN_MAIN_DB != 0 { return MainPageFile(base, scheme) }
      if flags & (SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL) != 0, let name,
        let owner = sqlite3_database_file_object(name),
        let main = PageVFS.pageFile(owner) as? MainPageFile
      {
        return flags & SQLITE_OPEN_WAL != 0
          ? LogPageFile(base, main) : JournalPageFile(base, main)
      }
      let temporary =
        SQLITE_OPEN_TEMP_DB | SQLITE_OPEN_TRANSIENT_DB | SQLITE_OPEN_TEMP_JOURNAL
        | SQLITE_OPEN_SUBJOURNAL
      if flags & temporary != 0, scheme.sealsTemporaries, let codec = scheme.codecOfTemporaries() {
        return TemporaryPageFile(base, codec)
      }
      // A super-journal holds names of files alone.
      return PageFile(base)
    }
  }
}
