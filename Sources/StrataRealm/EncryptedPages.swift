/// How an encrypted Realm file is laid out: 64 pages of data behind each page of their checksums and initialization vectors.
enum EncryptedPages {
  static let pageSize = 4096
  private static let pagesOfBlock = 64
  private static let entrySize = 64
  private static let authenticationSize = 28

  /// Whether a file without Realm's mark could be an encrypted one.
  static func isPossible(size: Int) -> Bool { size >= 2 * pageSize && size % pageSize == 0 }

  /// Bytes of the decrypted file.
  static func dataSize(ofFile size: Int) -> Int {
    let pages = size / pageSize
    let blocks = (pages + pagesOfBlock) / (pagesOfBlock + 1)
    return max(0, pages - blocks) * pageSize
  }

  /// Decrypts one page of data.
  ///
  /// - Throws: `RealmError` where the page was never written, or neither of its two checksums is right: the key is another one, or the
  ///   file is damaged.
  static func decrypt(
    page: Int, of file: UnsafeRawBufferPointer, _ cipher: any PageCipher,
    into target: UnsafeMutableRawPointer
  ) throws(RealmError) {
    let block = page / pagesOfBlock
    let entry = block * (pagesOfBlock + 1) * pageSize + page % pagesOfBlock * entrySize
    let content = (page + block + 1) * pageSize
    guard content + pageSize <= file.count, let start = file.baseAddress else {
      throw RealmError("its encrypted content ends too early", at: page * pageSize)
    }
    let encrypted = UnsafeRawBufferPointer(start: start + content, count: pageSize)
    func vector(_ place: Int) -> UInt32 {
      UInt32(littleEndian: (start + place).loadUnaligned(as: UInt32.self))
    }
    func isRight(_ code: [UInt8], _ place: Int) -> Bool {
      code.elementsEqual(UnsafeRawBufferPointer(start: start + place, count: authenticationSize))
    }
    // Behind what was written a file may have room. Realm reads zeros there, and nothing that a file says leads to them.
    guard vector(entry) != 0 else {
      throw RealmError("a page is read that was never written", at: page * pageSize)
    }
    let code = cipher.authenticationCode(of: encrypted)
    let second = entry + 4 + authenticationSize
    let initial: UInt32
    if isRight(code, entry + 4) {
      initial = vector(entry)
    } else if vector(second) != 0, isRight(code, second + 4) {
      // The write of this page was interrupted: its former state is whole.
      initial = vector(second)
    } else {
      // The first page is read before all others, with the same key.
      throw RealmError(
        page == 0
          ? "the key is not the one that the file was encrypted with, or the page is damaged"
          : "an encrypted page is damaged: neither of its checksums is right",
        at: page * pageSize)
    }
    cipher.decrypt(encrypted, vector: initial, offset: page * pageSize, into: target)
  }
}
