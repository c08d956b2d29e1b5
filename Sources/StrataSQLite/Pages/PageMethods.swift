import CSQLite

/// The table of functions through which SQLite reaches a `PageFile`.
final class PageMethods: Sendable {
  static let shared = PageMethods()

  // Written once, before the first file is opened; SQLite only reads it.
  nonisolated(unsafe) let pointer: UnsafePointer<sqlite3_io_methods>

  private init() {
    let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    methods.initialize(to: sqlite3_io_methods())
    // Version 2 has shared memory, and no memory-mapped pages, which nothing could open on the way.
    methods.pointee.iVersion = 2
    methods.pointee.xClose = { file in
      guard let file else { return SQLITE_MISUSE }
      let code = PageVFS.pageFile(file).close()
      let state = (UnsafeMutableRawPointer(file) + 8).load(as: UnsafeRawPointer.self)
      Unmanaged<PageFile>.fromOpaque(state).release()
      return code
    }
    methods.pointee.xRead = { PageVFS.pageFile($0!).read($1!, Int($2), $3) }
    methods.pointee.xWrite = { PageVFS.pageFile($0!).write($1!, Int($2), $3) }
    methods.pointee.xTruncate = { PageVFS.pageFile($0!).truncate($1) }
    methods.pointee.xSync = { PageVFS.pageFile($0!).synchronize($1) }
    methods.pointee.xFileSize = { PageVFS.pageFile($0!).size($1!) }
    methods.pointee.xLock = { file, level in
      PageVFS.pageFile(file!).locks()
      let base = PageVFS.base(of: file!)
      return base.pointee.pMethods.pointee.xLock(base, level)
    }
    methods.pointee.xUnlock = {
      let base = PageVFS.base(of: $0!)
      return base.pointee.pMethods.pointee.xUnlock(base, $1)
    }
    methods.pointee.xCheckReservedLock = {
      let base = PageVFS.base(of: $0!)
      return base.pointee.pMethods.pointee.xCheckReservedLock(base, $1)
    }
    methods.pointee.xFileControl = { PageVFS.pageFile($0!).control($1, $2) }
    methods.pointee.xSectorSize = {
      let base = PageVFS.base(of: $0!)
      return base.pointee.pMethods.pointee.xSectorSize(base)
    }
    methods.pointee.xDeviceCharacteristics = {
      let base = PageVFS.base(of: $0!)
      let known =
        SQLITE_IOCAP_SAFE_APPEND | SQLITE_IOCAP_SEQUENTIAL | SQLITE_IOCAP_UNDELETABLE_WHEN_OPEN
        | SQLITE_IOCAP_IMMUTABLE
      // Pages are written whole: no parts of them, and no frames filled up to a sector.
      return base.pointee.pMethods.pointee.xDeviceCharacteristics(base) & known
        | SQLITE_IOCAP_POWERSAFE_OVERWRITE
    }
    methods.pointee.xShmMap = {
      let base = PageVFS.base(of: $0!)
      return base.pointee.pMethods.pointee.xShmMap(base, $1, $2, $3, $4)
    }
    methods.pointee.xShmLock = { PageVFS.pageFile($0!).lockOfLog($1, $2, $3) }
    methods.pointee.xShmBarrier = {
      let base = PageVFS.base(of: $0!)
      base.pointee.pMethods.pointee.xShmBarrier(base)
    }
    methods.pointee.xShmUnmap = {
      let base = PageVFS.base(of: $0!)
      return base.pointee.pMethods.pointee.xShmUnmap(base, $1)
    }
    pointer = UnsafePointer(methods)
  }
}

/// A file of the VFS below, as it is: the parent of those whose pages are sealed.
class PageFile {
  let base: PageVFS.FilePointer

  init(_ base: PageVFS.FilePointer) { self.base = base }

  private var methods: sqlite3_io_methods { base.pointee.pMethods.pointee }

  func rawRead(_ target: UnsafeMutableRawPointer, _ count: Int, _ offset: Int64) -> Int32 {
    base.pointee.pMethods.pointee.xRead(base, target, Int32(count), offset)
  }

  func rawWrite(_ bytes: UnsafeRawPointer, _ count: Int, _ offset: Int64) -> Int32 {
    base.pointee.pMethods.pointee.xWrite(base, bytes, Int32(count), offset)
  }

  /// Nil where the system does not say.
  func rawSize() -> Int64? {
    var size: sqlite3_int64 = 0
    return base.pointee.pMethods.pointee.xFileSize(base, &size) == SQLITE_OK ? size : nil
  }

  func rawTruncate(_ size: Int64) -> Int32 {
    base.pointee.pMethods.pointee.xTruncate(base, size)
  }

  func read(_ target: UnsafeMutableRawPointer, _ count: Int, _ offset: Int64) -> Int32 {
    rawRead(target, count, offset)
  }

  func write(_ bytes: UnsafeRawPointer, _ count: Int, _ offset: Int64) -> Int32 {
    rawWrite(bytes, count, offset)
  }

  func truncate(_ size: Int64) -> Int32 { rawTruncate(size) }

  func synchronize(_ flags: Int32) -> Int32 {
    base.pointee.pMethods.pointee.xSync(base, flags)
  }

  func size(_ out: UnsafeMutablePointer<sqlite3_int64>) -> Int32 {
    base.pointee.pMethods.pointee.xFileSize(base, out)
  }

  /// Another connection may have written since the last lock.
  func locks() {}

  /// Takes or leaves locks of the log, `count` of them from the first, <https://www.sqlite.org/walformat.html#wal_locks>.
  func lockOfLog(_ first: Int32, _ count: Int32, _ flags: Int32) -> Int32 {
    base.pointee.pMethods.pointee.xShmLock(base, first, count, flags)
  }

  func control(_ operation: Int32, _ argument: UnsafeMutableRawPointer?) -> Int32 {
    base.pointee.pMethods.pointee.xFileControl(base, operation, argument)
  }

  func close() -> Int32 { base.pointee.pMethods.pointee.xClose(base) }
}

/// SQLite's extended codes for what goes wrong here; macros of expressions, which Swift does not import.
enum PageCode {
  static let read = SQLITE_IOERR | 1 << 8
  static let shortRead = SQLITE_IOERR | 2 << 8
  static let write = SQLITE_IOERR | 3 << 8
  static let status = SQLITE_IOERR | 7 << 8
  /// What SQLite's own checksums answer: a page is not what was written.
  static let data = SQLITE_IOERR | 32 << 8
}

/// Room for one page, aligned for words.
final class PageBuffer {
  let bytes: UnsafeMutableRawPointer
  let count: Int

  init(_ count: Int) {
    self.count = count
    bytes = .allocate(byteCount: count, alignment: 16)
  }

  deinit { bytes.deallocate() }
}
