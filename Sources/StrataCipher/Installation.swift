package import StrataSQLite

/// The ciphers of encrypted files, on OpenSSL's libcrypto, and on CryptoKit on Apple's systems.
package enum PageCiphers {
  /// Lets files be opened with keys in this process.
  package static func install() {
    FileCipher.install(scheme)
  }

  /// The scheme of a key.
  package static func scheme(_ cipher: FileCipher) -> any PageScheme {
    CipherScheme(key: cipher.key, kind: cipher.kind)
  }
}

/// The ciphers with one key: recognises a file's own.
final class CipherScheme: PageScheme {
  private let key: FileKey
  private let kind: CipherKind?
  private let gcm: GCMKeys
  private let sqlCipher: SQLCipherKeys

  init(key: FileKey, kind: CipherKind?) {
    precondition(Primitives.isReady, "the system's library of ciphers cannot be used")
    self.key = key
    self.kind = kind
    gcm = GCMKeys(key)
    sqlCipher = SQLCipherKeys(key)
  }

  var reservedBytes: Int {
    kind == .sqlCipher ? SQLCipherCodec.reservedBytes : GCMCodec.reservedBytes
  }

  var sealsTemporaries: Bool { true }

  func codec(
    forFileStartingWith start: [UInt8], read: (Int, Int) -> [UInt8]?
  ) throws(PageProblem) -> (codec: any PageCodec, pageSize: Int) {
    if start.starts(with: Database.magic) { throw .notEncrypted }
    if let header = try GCMHeader(start) {
      if kind == .sqlCipher { throw .otherCipher }
      guard let keys = gcm.keys(for: header) else { throw .wrongKey }
      guard start.count > 17, let pageSize = PageSizes.size(start[16], start[17]) else {
        throw .damaged
      }
      return (GCMCodec(keys: keys, header: header), pageSize)
    }
    let found = try sqlCipher.codec(start, read: read)
    if kind == .aesGCM { throw .otherCipher }
    return found
  }

  func codecOfNewFile() -> any PageCodec {
    if kind == .sqlCipher { return sqlCipher.codecOfNewFile() }
    let header = gcm.headerOfNewFile()
    return GCMCodec(keys: gcm.derive(header), header: header)
  }

  func codecOfTemporaries() -> (any PageCodec)? {
    let keys = GCMKeys(.bytes(SecureBytes.random(32)))
    let header = keys.headerOfNewFile()
    return GCMCodec(keys: keys.derive(header), header: header)
  }
}
