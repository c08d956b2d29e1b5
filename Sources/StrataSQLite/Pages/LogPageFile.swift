import CSQLite

/// The write-ahead log: a header of 32 bytes, then frames of a header of 24 bytes and a page,
/// <https://www.sqlite.org/fileformat.html#the_write_ahead_log>.
///
/// A frame's header has a checksum of everything before it. SQLite counts it over pages as it sees them. What stands on the disk
/// is counted over the sealed pages instead, so that the checksum tells nothing of their content, and so that other programs which
/// know the cipher recover the log. When SQLite recovers it, the checksums are turned back.
///
/// Pages that are sealed for their places in the log would be lost where a program without the cipher copied them into the file, as every
/// SQLite does with a log that it finds. Such a log has a version on the disk that no SQLite knows, which then leaves it alone.
final class LogPageFile: PageFile {
  private unowned let main: MainPageFile
  private var header: [UInt8] = []
  private var pageSize = 0
  private var isBigEndian = false
  private var headerChecksum = LogChecksum()
  /// A frame's header whose page SQLite writes next.
  private var pending: (index: Int, bytes: [UInt8], isWritten: Bool)?
  /// The newest frame that was written here, so that the next one need not read its checksum; in the same turn of writing, because after a
  /// transaction that was cancelled another connection writes over its frames.
  private var newest: (index: Int, turn: Int, checksum: LogChecksum)?
  /// The frame that was read whole in a turn of writing, where nothing was written since: its header comes without a page.
  private var readWhole: (index: Int, turn: Int)?
  /// The newest turn in which a frame was written.
  private var turnOfNewest: Int?
  /// The salts of the newest frame that had any: those of the transaction that this connection is writing.
  private var newestSalts: UInt64 = 0
  /// SQLite's own checksums up to each frame that it has recovered.
  private var recovered: [LogChecksum] = []

  private static let headerSize = 32
  private static let frameHeaderSize = 24
  private static let bigEndianMagic: UInt32 = 0x377F_0683
  /// Where the header has its version, and what that is: SQLite's, and that of a log which is no other program's.
  private static let versionOffset = 4
  private static let version: UInt32 = 3_007_000
  private static let sealedVersion: UInt32 = 0x5354_4C31  // STL1

  init(_ base: PageVFS.FilePointer, _ main: MainPageFile) {
    self.main = main
    super.init(base)
  }

  private var frameSize: Int { Self.frameHeaderSize + pageSize }

  private func offset(of index: Int) -> Int64 {
    Int64(Self.headerSize) + Int64(index) * Int64(frameSize)
  }

  /// The frame that an offset lies in, and where in it.
  private func frame(at offset: Int64) -> (index: Int, within: Int)? {
    guard pageSize > 0, offset >= Int64(Self.headerSize) else { return nil }
    let position = Int(offset) - Self.headerSize
    return (position / frameSize, position % frameSize)
  }

  private func readHeader() -> Int32 {
    var bytes = [UInt8](repeating: 0, count: Self.headerSize)
    let code = bytes.withUnsafeMutableBytes { rawRead($0.baseAddress!, $0.count, 0) }
    if code == SQLITE_OK {
      bytes.withUnsafeMutableBytes { showVersion(of: $0.baseAddress!) }
      bytes.withUnsafeBytes { learn($0.baseAddress!) }
    }
    return code
  }

  /// Shows SQLite a log that it can read, where the codec opens what is sealed for the log.
  private func showVersion(of header: UnsafeMutableRawPointer) {
    guard (try? main.identify())?.sealsForLog ?? true else { return }
    Self.setVersion(Self.version, of: header, from: Self.sealedVersion)
  }

  /// Gives a log's header another version where it has this one, and the checksum that goes with it.
  private static func setVersion(
    _ version: UInt32, of header: UnsafeMutableRawPointer, from old: UInt32
  ) {
    guard header.loadUnaligned(fromByteOffset: versionOffset, as: UInt32.self) == old.bigEndian
    else { return }
    func checksum() -> LogChecksum {
      var sum = LogChecksum()
      sum.add(
        header, count: 24,
        bigEndian: UInt32(bigEndian: header.loadUnaligned(as: UInt32.self)) == bigEndianMagic)
      return sum
    }
    // What is damaged stays so.
    let isSound = checksum() == LogChecksum(bytes: header + 24)
    header.storeBytes(of: version.bigEndian, toByteOffset: versionOffset, as: UInt32.self)
    if isSound { checksum().write(to: header + 24) }
  }

  private func learn(_ header: UnsafeRawPointer) {
    let bytes = Array(UnsafeRawBufferPointer(start: header, count: Self.headerSize))
    if bytes == self.header { return }
    self.header = bytes
    isBigEndian = UInt32(bigEndian: header.load(as: UInt32.self)) == Self.bigEndianMagic
    let size = Int(UInt32(bigEndian: header.loadUnaligned(fromByteOffset: 8, as: UInt32.self)))
    pageSize = PageSizes.all.contains(size) ? size : 0
    headerChecksum = LogChecksum(bytes: header + 24)
    recovered = []
  }

  private func place(_ index: Int, _ header: UnsafeRawPointer) -> PagePlace {
    func word(_ offset: Int) -> UInt32 {
      UInt32(bigEndian: header.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
    let salts = UInt64(word(8)) << 32 | UInt64(word(12))
    // SQLite writes zeros in a transaction in which it has written over a page, and mends them before the commit.
    if salts != 0 { newestSalts = salts }
    return PagePlace(
      file: .log, number: word(0),
      frame: FramePlace(
        index: UInt32(truncatingIfNeeded: index), commitSize: word(4),
        salts: salts != 0 ? salts : newestSalts))
  }

  // MARK: - Writing

  override func write(_ bytes: UnsafeRawPointer, _ count: Int, _ offset: Int64) -> Int32 {
    if offset == 0, count == Self.headerSize {
      learn(bytes)
      (pending, newest) = (nil, nil)
      return writeHeader(bytes)
    }
    if pageSize == 0 {
      let code = readHeader()
      guard code == SQLITE_OK else { return code }
    }
    guard let (index, within) = frame(at: offset) else { return PageCode.write }
    let comesAlone = readWhole.map { $0 == (index, main.turnsOfWriting) } ?? false
    (readWhole, turnOfNewest) = (nil, main.turnsOfWriting)
    if within == 0, count == Self.frameHeaderSize {
      var code = writePending()
      guard code == SQLITE_OK else { return code }
      let header = Array(UnsafeRawBufferPointer(start: bytes, count: count))
      // Not held back: it may be the commit's, after which nothing else is written, and the program be killed.
      if comesAlone { code = writeHeader(header, of: index) }
      pending = (index: index, bytes: header, isWritten: comesAlone)
      return code
    }
    guard within == Self.frameHeaderSize, count == pageSize else { return PageCode.write }
    return writePage(bytes, index)
  }

  private func writeHeader(_ bytes: UnsafeRawPointer) -> Int32 {
    let codec: any PageCodec
    do {
      codec = try main.codecForWriting()
    } catch {
      return error.code
    }
    guard codec.sealsForLog else { return rawWrite(bytes, Self.headerSize, 0) }
    var header = Array(UnsafeRawBufferPointer(start: bytes, count: Self.headerSize))
    return header.withUnsafeMutableBytes {
      Self.setVersion(Self.sealedVersion, of: $0.baseAddress!, from: Self.version)
      return rawWrite($0.baseAddress!, $0.count, 0)
    }
  }

  private func writePage(_ bytes: UnsafeRawPointer, _ index: Int) -> Int32 {
    let codec: any PageCodec
    do {
      codec = try main.codecForWriting()
    } catch {
      // Neither it nor its header is written.
      pending = nil
      return error.code
    }
    let room = main.scratch(frameSize)
    if let header = pending, header.index == index {
      pending = nil
      header.bytes.withUnsafeBytes { room.copyMemory(from: $0.baseAddress!, byteCount: $0.count) }
      let page = room + Self.frameHeaderSize
      guard codec.seal(bytes, into: page, size: pageSize, at: place(index, room)) else {
        return PageCode.write
      }
      return writeFrame(room, index, isWhole: true)
    }
    // A page that was written in this transaction already is written over; SQLite mends the checksums before the commit.
    let code = writePending()
    guard code == SQLITE_OK else { return code }
    newest = nil
    let read = rawRead(room, Self.frameHeaderSize, offset(of: index))
    guard read == SQLITE_OK else { return read }
    let page = room + Self.frameHeaderSize
    guard codec.seal(bytes, into: page, size: pageSize, at: place(index, room)) else {
      return PageCode.write
    }
    return rawWrite(page, pageSize, offset(of: index) + Int64(Self.frameHeaderSize))
  }

  /// Completes the checksum of a frame whose sealed page stands behind its header, and writes the frame or its header alone.
  private func writeFrame(
    _ frame: UnsafeMutableRawPointer, _ index: Int, isWhole: Bool
  ) -> Int32 {
    var checksum = LogChecksum()
    if index == 0 {
      checksum = headerChecksum
    } else if let newest, newest.index == index - 1, newest.turn == main.turnsOfWriting {
      checksum = newest.checksum
    } else {
      let code = readChecksum(of: index - 1, into: &checksum)
      guard code == SQLITE_OK else { return code }
    }
    checksum.add(frame, count: 8, bigEndian: isBigEndian)
    checksum.add(frame + Self.frameHeaderSize, count: pageSize, bigEndian: isBigEndian)
    checksum.write(to: frame + 16)
    let code = rawWrite(frame, isWhole ? frameSize : Self.frameHeaderSize, offset(of: index))
    newest = code == SQLITE_OK ? (index, main.turnsOfWriting, checksum) : nil
    return code
  }

  /// Writes a header that came without a page.
  private func writePending() -> Int32 {
    guard let header = pending else { return SQLITE_OK }
    pending = nil
    return header.isWritten ? SQLITE_OK : writeHeader(header.bytes, of: header.index)
  }

  /// Writes a header in front of the page that stands there: SQLite mends the checksums from a page on that it has written over.
  private func writeHeader(_ header: [UInt8], of index: Int) -> Int32 {
    let room = main.scratch(frameSize)
    let code = rawRead(room, frameSize, offset(of: index))
    if code == PageCode.shortRead {
      // No page follows yet.
      return header.withUnsafeBytes { rawWrite($0.baseAddress!, $0.count, offset(of: index)) }
    }
    guard code == SQLITE_OK else { return code }
    header.withUnsafeBytes { room.copyMemory(from: $0.baseAddress!, byteCount: $0.count) }
    return writeFrame(room, index, isWhole: false)
  }

  override func synchronize(_ flags: Int32) -> Int32 {
    let code = writePending()
    return code == SQLITE_OK ? super.synchronize(flags) : code
  }

  override func truncate(_ size: Int64) -> Int32 {
    (pending, newest) = (nil, nil)
    return rawTruncate(size)
  }

  override func size(_ out: UnsafeMutablePointer<sqlite3_int64>) -> Int32 {
    let code = writePending()
    return code == SQLITE_OK ? super.size(out) : code
  }

  override func close() -> Int32 {
    _ = writePending()
    return super.close()
  }

  // MARK: - Reading

  override func read(_ target: UnsafeMutableRawPointer, _ count: Int, _ offset: Int64) -> Int32 {
    let code = writePending()
    guard code == SQLITE_OK else { return code }
    if offset == 0, count == Self.headerSize {
      let code = rawRead(target, count, offset)
      if code == SQLITE_OK {
        showVersion(of: target)
        learn(target)
      }
      return code
    }
    if pageSize == 0 {
      let code = readHeader()
      guard code == SQLITE_OK else { return code }
    }
    guard let (index, within) = frame(at: offset) else { return rawRead(target, count, offset) }
    if within == Self.frameHeaderSize, count <= pageSize, count >= 512 {
      return readPage(target, count, index)
    }
    if within == 0, count == frameSize {
      // SQLite reads frames whole when it mends their checksums before a commit, and when it recovers a log, which is no turn of writing yet.
      let turn = main.turnsOfWriting
      readWhole = turnOfNewest == turn ? (index, turn) : nil
      return recoverFrame(target, index)
    }
    // A header, or a checksum.
    guard count <= Self.frameHeaderSize else { return PageCode.read }
    return rawRead(target, count, offset)
  }

  private func readPage(_ target: UnsafeMutableRawPointer, _ count: Int, _ index: Int) -> Int32 {
    do {
      guard let codec = try main.identify() else { return PageCode.data }
      let room = main.scratch(frameSize)
      let code = rawRead(room, frameSize, offset(of: index))
      guard code == SQLITE_OK else { return code }
      let page = room + Self.frameHeaderSize
      guard codec.open(page, size: pageSize, at: place(index, room)) else { return PageCode.data }
      target.copyMemory(from: page, byteCount: count)
      return SQLITE_OK
    } catch {
      return error.code
    }
  }

  /// A whole frame, which SQLite reads when it recovers the log. One that is not as it was written gets a checksum that ends the
  /// log there: what was committed before it stays. What cannot be read is an error instead, and the log stays as it is.
  private func recoverFrame(_ frame: UnsafeMutableRawPointer, _ index: Int) -> Int32 {
    let code = rawRead(frame, frameSize, offset(of: index))
    guard code == SQLITE_OK else { return code }
    let page = frame + Self.frameHeaderSize
    let stored = LogChecksum(bytes: frame + 16)
    var before = headerChecksum
    if index > 0 {
      let code = readChecksum(of: index - 1, into: &before)
      guard code == SQLITE_OK else { return code }
    }
    var sealed = before
    sealed.add(frame, count: 8, bigEndian: isBigEndian)
    sealed.add(page, count: pageSize, bigEndian: isBigEndian)
    do {
      guard let codec = try main.identify(),
        codec.open(page, size: pageSize, at: place(index, frame))
      else { return end(frame, stored) }
    } catch {
      return error.code
    }
    if index < recovered.count { recovered.removeSubrange(index...) }
    // Out of turn, SQLite takes no checksum from a frame.
    guard index == recovered.count else { return SQLITE_OK }
    var plain = before
    plain.add(frame, count: 8, bigEndian: isBigEndian)
    plain.add(page, count: pageSize, bigEndian: isBigEndian)
    // Some programs count over the page as SQLite sees it.
    guard stored == sealed || stored == plain else { return end(frame, stored) }
    var own = recovered.last ?? headerChecksum
    own.add(frame, count: 8, bigEndian: isBigEndian)
    own.add(page, count: pageSize, bigEndian: isBigEndian)
    own.write(to: frame + 16)
    recovered.append(own)
    return SQLITE_OK
  }

  private func end(_ frame: UnsafeMutableRawPointer, _ stored: LogChecksum) -> Int32 {
    LogChecksum(first: ~stored.first, second: ~stored.second).write(to: frame + 16)
    return SQLITE_OK
  }

  /// The checksum that the disk has of everything up to a frame.
  private func readChecksum(of index: Int, into checksum: inout LogChecksum) -> Int32 {
    var bytes = UInt64(0)
    let code = withUnsafeMutableBytes(of: &bytes) {
      rawRead($0.baseAddress!, $0.count, offset(of: index) + 16)
    }
    if code == SQLITE_OK {
      checksum = withUnsafeBytes(of: &bytes) { LogChecksum(bytes: $0.baseAddress!) }
    }
    return code
  }
}
