import Synchronization

/// Plain pages with a checksum in their last eight bytes, as SQLite's own checksum extension writes them,
/// <https://www.sqlite.org/cksumvfs.html>: every SQLite reads such a file, and a page that is not what was written is an error.
package enum ChecksummedPages {
  /// Bytes of a page that the checksum takes. A file whose header names as many has checksums.
  static let byteCount = 8

  private static let names = Mutex<[String: String]>([:])

  /// The name of a VFS for such files. Files without checksums stay as they are; new ones get them.
  ///
  /// - Parameter base: the name of the VFS below; nil for the system's.
  package static func vfs(over base: String? = nil) -> String {
    names.withLock { names in
      if let name = names[base ?? ""] { return name }
      let name = PageVFS.register(ChecksumScheme(), over: base)
      names[base ?? ""] = name
      return name
    }
  }

  /// Whether a file's first bytes say that its pages have checksums.
  static func areIn(_ start: [UInt8]) -> Bool {
    start.count > 20 && start.starts(with: Database.magic) && start[20] == byteCount
  }

  /// Pages that are looked at where the header says nothing of checksums.
  private static let sampledPages = 1..<4

  /// The size of pages behind the first one that have checksums; nil where none has. Where the header says nothing of them, the header is what is
  /// damaged, and without checksums its damage would not be noticed, nor any other.
  ///
  /// - Parameter read: bytes of the file from an offset on; nil where there are fewer.
  static func sizeOfPages(
    behind start: [UInt8], read: (_ offset: Int, _ count: Int) -> [UInt8]?
  ) -> Int? {
    guard start.count > 17 else { return nil }
    // Where the header's own makes no sense, they are of any size.
    let sizes = PageSizes.size(start[16], start[17]).map { [$0] } ?? PageSizes.all
    return sizes.first { size in
      sampledPages.contains { number in
        guard let page = read(number * size, size) else { return false }
        return page.withUnsafeBytes {
          guard let start = $0.baseAddress else { return false }
          let stored = trailer(start, size)
          // Zeros have zeros for a checksum.
          return stored != LogChecksum() && checksum(start, size) == stored
        }
      }
    }
  }

  fileprivate static func checksum(_ page: UnsafeRawPointer, _ size: Int) -> LogChecksum {
    var checksum = LogChecksum()
    checksum.add(page, count: size - byteCount, bigEndian: false)
    return checksum
  }

  fileprivate static func trailer(_ page: UnsafeRawPointer, _ size: Int) -> LogChecksum {
    let end = page + size - byteCount
    return LogChecksum(
      first: UInt32(littleEndian: end.loadUnaligned(as: UInt32.self)),
      second: UInt32(littleEndian: end.loadUnaligned(fromByteOffset: 4, as: UInt32.self)))
  }
}

private final class ChecksumScheme: PageScheme {
  var reservedBytes: Int { ChecksummedPages.byteCount }
  var sealsTemporaries: Bool { false }

  /// A file without checksums stays without: its log and other connections go on with pages that have none.
  func reservedBytes(ofFileStartingWith start: [UInt8]) -> Int {
    start.starts(with: Database.magic) && !ChecksummedPages.areIn(start) ? 0 : reservedBytes
  }

  func codec(
    forFileStartingWith start: [UInt8], read: (Int, Int) -> [UInt8]?
  ) throws(PageProblem) -> (codec: any PageCodec, pageSize: Int) {
    let found = ChecksummedPages.sizeOfPages(behind: start, read: read)
    let named = start.count > 17 ? PageSizes.size(start[16], start[17]) : nil
    let hasChecksums = found != nil || named != nil && ChecksummedPages.areIn(start)
    // A size that makes no sense is for SQLite to complain of.
    let size = named ?? found ?? 4096
    return (PlainCodec(hasChecksums: hasChecksums), size)
  }

  func codecOfNewFile() -> any PageCodec { PlainCodec(hasChecksums: true, isNew: true) }

  func codecOfTemporaries() -> (any PageCodec)? { nil }
}

/// Pages as they are, with a checksum where the file has them.
private final class PlainCodec: PageCodec {
  private var hasChecksums: Bool
  /// Whether the first page, which says whether the file has checksums, was not written yet.
  private var isNew: Bool

  init(hasChecksums: Bool, isNew: Bool = false) {
    self.hasChecksums = hasChecksums
    self.isNew = isNew
  }

  var reservedBytes: Int { 0 }
  var allowsMoreReservedBytes: Bool { true }

  var isUndecided: Bool { isNew }

  func belongs(to start: UnsafeRawBufferPointer) -> Bool {
    isNew || ChecksummedPages.areIn(Array(start)) == hasChecksums
  }

  func readableHeader(_ start: UnsafeRawBufferPointer, pageSize: Int) -> [UInt8] { Array(start) }

  func seal(
    _ page: UnsafeRawPointer, into target: UnsafeMutableRawPointer, size: Int, at place: PagePlace
  ) -> Bool {
    target.copyMemory(from: page, byteCount: size)
    if place.number == 1, place.file == .database {
      // A copy of a file whose pages leave other numbers of bytes free stays without.
      let reserved = page.load(fromByteOffset: 20, as: UInt8.self)
      let isWritten = page.loadUnaligned(fromByteOffset: 16, as: UInt16.self) != 0
      if isWritten { (hasChecksums, isNew) = (Int(reserved) == ChecksummedPages.byteCount, false) }
    }
    // The journal has what stood in the file. Pages in the log get theirs here and not only in the file, as SQLite's own extension does
    // it: an SQLite without it may be what writes them there, also where it only reads. While nothing says that the file has some,
    // what stands in a page's last bytes may be content.
    guard hasChecksums, !isNew, place.file == .database || place.file == .log else { return true }
    let checksum = ChecksummedPages.checksum(page, size)
    let end = target + size - ChecksummedPages.byteCount
    end.storeBytes(of: checksum.first.littleEndian, as: UInt32.self)
    end.storeBytes(of: checksum.second.littleEndian, toByteOffset: 4, as: UInt32.self)
    return true
  }

  /// A frame of the log has a checksum of its own, and its page may be that of a program that gives none.
  func open(_ page: UnsafeMutableRawPointer, size: Int, at place: PagePlace) -> Bool {
    guard hasChecksums, !isNew, place.file == .database else { return true }
    return ChecksummedPages.checksum(page, size) == ChecksummedPages.trailer(page, size)
  }
}
