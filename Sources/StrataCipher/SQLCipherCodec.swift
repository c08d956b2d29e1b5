import Crypto
import StrataSQLite
import _CryptoExtras

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The pages of SQLCipher 4: AES-256-CBC, then the initialisation vector and an HMAC-SHA512 of both and the page's number in the
/// page's last 80 bytes. The first 16 bytes of the file are the salt.
final class SQLCipherCodec: PageCodec {
  static let reservedBytes = 80
  private static let vectorSize = 16
  private static let authenticationSize = 64

  private let key: SymmetricKey
  /// Has taken the key in; a copy goes on from there.
  private let authentication: HMAC<SHA512>
  private let salt: [UInt8]

  init(keys: SQLCipherKeys.Derived, salt: [UInt8]) {
    key = keys.page
    authentication = HMAC<SHA512>(key: keys.authentication)
    self.salt = salt
  }

  var reservedBytes: Int { Self.reservedBytes }
  var allowsMoreReservedBytes: Bool { false }

  func belongs(to start: UnsafeRawBufferPointer) -> Bool {
    start[0..<SQLCipherKeys.saltSize].elementsEqual(salt)
  }

  func readableHeader(_ start: UnsafeRawBufferPointer, pageSize: Int) -> [UInt8] {
    var header = Database.magic + [UInt8](repeating: 0, count: 84)
    header[16] = pageSize == 65_536 ? 0 : UInt8(pageSize >> 8)
    header[17] = pageSize == 65_536 ? 1 : 0
    (header[18], header[19], header[20]) = (1, 1, UInt8(Self.reservedBytes))
    (header[21], header[22], header[23]) = (64, 32, 32)
    return header
  }

  /// The HMAC of what is encrypted, the vector and the number.
  private func code(
    _ page: UnsafeRawPointer, from start: Int, size: Int, number: UInt32
  ) -> HMAC<SHA512>.MAC {
    var hash = authentication
    let count = size - Self.authenticationSize - start
    hash.update(data: UnsafeRawBufferPointer(start: page + start, count: count))
    withUnsafeBytes(of: number.littleEndian) { hash.update(data: $0) }
    return hash.finalize()
  }

  func isAuthentic(_ page: UnsafeRawPointer, size: Int, number: UInt32) -> Bool {
    let start = number == 1 ? SQLCipherKeys.saltSize : 0
    let stored = UnsafeRawBufferPointer(
      start: page + size - Self.authenticationSize, count: Self.authenticationSize)
    // Compared by `MAC`, in a time that does not depend on where they differ.
    return code(page, from: start, size: size, number: number) == stored
  }

  func seal(
    _ page: UnsafeRawPointer, into target: UnsafeMutableRawPointer, size: Int, at place: PagePlace
  ) -> Bool {
    let body = size - Self.reservedBytes
    let reserved = UnsafeRawBufferPointer(start: page + body, count: Self.reservedBytes)
    guard reserved.allSatisfy({ $0 == 0 }) else { return false }
    let start = place.number == 1 ? SQLCipherKeys.saltSize : 0
    do {
      let bytes = SecureBytes.random(Self.vectorSize)
      let sealed = try AES._CBC.encrypt(
        UnsafeRawBufferPointer(start: page + start, count: body - start), using: key,
        iv: AES._CBC.IV(ivBytes: bytes), noPadding: true)
      if start > 0 { target.copyMemory(from: salt, byteCount: start) }
      sealed.withUnsafeBytes {
        (target + start).copyMemory(from: $0.baseAddress!, byteCount: body - start)
      }
      (target + body).copyMemory(from: bytes, byteCount: Self.vectorSize)
    } catch {
      return false
    }
    let code = code(target, from: start, size: size, number: place.number)
    code.withUnsafeBytes {
      (target + size - Self.authenticationSize).copyMemory(
        from: $0.baseAddress!, byteCount: Self.authenticationSize)
    }
    return true
  }

  func open(_ page: UnsafeMutableRawPointer, size: Int, at place: PagePlace) -> Bool {
    guard isAuthentic(page, size: size, number: place.number) else { return false }
    let body = size - Self.reservedBytes
    let start = place.number == 1 ? SQLCipherKeys.saltSize : 0
    do {
      let vector = try AES._CBC.IV(
        ivBytes: UnsafeRawBufferPointer(start: page + body, count: Self.vectorSize))
      let opened = try AES._CBC.decrypt(
        UnsafeRawBufferPointer(start: page + start, count: body - start), using: key, iv: vector,
        noPadding: true)
      opened.withUnsafeBytes {
        (page + start).copyMemory(from: $0.baseAddress!, byteCount: body - start)
      }
    } catch {
      return false
    }
    if start > 0 { page.copyMemory(from: Database.magic, byteCount: start) }
    (page + body).initializeMemory(as: UInt8.self, repeating: 0, count: Self.reservedBytes)
    return true
  }
}
