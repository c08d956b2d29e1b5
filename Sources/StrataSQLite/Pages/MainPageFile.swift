import CSQLite

/// The database file itself.
final class MainPageFile: PageFile {
  private let scheme: any PageScheme
  private(set) var codec: (any PageCodec)?
  private(set) var pageSize = 0
  private var buffer = PageBuffer(0)
  /// Where the last page written ends, so that growing page by page asks for no size.
  private var lastWriteEnd: Int64 = -1

  /// How often this connection has let others write the log: what it wrote before without a commit may not be there any more.
  private(set) var turnsOfWriting = 0

  /// A bit for each page that was written before the first one said how pages are sealed.
  private var unsealed: [UInt64] = []

  /// How often a first page that another process may be writing is read again.
  private static let maximumReads = 5
  private static let headerSize = 100
  /// The page that SQLite neither reads nor writes, because its locks are on it.
  static let lockByte: Int64 = 0x4000_0000

  init(_ base: PageVFS.FilePointer, _ scheme: any PageScheme) {
    self.scheme = scheme
    super.init(base)
  }

  /// Room for a page and a frame's header, for the journal and the log as well, which have no connection of their own.
  func scratch(_ count: Int) -> UnsafeMutableRawPointer {
    if buffer.count < count { buffer = PageBuffer(count) }
    return buffer.bytes
  }

  // MARK: - The codec

  /// The codec of the file as it is now; nil for a file that is still empty.
  func identify() throws(PageProblem) -> (any PageCodec)? {
    if let codec { return codec }
    var start = [UInt8](repeating: 0, count: Self.headerSize)
    for attempt in 1...Self.maximumReads {
      guard let size = rawSize() else { throw .unreadable }
      if size == 0 { return nil }
      let code = start.withUnsafeMutableBytes { rawRead($0.baseAddress!, $0.count, 0) }
      if code == PageCode.shortRead {
        // It is no database of any kind, unless its name says that it was one.
        let isBegun = [FileCipher.magic, Database.magic].contains { start.starts(with: $0) }
        throw isBegun ? .damaged : .wrongKey
      }
      guard code == SQLITE_OK else { throw .unreadable }
      var isUnreadable = false
      do {
        let found = try scheme.codec(forFileStartingWith: start) { offset, count in
          var bytes = [UInt8](repeating: 0, count: count)
          let code = bytes.withUnsafeMutableBytes {
            rawRead($0.baseAddress!, count, Int64(offset))
          }
          if code != SQLITE_OK, code != PageCode.shortRead { isUnreadable = true }
          return code == SQLITE_OK ? bytes : nil
        }
        codec = found.codec
        pageSize = found.pageSize
        return codec
      } catch {
        if isUnreadable { throw .unreadable }
        // Another process may be writing the first page: SQLite reads the header without a lock.
        guard attempt < Self.maximumReads, error == .wrongKey || error == .damaged else {
          throw error
        }
        sqlite3_sleep(Int32(attempt))
      }
    }
    throw .damaged
  }

  /// The header as it stands on the disk; nothing where there is none.
  private func rawStart() -> [UInt8] {
    var start = [UInt8](repeating: 0, count: Self.headerSize)
    let code = start.withUnsafeMutableBytes { rawRead($0.baseAddress!, $0.count, 0) }
    return code == SQLITE_OK ? start : []
  }

  /// The codec to write with: that of the file, or a new one for an empty file.
  func codecForWriting() throws(PageProblem) -> any PageCodec {
    if let codec = try identify() { return codec }
    let new = scheme.codecOfNewFile()
    codec = new
    return new
  }

  /// Forgets the codec when the file's start is another one's: it was empty, or another process began it anew.
  private func checkIdentity(_ start: UnsafeRawBufferPointer) {
    if let codec, !codec.belongs(to: start) {
      self.codec = nil
      pageSize = 0
    }
  }

  // MARK: - Reading

  override func read(_ target: UnsafeMutableRawPointer, _ count: Int, _ offset: Int64) -> Int32 {
    do {
      if offset < Int64(Self.headerSize), codec != nil {
        let start = rawStart()
        if !start.isEmpty { start.withUnsafeBytes(checkIdentity) }
      }
      guard let codec = try identify() else { return rawRead(target, count, offset) }
      if count == pageSize, offset % Int64(count) == 0 {
        return readPage(into: target, offset, codec)
      }
      return readPart(target, count, offset, codec)
    } catch {
      return error.code
    }
  }

  private func readPage(
    into target: UnsafeMutableRawPointer, _ offset: Int64, _ codec: any PageCodec
  ) -> Int32 {
    let code = rawRead(target, pageSize, offset)
    guard code == SQLITE_OK else {
      // Behind the end there are zeros; half a page is what was cut off.
      let isPartOfFile = code == PageCode.shortRead && offset < rawSize() ?? offset + 1
      return isPartOfFile ? PageCode.data : code
    }
    let place = PagePlace(file: .database, number: UInt32(offset / Int64(pageSize)) + 1)
    return codec.open(target, size: pageSize, at: place) ? SQLITE_OK : PageCode.data
  }

  /// SQLite reads its header, 100 bytes, and in it the counter of changes, 16 bytes.
  private func readPart(
    _ target: UnsafeMutableRawPointer, _ count: Int, _ offset: Int64, _ codec: any PageCodec
  ) -> Int32 {
    let size = Int64(pageSize)
    let start = offset / size * size
    // SQLite asks for more than a page where the header names another size than the file's: it is damaged.
    guard pageSize > 0, offset + Int64(count) <= start + size else { return PageCode.data }
    let page = scratch(pageSize)
    let code = readPage(into: page, start, codec)
    if code == PageCode.data, offset == 0, count == Self.headerSize {
      var bytes = [UInt8](repeating: 0, count: Self.headerSize)
      let code = bytes.withUnsafeMutableBytes { rawRead($0.baseAddress!, count, 0) }
      guard code == SQLITE_OK else { return code }
      let header = bytes.withUnsafeBytes { codec.readableHeader($0, pageSize: pageSize) }
      header.withUnsafeBytes { target.copyMemory(from: $0.baseAddress!, byteCount: count) }
      return SQLITE_OK
    }
    guard code == SQLITE_OK else { return code }
    target.copyMemory(from: page + Int(offset - start), byteCount: count)
    return SQLITE_OK
  }

  // MARK: - Writing

  override func write(_ bytes: UnsafeRawPointer, _ count: Int, _ offset: Int64) -> Int32 {
    do {
      let codec = try codecForWriting()
      guard count >= 512, count & (count - 1) == 0, offset % Int64(count) == 0 else {
        return PageCode.write
      }
      if pageSize == 0 { pageSize = count }
      guard count == pageSize else { return PageCode.write }
      if offset == 0, !isFit(bytes, codec) { return PageCode.write }
      if offset != lastWriteEnd {
        guard let size = rawSize() else { return PageCode.status }
        if size < offset {
          let code = fill(from: (size + Int64(count) - 1) / Int64(count), to: offset, codec)
          guard code == SQLITE_OK else { return code }
        }
      }
      return writePage(bytes, offset, codec)
    } catch {
      return error.code
    }
  }

  /// Whether a first page leaves the codec its bytes, and is of the size that the file's pages have.
  private func isFit(_ page: UnsafeRawPointer, _ codec: any PageCodec) -> Bool {
    let header = UnsafeRawBufferPointer(start: page, count: Self.headerSize)
    // A page of zeros stands for one that SQLite has not written yet.
    if header[16] == 0, header[17] == 0 { return true }
    let size = Int(header[16]) << 8 | Int(header[17])
    guard (size == 1 ? 65_536 : size) == pageSize else { return false }
    let reserved = Int(header[20])
    return codec.allowsMoreReservedBytes
      ? reserved >= codec.reservedBytes : reserved == codec.reservedBytes
  }

  private func writePage(
    _ bytes: UnsafeRawPointer, _ offset: Int64, _ codec: any PageCodec
  ) -> Int32 {
    let page = scratch(pageSize)
    let place = PagePlace(file: .database, number: UInt32(offset / Int64(pageSize)) + 1)
    let wasUndecided = codec.isUndecided
    guard codec.seal(bytes, into: page, size: pageSize, at: place) else { return PageCode.write }
    let code = rawWrite(page, pageSize, offset)
    lastWriteEnd = code == SQLITE_OK ? offset + Int64(pageSize) : -1
    guard wasUndecided, code == SQLITE_OK else { return code }
    if codec.isUndecided {
      noteUnsealed(place.number)
      return code
    }
    return sealEarlierPages(codec)
  }

  private func noteUnsealed(_ number: UInt32) {
    let (word, bit) = Int(number).quotientAndRemainder(dividingBy: UInt64.bitWidth)
    if word >= unsealed.count {
      unsealed += [UInt64](repeating: 0, count: word + 1 - unsealed.count)
    }
    unsealed[word] |= 1 << UInt64(bit)
  }

  /// Seals what SQLite has written before the first page: where a transaction outgrows its cache, pages come in any order, and more than once.
  private func sealEarlierPages(_ codec: any PageCodec) -> Int32 {
    defer { unsealed = [] }
    guard let fileSize = rawSize() else { return PageCode.status }
    let size = Int64(pageSize)
    let original = PageBuffer(pageSize)
    for (word, bits) in unsealed.enumerated() {
      var bits = bits
      while bits != 0 {
        let number = Int64(word * UInt64.bitWidth + bits.trailingZeroBitCount)
        bits &= bits - 1
        let offset = (number - 1) * size
        // The first one is sealed by now, and a page may have been cut off again.
        guard number > 1, offset + size <= fileSize else { continue }
        var code = rawRead(original.bytes, pageSize, offset)
        if code == SQLITE_OK { code = writePage(original.bytes, offset, codec) }
        guard code == SQLITE_OK else { return code }
      }
    }
    lastWriteEnd = -1
    return SQLITE_OK
  }

  /// Seals empty pages where SQLite would leave a hole: zeros that nothing has sealed are never taken for a page.
  private func fill(from first: Int64, to end: Int64, _ codec: any PageCodec) -> Int32 {
    let size = Int64(pageSize)
    let empty = PageBuffer(pageSize)
    empty.bytes.initializeMemory(as: UInt8.self, repeating: 0, count: pageSize)
    for number in first..<max(first, end / size) where number != Self.lockByte / size {
      let code = writePage(empty.bytes, number * size, codec)
      guard code == SQLITE_OK else {
        // A full disk may have taken a part of it, behind which the next attempt would go on.
        _ = rawTruncate(number * size)
        return code
      }
    }
    return SQLITE_OK
  }

  override func truncate(_ size: Int64) -> Int32 {
    lastWriteEnd = -1
    guard let old = rawSize() else { return PageCode.status }
    if size > old, pageSize > 0, size % Int64(pageSize) == 0 {
      do {
        let codec = try codecForWriting()
        return fill(from: (old + Int64(pageSize) - 1) / Int64(pageSize), to: size, codec)
      } catch {
        return error.code
      }
    }
    return rawTruncate(size)
  }

  override func locks() { lastWriteEnd = -1 }

  override func lockOfLog(_ first: Int32, _ count: Int32, _ flags: Int32) -> Int32 {
    if first == Self.writeLock, flags & SQLITE_SHM_UNLOCK != 0 { turnsOfWriting += 1 }
    // Since this connection copied the log another one may have, into a file that was made smaller.
    if first == Self.copyLock, flags & SQLITE_SHM_LOCK != 0 { lastWriteEnd = -1 }
    return super.lockOfLog(first, count, flags)
  }

  /// The numbers of the locks that one connection holds while it writes the log, and while it copies it into the file,
  /// <https://www.sqlite.org/walformat.html#locks>.
  private static let writeLock: Int32 = 0
  private static let copyLock: Int32 = 1

  override func control(_ operation: Int32, _ argument: UnsafeMutableRawPointer?) -> Int32 {
    switch operation {
    case PageVFS.reservedBytesControl:
      let count = scheme.reservedBytes(ofFileStartingWith: rawStart())
      argument?.storeBytes(of: Int32(count), as: Int32.self)
      return SQLITE_OK
    case SQLITE_FCNTL_SIZE_HINT, SQLITE_FCNTL_CHUNK_SIZE:
      // The file grows by sealed pages alone.
      return SQLITE_OK
    default: return super.control(operation, argument)
    }
  }
}
