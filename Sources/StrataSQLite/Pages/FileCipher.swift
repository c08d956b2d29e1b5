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

  /// The VFS to open a file with as it is now: of one that takes each cipher, the one of the file's own. What is made of an open file
  /// needs `resolve(_:of:)`: another process may have written the file anew since it was looked at.
  ///
  /// - Parameter isURI: whether the path is an URI as SQLite reads it.
  package static func resolve(
    _ name: String?, forFile path: String, isURI: Bool = false
  ) -> String? {
    if name == nil || name == Database.systemVFS {
      return haveChecksums(path, isURI: isURI) ? ChecksummedPages.vfs() : name
    }
    guard let name, let place = state.withLock({ $0.places[name] }), place.cipher.kind == nil,
      let start = Database.firstBytes(of: path, count: magic.count, isURI: isURI), !start.isEmpty
    else { return name }
    var cipher = place.cipher
    cipher.kind = start == magic ? .aesGCM : .sqlCipher
    // A file that is not encrypted has no cipher; any of them says so.
    return cipher.vfs(over: place.base)
  }

  /// The VFS for what is made of an open file, which keeps its checksums and its cipher.
  ///
  /// - Parameters:
  ///   - name: what the file was opened with.
  ///   - database: the open file. Either it is locked, so that it keeps its form, or the caller asks later whether it has changed.
  package static func resolve(_ name: String?, of database: Database) throws -> String? {
    guard name == nil || name == Database.systemVFS || name == ChecksummedPages.vfs() else {
      return database.fileName.map { resolve(name, forFile: $0) } ?? name
    }
    // The page that says so may stand in the log.
    _ = try database.tablesVersion()
    if database.hasChecksums { return ChecksummedPages.vfs() }
    return name == ChecksummedPages.vfs() ? Database.systemVFS : name
  }

  /// Whether a file is plain and its pages have checksums.
  package static func haveChecksums(_ path: String, isURI: Bool = false) -> Bool {
    ChecksummedPages.areIn(Database.firstBytes(of: path, count: 21, isURI: isURI) ?? [])
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
