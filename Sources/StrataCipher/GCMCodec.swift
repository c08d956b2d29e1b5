import Crypto
import StrataSQLite

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// AES-256-GCM: each page with a nonce of its own and a tag, which stand in the last 32 bytes of the page.
///
/// The tag also covers where the page stands: its number, the kind of file, and in the write-ahead log the frame's index, its
/// commit mark and the log's salts. A page or frame that is moved, left out or put in is found.
///
/// A nonce is a count of this connection's pages, which begins anywhere, and 64 random bits. A connection repeats none in 2³²
/// pages; that two connections to a file meet takes the same count and the same bits.
final class GCMCodec: PageCodec {
  static let reservedBytes = 32
  private static let nonceSize = 12
  private static let tagSize = 16
  private static let placeSize = 24
  /// The largest page that SQLite has.
  private static let maximumPage = 65_536
  /// What of page 1 stands in clear and is covered by the tag.
  private static let clearSize = 44

  private let key: SymmetricKey
  private let header: GCMHeader
  private let check: [UInt8]
  private var count = SystemRandomNumberGenerator().firstCount
  /// Nonce, encrypted bytes and tag of one page in one piece, as the cipher takes them: what it is given in three, it copies first.
  private let box = UnsafeMutableRawBufferPointer.allocate(
    byteCount: nonceSize + maximumPage + tagSize, alignment: 16)
  /// What the tag covers beside a page.
  private let covered = UnsafeMutableRawBufferPointer.allocate(
    byteCount: placeSize + clearSize, alignment: 16)

  init(keys: GCMKeys.Derived, header: GCMHeader) {
    key = keys.page
    self.header = header
    check = keys.check
  }

  deinit {
    box.deallocate()
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
    do {
      let covered = cover(place, isFirst ? UnsafeRawPointer(target) : nil)
      let nonce = try AES.GCM.Nonce(data: Self.bytes(target + body, Self.nonceSize))
      let sealed =
        if isFirst {
          try AES.GCM.seal(
            Self.hidden(page, body), using: key, nonce: nonce, authenticating: covered)
        } else {
          try AES.GCM.seal(
            Self.bytes(page, body), using: key, nonce: nonce, authenticating: covered)
        }
      guard let combined = sealed.combined else { return false }
      combined.withUnsafeBytes {
        let encrypted = UnsafeRawBufferPointer(
          rebasing: $0[Self.nonceSize..<$0.count - Self.tagSize])
        if isFirst {
          Self.spread(encrypted, over: target, body)
        } else {
          UnsafeMutableRawBufferPointer(start: target, count: body).copyBytes(from: encrypted)
        }
        UnsafeMutableRawBufferPointer(start: target + body + Self.nonceSize, count: Self.tagSize)
          .copyBytes(from: $0.suffix(Self.tagSize))
      }
      (target + body + Self.nonceSize + Self.tagSize).storeBytes(of: 0, as: UInt32.self)
      return true
    } catch {
      return false
    }
  }

  func open(_ page: UnsafeMutableRawPointer, size: Int, at place: PagePlace) -> Bool {
    let body = size - Self.reservedBytes
    let isFirst = place.number == 1 && place.file != .temporary
    do {
      let covered = cover(place, isFirst ? UnsafeRawPointer(page) : nil)
      let hidden = isFirst ? Self.hiddenSize(body) : body
      box.copyBytes(from: Self.bytes(page + body, Self.nonceSize))
      let encrypted = UnsafeMutableRawBufferPointer(
        rebasing: box[Self.nonceSize..<Self.nonceSize + hidden])
      if isFirst {
        encrypted.copyBytes(from: Self.bytes(page + 24, 48))
        encrypted[48...].copyBytes(from: Self.bytes(page + 92, body - 92))
      } else {
        encrypted.copyBytes(from: Self.bytes(page, body))
      }
      box[(Self.nonceSize + hidden)...].copyBytes(
        from: Self.bytes(page + body + Self.nonceSize, Self.tagSize))
      // It lives until the end of this block, the box for longer.
      let combined = Data(
        bytesNoCopy: box.baseAddress!, count: Self.nonceSize + hidden + Self.tagSize,
        deallocator: .none)
      let opened = try AES.GCM.open(
        AES.GCM.SealedBox(combined: combined), using: key, authenticating: covered)
      if isFirst {
        opened.withUnsafeBytes { Self.spread($0, over: page, body) }
        page.copyMemory(from: Database.magic, byteCount: Database.magic.count)
        (page + 72).initializeMemory(as: UInt8.self, repeating: 0, count: 20)
      } else {
        opened.withUnsafeBytes { page.copyMemory(from: $0.baseAddress!, byteCount: body) }
      }
    } catch {
      return false
    }
    // SQLite keeps the reserved bytes as it reads them, and they are part of the log's checksums.
    (page + body).initializeMemory(as: UInt8.self, repeating: 0, count: Self.reservedBytes)
    return true
  }

  // MARK: - The first page, of which 44 bytes stand in clear

  private static func bytes(_ page: UnsafeRawPointer, _ count: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: page, count: count)
  }

  private static func hiddenSize(_ body: Int) -> Int { body - clearSize }

  /// The bytes that are encrypted.
  private static func hidden(_ page: UnsafeRawPointer, _ body: Int) -> Data {
    var data = Data(capacity: body)
    data.append(contentsOf: bytes(page + 24, 48))
    data.append(contentsOf: bytes(page + 92, body - 92))
    return data
  }

  private static func spread(
    _ hidden: UnsafeRawBufferPointer, over page: UnsafeMutableRawPointer, _ body: Int
  ) {
    guard let start = hidden.baseAddress else { return }
    (page + 24).copyMemory(from: start, byteCount: 48)
    (page + 92).copyMemory(from: start + 48, byteCount: body - 92)
  }
}

extension SystemRandomNumberGenerator {
  fileprivate var firstCount: UInt32 {
    var generator = self
    return UInt32(truncatingIfNeeded: generator.next())
  }
}
