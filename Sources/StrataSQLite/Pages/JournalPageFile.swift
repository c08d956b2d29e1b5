import CSQLite

/// The rollback journal: headers of 512 bytes or more, and records of a page's number, its image and a checksum,
/// <https://www.sqlite.org/fileformat.html#the_rollback_journal>.
///
/// Headers begin at multiples of 512, so that an image begins at 4 modulo 8. The checksum is a sum of some of the image's bytes:
/// it is moved by the difference between those that SQLite sees and those on the disk. Some programs that know the cipher leave it
/// as SQLite sees it, which is taken as well.
final class JournalPageFile: PageFile {
  private unowned let main: MainPageFile
  /// The number that was read or written last, and where.
  private var number: (offset: Int64, value: UInt32)?
  /// Where the checksum of the newest image stands, and the sums of the image on the disk and as SQLite sees it.
  private var checksum: (offset: Int64, sealed: UInt32, plain: UInt32)?
  /// The header that SQLite reads, and the number in it that each checksum begins with.
  private var header: (offset: Int64, start: UInt32?)?

  /// The byte whose page SQLite never writes; its number stands before the name of a super-journal.
  private static let lockByte: UInt32 = 0x4000_0000
  /// How many bytes of the file that a rollback brings back may be in no record: pages that were free, and cut off by a transaction.
  private static let maximumUnrecorded: Int64 = 256 * 1_048_576

  init(_ base: PageVFS.FilePointer, _ main: MainPageFile) {
    self.main = main
    super.init(base)
  }

  private func isImage(_ count: Int, _ offset: Int64, _ number: UInt32) -> Bool {
    count >= 512 && offset & 7 == 4 && count == main.pageSize
      && number != Self.lockByte / UInt32(count) + 1
  }

  /// SQLite's sum of every 200th byte, from the end.
  private func sum(_ page: UnsafeRawPointer, _ size: Int) -> UInt32 {
    var sum: UInt32 = 0
    var place = size - 200
    while place > 0 {
      sum &+= UInt32(page.load(fromByteOffset: place, as: UInt8.self))
      place -= 200
    }
    return sum
  }

  override func write(_ bytes: UnsafeRawPointer, _ count: Int, _ offset: Int64) -> Int32 {
    if count == 4 {
      var value = UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self))
      if let checksum, checksum.offset == offset {
        value = value &+ checksum.sealed &- checksum.plain
        var stored = value.bigEndian
        return withUnsafeBytes(of: &stored) { rawWrite($0.baseAddress!, 4, offset) }
      }
      number = (offset, value)
      return rawWrite(bytes, count, offset)
    }
    guard let number, number.offset == offset - 4, isImage(count, offset, number.value) else {
      // Headers and names; an image that is not recognised must not reach the disk.
      let isHeader = offset & 511 == 0 || count < 512 || offset & 7 != 4
      let isName = number.map { $0.offset == offset - 4 } ?? false
      return isHeader || isName ? rawWrite(bytes, count, offset) : PageCode.write
    }
    do {
      let codec = try main.codecForWriting()
      let page = main.scratch(count)
      let place = PagePlace(file: .journal, number: number.value)
      guard codec.seal(bytes, into: page, size: count, at: place) else { return PageCode.write }
      checksum = (offset + Int64(count), sum(page, count), sum(bytes, count))
      return rawWrite(page, count, offset)
    } catch {
      return error.code
    }
  }

  override func read(_ target: UnsafeMutableRawPointer, _ count: Int, _ offset: Int64) -> Int32 {
    let code = rawRead(target, count, offset)
    guard code == SQLITE_OK else { return code }
    if count == 4 {
      let value = UInt32(bigEndian: target.loadUnaligned(as: UInt32.self))
      if let checksum, checksum.offset == offset {
        if let start = header?.start, value == start &+ checksum.plain { return SQLITE_OK }
        let moved = value &- checksum.sealed &+ checksum.plain
        target.storeBytes(of: moved.bigEndian, as: UInt32.self)
      } else {
        if let header, offset == header.offset + 12 { self.header?.start = value }
        // Of the first header alone: that of later ones is not used.
        if header?.offset == 0, offset == 16, !isPlausible(pages: value) { return PageCode.data }
        number = (offset, value)
      }
      return SQLITE_OK
    }
    // The magic number of a header; behind it stand the number of records and the start of checksums.
    if count == 8, offset & 511 == 0 { header = (offset, nil) }
    do {
      // A hot journal may be read before any page of the file.
      guard let codec = try main.identify(), let value = number(before: offset),
        isImage(count, offset, value)
      else { return SQLITE_OK }
      let before = sum(target, count)
      guard codec.open(target, size: count, at: PagePlace(file: .journal, number: value)) else {
        return PageCode.data
      }
      checksum = (offset + Int64(count), before, sum(target, count))
      return SQLITE_OK
    } catch {
      return error.code
    }
  }

  /// Whether the file can have had so many pages before the transaction. A rollback begins by making it as long again, with sealed pages
  /// where SQLite leaves a hole; the number stands in no checksum, and one that is damaged would fill the disk.
  private func isPlausible(pages: UInt32) -> Bool {
    // The sizes of a sector and of a page, which SQLite reads later.
    var sizes = (sector: UInt32(0), page: UInt32(0))
    let code = withUnsafeMutableBytes(of: &sizes) { rawRead($0.baseAddress!, 8, 20) }
    let (sector, named) = (UInt32(bigEndian: sizes.sector), UInt32(bigEndian: sizes.page))
    // Old journals name none.
    let page = named == 0 ? UInt32(main.pageSize) : named
    func isPower(_ size: UInt32) -> Bool { size & (size &- 1) == 0 && size <= 65_536 }
    // With others SQLite takes the journal for one that was never finished.
    guard code == SQLITE_OK, isPower(sector), isPower(page), sector >= 32, page >= 512,
      let size = main.rawSize(), let journal = rawSize()
    else { return true }
    let pageSize = Int64(page)
    let recorded = journal / (pageSize + 8)
    return Int64(pages) <= size / pageSize + recorded + Self.maximumUnrecorded / pageSize
  }

  private func number(before offset: Int64) -> UInt32? {
    if let number, number.offset == offset - 4 { return number.value }
    guard offset >= 4 else { return nil }
    var value = UInt32(0)
    let code = withUnsafeMutableBytes(of: &value) { rawRead($0.baseAddress!, 4, offset - 4) }
    return code == SQLITE_OK ? UInt32(bigEndian: value) : nil
  }

  override func truncate(_ size: Int64) -> Int32 {
    (number, checksum) = (nil, nil)
    return rawTruncate(size)
  }
}
