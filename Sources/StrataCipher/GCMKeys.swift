import StrataSQLite
import Synchronization

/// The keys of files with AES-256-GCM, derived from one key or passphrase.
final class GCMKeys: Sendable {
  struct Derived: Sendable {
    let page: SecretBytes
    let check: [UInt8]
  }

  /// Rounds of a new file's derivation, as SQLCipher 4 has them.
  static let rounds = 256_000
  /// Files whose keys are kept, so that a second connection need not derive them.
  private static let maximumKept = 64

  private let key: FileKey
  private let kept = Mutex<[GCMHeader: Derived]>([:])

  init(_ key: FileKey) { self.key = key }

  func headerOfNewFile() -> GCMHeader {
    let salt = SecureBytes.random(GCMHeader.saltSize)
    var header =
      switch key {
      case .bytes: GCMHeader(derivation: .key, rounds: 0, salt: salt)
      case .passphrase: GCMHeader(derivation: .passphrase, rounds: Self.rounds, salt: salt)
      }
    header.check = derive(header).check
    return header
  }

  /// Nil where the key is not that of the file.
  func keys(for header: GCMHeader) -> Derived? {
    switch (key, header.derivation) {
    case (.bytes, .key), (.passphrase, .passphrase): break
    default: return nil
    }
    let derived = derive(header)
    return derived.check == header.check ? derived : nil
  }

  func derive(_ header: GCMHeader) -> Derived {
    var header = header
    header.check = []
    if let derived = kept.withLock({ $0[header] }) { return derived }
    let derived =
      switch key {
      case .bytes(let bytes): bytes.withUnsafeBytes { Self.keys(of: $0, header) }
      case .passphrase(let bytes):
        bytes.withUnsafeBytes {
          Derivation.passphrase($0, salt: header.salt, rounds: header.rounds, bytes: 32)
        }.withUnsafeBytes { Self.keys(of: $0, header) }
      }
    kept.withLock {
      if $0.count >= Self.maximumKept { $0.removeAll() }
      $0[header] = derived
    }
    return derived
  }

  private static func keys(of key: UnsafeRawBufferPointer, _ header: GCMHeader) -> Derived {
    let check = Derivation.expanded(
      key, salt: header.salt, purpose: "strata aes-256-gcm check", bytes: GCMHeader.checkSize)
    return Derived(
      page: Derivation.expanded(
        key, salt: header.salt, purpose: "strata aes-256-gcm pages", bytes: 32),
      check: check.withUnsafeBytes { Array($0) })
  }
}
