import Crypto
import StrataSQLite
import Synchronization
import _CryptoExtras

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The keys of files with AES-256-GCM, derived from one key or passphrase.
final class GCMKeys: Sendable {
  struct Derived: Sendable {
    let page: SymmetricKey
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
    let input: SymmetricKey
    switch key {
    case .bytes(let bytes): input = SymmetricKey(data: bytes)
    case .passphrase(let bytes):
      input = Derivation.passphrase(bytes, salt: header.salt, rounds: header.rounds, bytes: 32)
    }
    func expand(_ purpose: String, _ count: Int) -> SymmetricKey {
      HKDF<SHA256>.deriveKey(
        inputKeyMaterial: input, salt: header.salt, info: Array(purpose.utf8),
        outputByteCount: count)
    }
    let derived = Derived(
      page: expand("strata aes-256-gcm pages", 32),
      check: expand("strata aes-256-gcm check", GCMHeader.checkSize)
        .withUnsafeBytes { Array($0) })
    kept.withLock {
      if $0.count >= Self.maximumKept { $0.removeAll() }
      $0[header] = derived
    }
    return derived
  }
}

enum Derivation {
  /// PBKDF2-HMAC-SHA512, <https://www.rfc-editor.org/rfc/rfc8018>.
  static func passphrase(
    _ passphrase: [UInt8], salt: [UInt8], rounds: Int, bytes: Int
  ) -> SymmetricKey {
    do {
      return try KDF.Insecure.PBKDF2.deriveKey(
        from: passphrase, salt: salt, using: .sha512, outputByteCount: bytes,
        unsafeUncheckedRounds: rounds)
    } catch {
      preconditionFailure("PBKDF2 takes every passphrase and salt: \(error)")
    }
  }
}
