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
  private static let sqliteMagic = Array("SQLite format 3\0".utf8)
  private static let placeSize = 24

  private let key: SymmetricKey
  private let header: GCMHeader
  private let check: [UInt8]
  private var count = SystemRandomNumberGenerator().firstCount

  init(keys: GCMKeys.Derived, header: GCMHeader) {
    key = keys.page
    self.header = header
    check = keys.check
  }

  var reservedBytes: Int { Self.reservedBytes }
  var allowsMoreReservedBytes: Bool { true }

  func belongs(to start: UnsafeRawBufferPointer) -> Bool {
    start[0..<16].elementsEqual(header.name) && start[72..<88].elementsEqual(header.salt)
  }

  func readableHeader(_ start: UnsafeRawBufferPointer, pageSize: Int) -> [UInt8] {
    Self.sqliteMagic + start[16..<24] + [UInt8](repeating: 0, count: 76)
  }

  private func nextNonce() -> (UInt32, UInt64) {
    count &+= 1
    var generator = SystemRandomNumberGenerator()
    return (count, generator.next())
  }

  /// What the tag covers beside the page: where it stands, and of page 1 what stands in clear.
  private func place(_ place: PagePlace, _ page: UnsafeRawPointer?) -> Data {
    var bytes = Data(capacity: Self.placeSize + 44)
    func add<Word: FixedWidthInteger>(_ word: Word) {
      withUnsafeBytes(of: word.littleEndian) { bytes.append(contentsOf: $0) }
    }
    add(UInt32(place.file.rawValue))
    add(place.number)
    add(place.frame.index)
    add(place.frame.commitSize)
    add(place.frame.salts)
    if let page {
      bytes.append(contentsOf: UnsafeRawBufferPointer(start: page, count: 24))
      bytes.append(contentsOf: UnsafeRawBufferPointer(start: page + 72, count: 20))
    }
    return bytes
  }

  func seal(
    _ page: UnsafeRawPointer, into target: UnsafeMutableRawPointer, size: Int, at place: PagePlace
  ) -> Bool {
    let body = size - Self.reservedBytes
    let reserved = UnsafeRawBufferPointer(start: page + body, count: Self.reservedBytes)
    // SQLite leaves them alone, or the page would lose what it has there.
    guard place.file == .temporary || reserved.allSatisfy({ $0 == 0 }) else { return false }
    var nonce = [UInt8](repeating: 0, count: Self.nonceSize)
    let (count, random) = nextNonce()
    nonce.withUnsafeMutableBytes {
      $0.storeBytes(of: count.littleEndian, as: UInt32.self)
      $0.storeBytes(of: random, toByteOffset: 4, as: UInt64.self)
    }
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
      let authenticated = self.place(place, isFirst ? UnsafeRawPointer(target) : nil)
      let value = try AES.GCM.Nonce(data: nonce)
      let box: AES.GCM.SealedBox
      if isFirst {
        box = try AES.GCM.seal(
          Self.hidden(page, body), using: key, nonce: value, authenticating: authenticated)
        let sealed = box.ciphertext
        sealed.withUnsafeBytes { Self.spread($0, over: target, body) }
      } else {
        box = try AES.GCM.seal(
          UnsafeRawBufferPointer(start: page, count: body), using: key, nonce: value,
          authenticating: authenticated)
        box.ciphertext.withUnsafeBytes {
          target.copyMemory(from: $0.baseAddress!, byteCount: body)
        }
      }
      (target + body).copyMemory(from: nonce, byteCount: Self.nonceSize)
      box.tag.withUnsafeBytes {
        (target + body + Self.nonceSize).copyMemory(
          from: $0.baseAddress!, byteCount: Self.tagSize)
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
      let nonce = try AES.GCM.Nonce(
        data: UnsafeRawBufferPointer(start: page + body, count: Self.nonceSize))
      let tag = UnsafeRawBufferPointer(
        start: page + body + Self.nonceSize, count: Self.tagSize)
      let authenticated = self.place(place, isFirst ? UnsafeRawPointer(page) : nil)
      if isFirst {
        let box = try AES.GCM.SealedBox(
          nonce: nonce, ciphertext: Self.hidden(page, body), tag: tag)
        let opened = try AES.GCM.open(box, using: key, authenticating: authenticated)
        opened.withUnsafeBytes { Self.spread($0, over: page, body) }
        page.copyMemory(from: Self.sqliteMagic, byteCount: Self.sqliteMagic.count)
        (page + 72).initializeMemory(as: UInt8.self, repeating: 0, count: 20)
      } else {
        let box = try AES.GCM.SealedBox(
          nonce: nonce, ciphertext: UnsafeRawBufferPointer(start: page, count: body), tag: tag)
        let opened = try AES.GCM.open(box, using: key, authenticating: authenticated)
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
