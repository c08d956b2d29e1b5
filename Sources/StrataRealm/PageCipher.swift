import StrataSchema

/// What a page needs of cryptography.
protocol PageCipher {
  /// 28 bytes.
  func authenticationCode(of page: UnsafeRawBufferPointer) -> [UInt8]

  /// - Parameters:
  ///   - vector: the first four bytes of the initialization vector, as a little-endian number.
  ///   - offset: of the page in the decrypted file, which is the vector's next eight bytes.
  func decrypt(
    _ page: UnsafeRawBufferPointer, vector: UInt32, offset: Int,
    into target: UnsafeMutableRawPointer
  )
}

/// AES-256 in CBC mode without padding, and HMAC with SHA-224.
struct RealmCipher: PageCipher {
  static let keySize = 64

  private let aes: AESDecryption
  /// SHA-224 after the key's inner and outer block.
  private let inner: SHA256
  private let outer: SHA256

  /// - Parameter key: 64 bytes: AES's key, then that of the authentication code.
  init?(key: [UInt8]) {
    guard key.count == Self.keySize else { return nil }
    aes = AESDecryption(key: Array(key[..<32]))
    var inner = SHA256(state: SHA256.initialState224)
    inner.update(key[32...].map { $0 ^ 0x36 } + Array(repeating: 0x36, count: 32))
    self.inner = inner
    var outer = SHA256(state: SHA256.initialState224)
    outer.update(key[32...].map { $0 ^ 0x5C } + Array(repeating: 0x5C, count: 32))
    self.outer = outer
  }

  func authenticationCode(of page: UnsafeRawBufferPointer) -> [UInt8] {
    var inner = inner
    inner.update(page)
    var outer = outer
    outer.update(inner.finish().bytes.prefix(28))
    return Array(outer.finish().bytes.prefix(28))
  }

  func decrypt(
    _ page: UnsafeRawBufferPointer, vector: UInt32, offset: Int,
    into target: UnsafeMutableRawPointer
  ) {
    // The stored bytes of each, as four big-endian words.
    let place = UInt64(offset)
    var previous = SIMD4<UInt32>(
      vector.byteSwapped, UInt32(truncatingIfNeeded: place).byteSwapped,
      UInt32(truncatingIfNeeded: place >> 32).byteSwapped, 0)
    for start in stride(from: 0, to: page.count - 15, by: 16) {
      var block = SIMD4<UInt32>()
      for word in 0..<4 {
        block[word] = UInt32(
          bigEndian: page.loadUnaligned(fromByteOffset: start + 4 * word, as: UInt32.self))
      }
      let plain = aes.decrypt(block) ^ previous
      for word in 0..<4 {
        target.storeBytes(
          of: plain[word].bigEndian, toByteOffset: start + 4 * word, as: UInt32.self)
      }
      previous = block
    }
  }
}
