package import StrataSQLite

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Store {
  /// How the pages of an encrypted file are encrypted.
  public enum Cipher: Hashable, Sendable, CaseIterable {
    /// AES-256-GCM: each page with a nonce and a tag of its own.
    case aesGCM
    /// The form of SQLCipher 4: AES-256-CBC with HMAC-SHA512. Other tools read and write such files.
    case sqlCipher

    var kind: CipherKind {
      switch self {
      case .aesGCM: .aesGCM
      case .sqlCipher: .sqlCipher
      }
    }
  }
}

extension Store.Configuration {
  /// The key or the passphrase as the layer below knows them; nil for a file that is not encrypted.
  func fileCipher() throws(StoreError) -> FileCipher? {
    let path = fileURL?.path ?? ""
    switch (encryptionKey, passphrase) {
    case (nil, nil): return nil
    case (.some, .some):
      throw .invalidKey(
        path: path, reason: "there is a key and a passphrase: leave one of them out")
    case (let key?, nil):
      return FileCipher(key: try Self.key(key, path: path), kind: cipher.kind)
    case (nil, let passphrase?):
      guard !passphrase.isEmpty else {
        throw .invalidKey(path: path, reason: "the passphrase is empty")
      }
      return FileCipher(key: .passphrase(Array(passphrase.utf8)), kind: cipher.kind)
    }
  }

  static func key(_ key: Data, path: String) throws(StoreError) -> FileKey {
    guard FileCipher.keyLengths.contains(key.count) else {
      throw .invalidKey(path: path, reason: "a key has 32 or 64 bytes, not \(key.count)")
    }
    return .bytes(Array(key))
  }

  /// The VFS that reads and writes the file; nil for the system's.
  ///
  /// - Throws: `StoreError.encryptionUnavailable`, `.invalidKey`
  package func pageVFS() throws(StoreError) -> String? {
    guard let cipher = try fileCipher() else {
      if checksums, vfs == nil, Database.processDefaultVFS == nil { return ChecksummedPages.vfs() }
      let name = vfs ?? Database.processDefaultVFS
      return FileCipher.resolve(name, forFile: fileURL?.path ?? "")
    }
    return try Self.vfs(of: cipher, over: vfs, path: fileURL?.path ?? "")
  }

  package static func vfs(
    of cipher: FileCipher, over base: String?, path: String
  ) throws(StoreError) -> String {
    BuiltInCiphers.install()
    guard let name = cipher.vfs(over: base) else { throw .encryptionUnavailable(path: path) }
    return name
  }
}
