#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Memory for the decrypted content of a file: pages are filled when they are asked for, and given back together.
final class DecryptedPages {
  let start: UnsafeMutableRawPointer
  let count: Int
  private let encrypted: MappedFile
  private let cipher: any PageCipher
  /// One bit a page.
  private var filled: [UInt64]

  init(of encrypted: MappedFile, cipher: any PageCipher) throws(RealmError) {
    self.encrypted = encrypted
    self.cipher = cipher
    count = EncryptedPages.dataSize(ofFile: encrypted.count)
    guard count > 0, let address = Self.map(nil, count) else {
      throw RealmError("cannot be decrypted: there is no memory for \(count) bytes")
    }
    start = address
    filled = Array(repeating: 0, count: count / EncryptedPages.pageSize / 64 + 1)
  }

  private static func map(
    _ place: UnsafeMutableRawPointer?, _ count: Int
  ) -> UnsafeMutableRawPointer? {
    let fixed = place == nil ? 0 : MAP_FIXED
    let address = mmap(
      place, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON | MAP_NORESERVE | fixed, -1, 0)
    return address == MAP_FAILED ? nil : address
  }

  /// Decrypts what is not there yet of a range that is inside of the file.
  func fill(_ offset: Int, _ length: Int) throws(RealmError) {
    guard length > 0 else { return }
    for page in offset / EncryptedPages.pageSize...(offset + length - 1) / EncryptedPages.pageSize {
      let bit: UInt64 = 1 << UInt64(page % 64)
      guard filled[page / 64] & bit == 0 else { continue }
      try EncryptedPages.decrypt(
        page: page, of: UnsafeRawBufferPointer(start: encrypted.start, count: encrypted.count),
        cipher, into: start + page * EncryptedPages.pageSize)
      filled[page / 64] |= bit
    }
  }

  /// Gives all pages back to the system.
  func release() throws(RealmError) {
    encrypted.release()
    guard Self.map(start, count) != nil else {
      throw RealmError("cannot be decrypted: the system gave no memory")
    }
    for word in filled.indices { filled[word] = 0 }
  }

  deinit { munmap(start, count) }
}
