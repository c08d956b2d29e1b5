import StrataSQLite

/// The pages of SQLCipher 4: AES-256-CBC, then the initialisation vector and an HMAC-SHA512 of both and the page's number in the
/// page's last 80 bytes. The first 16 bytes of the file are the salt.
final class SQLCipherCodec: PageCodec {
  static let reservedBytes = 80
  private static let vectorSize = Primitives.aesBlockSize
  private static let authenticationSize = Primitives.sha512Size

  private let cipher: AESCBC
  private let authentication: HMACSHA512
  private let salt: [UInt8]

  init(keys: SQLCipherKeys.Derived, salt: [UInt8]) {
    cipher = AESCBC(key: keys.page)
    authentication = HMACSHA512(key: keys.authentication)
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
  private func writeCode(
    of page: UnsafeRawPointer, from start: Int, size: Int, number: UInt32,
    into target: UnsafeMutableRawPointer
  ) -> Bool {
    let text = UnsafeRawBufferPointer(
      start: page + start, count: size - Self.authenticationSize - start)
    return withUnsafeBytes(of: number.littleEndian) {
      authentication.code([text, $0], into: target)
    }
  }

  func isAuthentic(_ page: UnsafeRawPointer, size: Int, number: UInt32) -> Bool {
    let start = number == 1 ? SQLCipherKeys.saltSize : 0
    return withUnsafeTemporaryAllocation(byteCount: Self.authenticationSize, alignment: 16) {
      guard let code = $0.baseAddress,
        writeCode(of: page, from: start, size: size, number: number, into: code)
      else { return false }
      return Primitives.areEqual(
        code, page + size - Self.authenticationSize, count: Self.authenticationSize)
    }
  }

  func seal(
    _ page: UnsafeRawPointer, into target: UnsafeMutableRawPointer, size: Int, at place: PagePlace
  ) -> Bool {
    let body = size - Self.reservedBytes
    let reserved = UnsafeRawBufferPointer(start: page + body, count: Self.reservedBytes)
    guard reserved.allSatisfy({ $0 == 0 }) else { return false }
    let start = place.number == 1 ? SQLCipherKeys.saltSize : 0
    (target + body).copyMemory(
      from: SecureBytes.random(Self.vectorSize), byteCount: Self.vectorSize)
    if start > 0 { target.copyMemory(from: salt, byteCount: start) }
    return cipher.encrypt(
      UnsafeRawBufferPointer(start: page + start, count: body - start), into: target + start,
      vector: target + body)
      && writeCode(
        of: target, from: start, size: size, number: place.number,
        into: target + size - Self.authenticationSize)
  }

  func open(_ page: UnsafeMutableRawPointer, size: Int, at place: PagePlace) -> Bool {
    guard isAuthentic(page, size: size, number: place.number) else { return false }
    let body = size - Self.reservedBytes
    let start = place.number == 1 ? SQLCipherKeys.saltSize : 0
    guard
      cipher.decrypt(
        UnsafeRawBufferPointer(start: page + start, count: body - start), into: page + start,
        vector: page + body)
    else { return false }
    if start > 0 { page.copyMemory(from: Database.magic, byteCount: start) }
    (page + body).initializeMemory(as: UInt8.self, repeating: 0, count: Self.reservedBytes)
    return true
  }
}
