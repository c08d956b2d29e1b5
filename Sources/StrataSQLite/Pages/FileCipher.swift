import Synchronization

/// What opens an encrypted file.
package enum FileKey: Hashable, Sendable {
  /// 32 bytes, or the 64 of the classic form.
  case bytes([UInt8])
  /// A text's bytes, from which a key is derived.
  case passphrase([UInt8])
}

/// How the pages of a file are encrypted.
package enum CipherKind: String, Hashable, Sendable, CaseIterable {
  /// AES-256-GCM, in Strata's own form.
  case aesGCM = "aes-gcm"
  /// The form of SQLCipher 4: AES-256-CBC with HMAC-SHA512.
  case sqlCipher = "sqlcipher"
}

/// A key, and how files are to be encrypted with it.
package struct FileCipher: Hashable, Sendable {
  package var key: FileKey
  /// Nil takes what an existing file has, and AES-256-GCM for a new one.
  package var kind: CipherKind?

  package init(key: FileKey, kind: CipherKind? = nil) {
    self.key = key
    self.kind = kind
  }

  /// The lengths that a key may have.
  package static let keyLengths = [32, 64]

  /// Makes schemes of keys. Set once, by the module that has the primitives.
  package typealias Maker = @Sendable (FileCipher) -> any PageScheme

  private struct State: Sendable {
    var maker: Maker?
    /// The names of VFSs by what they are made of: one for each key that the process has used.
    var names: [Place: String] = [:]
    var places: [String: Place] = [:]
  }

  private struct Place: Hashable, Sendable {
    let cipher: FileCipher
    let base: String?
  }

  private static let state = Mutex(State())

  package static func install(_ maker: @escaping Maker) {
    state.withLock { $0.maker = maker }
  }

  /// Whether this program was built with the primitives.
  package static var isAvailable: Bool { state.withLock { $0.maker != nil } }

  /// The name of a VFS that reads and writes files with this key; nil where the program has no primitives.
  ///
  /// - Parameter base: the name of the VFS below; nil for the system's.
  package func vfs(over base: String? = nil) -> String? {
    Self.state.withLock { state in
      guard let maker = state.maker else { return nil }
      let place = Place(cipher: self, base: base)
      if let name = state.names[place] { return name }
      let name = PageVFS.register(maker(self), over: base)
      state.names[place] = name
      state.places[name] = place
      return name
    }
  }

  /// The VFS for a file and for what is made beside it: of one that takes each cipher, the one of the file's own.
  package static func resolve(_ name: String?, forFile path: String) -> String? {
    if name == nil || name == Database.systemVFS { return checksummed(path) ?? name }
    guard let name, let place = state.withLock({ $0.places[name] }), place.cipher.kind == nil,
      let start = Database.firstBytes(of: path, count: magic.count), !start.isEmpty
    else { return name }
    var cipher = place.cipher
    cipher.kind = start == magic ? .aesGCM : .sqlCipher
    // A file that is not encrypted has no cipher; any of them says so.
    return cipher.vfs(over: place.base)
  }

  /// The VFS of a plain file that has checksums; nil for one that has none.
  private static func checksummed(_ path: String) -> String? {
    haveChecksums(path) ? ChecksummedPages.vfs() : nil
  }

  /// Whether a file is plain and its pages have checksums.
  package static func haveChecksums(_ path: String) -> Bool {
    ChecksummedPages.areIn(Database.firstBytes(of: path, count: 21) ?? [])
  }

  /// How a file with AES-256-GCM begins.
  package static let magic = Array("StrataCipher".utf8)

  /// Whether a file's first bytes are those of an encrypted one: Strata's own, or such as have no order at all.
  ///
  /// - Parameters:
  ///   - start: the first bytes, 4096 of them where there are so many.
  ///   - size: of the whole file.
  package static func looksEncrypted(_ start: [UInt8], size: Int) -> Bool {
    if start.starts(with: magic) { return true }
    guard size % 512 == 0, start.count >= 1024, !start.starts(with: Database.magic) else {
      return false
    }
    var counts = [Int](repeating: 0, count: 256)
    for byte in start { counts[Int(byte)] += 1 }
    // Of random bytes each value comes about equally often: 16 times in 4096, hardly ever 64 times.
    return (counts.max() ?? 0) <= start.count / 64 + 12
  }
}
