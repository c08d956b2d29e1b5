import StrataSQLite

/// AES-256-GCM: each page with a nonce of its own and a tag, which stand in the last 32 bytes of the page.
///
/// The tag also covers where the page stands: its number, the kind of file, and in the write-ahead log the frame's index, its
/// commit mark and the log's salts. A page or frame that is moved, left out or put in is found.
///
/// A nonce is a count of this connection's pages, which begins anywhere, and 64 random bits. A connection repeats none in 2³²
/// pages; that two connections to a file meet takes the same count and the same bits.
final class GCMCodec: PageCodec {
  static let reservedBytes = 32
  private static let nonceSize = Primitives.gcmNonceSize
  private static let tagSize = Primitives.gcmTagSize
  private static let placeSize = 24
  /// The largest page that SQLite has.
  private static let maximumPage = 65_536
  /// What of page 1 stands in clear and is covered by the tag.
  private static let clearSize = 44

  private let cipher: AESGCM
  private let header: GCMHeader
  private let check: [UInt8]
  private var count = SystemRandomNumberGenerator().firstCount
  /// A page that is being opened, which must stay as it was where its tag is another.
  private let opened = UnsafeMutableRawBufferPointer.allocate(
    byteCount: maximumPage, alignment: 16)
  /// What the tag covers beside a page.
  private let covered = UnsafeMutableRawBufferPointer.allocate(
    byteCount: placeSize + clearSize, alignment: 16)

  init(keys: GCMKeys.Derived, header: GCMHeader) {
    cipher = AESGCM(key: keys.page)
    self.header = header
    check = keys.check
  }

  deinit {
    opened.deallocate()
    covered.deallocate()
  }

  var reservedBytes: Int { Self.reservedBytes }
  let sealsForLog = true
  var allowsMoreReservedBytes: Bool { true }

  func belongs(to start: UnsafeRawBufferPointer) -> Bool {
    start[0..<16].elementsEqual(header.name) && start[72..<88].elementsEqual(header.salt)
  }

  func readableHeader(_ start: UnsafeRawBufferPointer, pageSize: Int) -> [UInt8] {
    Database.magic + start[16..<24] + [UInt8](repeating: 0, count: 76)
  }

  private func nextNonce() -> (UInt32, UInt64) {
    count &+= 1
    var generator = SystemRandomNumberGenerator()
    return (count, generator.next())
  }

  /// What the tag covers beside the page: where it stands, and of page 1 what stands in clear. Until the next page.
  private func cover(_ place: PagePlace, _ page: UnsafeRawPointer?) -> UnsafeRawBufferPointer {
    var size = 0
    func add<Word: FixedWidthInteger>(_ word: Word) {
      covered.storeBytes(of: word.littleEndian, toByteOffset: size, as: Word.self)
      size += MemoryLayout<Word>.size
    }
    add(UInt32(place.file.rawValue))
    add(place.number)
    add(place.frame.index)
    add(place.frame.commitSize)
    add(place.frame.salts)
    if let page {
      covered[size..<size + 24].copyBytes(from: Self.bytes(page, 24))
      covered[size + 24..<size + Self.clearSize].copyBytes(from: Self.bytes(page + 72, 20))
      size += Self.clearSize
    }
    return UnsafeRawBufferPointer(rebasing: covered[..<size])
  }

  func seal(
    _ page: UnsafeRawPointer, into target: UnsafeMutableRawPointer, size: Int, at place: PagePlace
  ) -> Bool {
    let body = size - Self.reservedBytes
    let reserved = UnsafeRawBufferPointer(start: page + body, count: Self.reservedBytes)
    // SQLite leaves them alone, or the page would lose what it has there.
    guard place.file == .temporary || reserved.allSatisfy({ $0 == 0 }) else { return false }
    let (count, random) = nextNonce()
    (target + body).storeBytes(of: count.littleEndian, as: UInt32.self)
    (target + body + 4).storeBytes(of: random, as: UInt64.self)
    let isFirst = place.number == 1 && place.file != .temporary
    if isFirst {
      // The fields for which SQLite has no use yet have to be free.
      let middle = UnsafeRawBufferPointer(rebasing: Self.bytes(page, size)[GCMHeader.middle])
      guard middle.allSatisfy({ $0 == 0 }) else { return false }
      target.copyMemory(from: header.name, byteCount: 16)
      (target + 16).copyMemory(from: page + 16, byteCount: 8)
      (target + 72).copyMemory(from: header.salt, byteCount: GCMHeader.saltSize)
      (target + 88).copyMemory(from: check, byteCount: GCMHeader.checkSize)
    }
    let pieces = Self.hiddenPieces(page, body, isFirst)
    let isSealed = cipher.seal(
      pieces, into: isFirst ? [target + 24, target + 92] : [target], nonce: target + body,
      authenticating: cover(place, isFirst ? UnsafeRawPointer(target) : nil),
      tag: target + body + Self.nonceSize)
    (target + body + Self.nonceSize + Self.tagSize).storeBytes(of: 0, as: UInt32.self)
    return isSealed
  }

  func open(_ page: UnsafeMutableRawPointer, size: Int, at place: PagePlace) -> Bool {
    let body = size - Self.reservedBytes
    let isFirst = place.number == 1 && place.file != .temporary
    guard let start = opened.baseAddress, body <= opened.count,
      cipher.open(
        Self.hiddenPieces(page, body, isFirst), into: start, nonce: page + body,
        authenticating: cover(place, isFirst ? UnsafeRawPointer(page) : nil),
        tag: page + body + Self.nonceSize)
    else { return false }
    if isFirst {
      (page + 24).copyMemory(from: start, byteCount: 48)
      (page + 92).copyMemory(from: start + 48, byteCount: body - 92)
      page.copyMemory(from: Database.magic, byteCount: Database.magic.count)
      (page + 72).initializeMemory(as: UInt8.self, repeating: 0, count: 20)
    } else {
      page.copyMemory(from: start, byteCount: body)
    }
    // SQLite keeps the reserved bytes as it reads them, and they are part of the log's checksums.
    (page + body).initializeMemory(as: UInt8.self, repeating: 0, count: Self.reservedBytes)
    return true
  }

  // MARK: - The first page, of which 44 bytes stand in clear

  private static func bytes(_ page: UnsafeRawPointer, _ count: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: page, count: count)
  }

  /// The bytes that are encrypted.
  private static func hiddenPieces(
    _ page: UnsafeRawPointer, _ body: Int, _ isFirst: Bool
  ) -> [UnsafeRawBufferPointer] {
    isFirst ? [bytes(page + 24, 48), bytes(page + 92, body - 92)] : [bytes(page, body)]
  }
}

extension SystemRandomNumberGenerator {
  fileprivate var firstCount: UInt32 {
    var generator = self
    return UInt32(truncatingIfNeeded: generator.next())
  }
}
