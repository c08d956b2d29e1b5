import StrataSQLite
import Synchronization

/// The keys of files in SQLCipher 4's form, derived from one key or passphrase,
/// <https://www.zetetic.net/sqlcipher/design/>.
///
/// A key of 32 bytes is SQLCipher's raw key, `PRAGMA key = "x'…'"`. One of 64 bytes is what `sqlite3_key` takes: bytes of a
/// passphrase.
final class SQLCipherKeys: Sendable {
  struct Derived: Sendable {
    let page: SecretBytes
    let authentication: SecretBytes
  }

  static let saltSize = 16
  private static let rounds = 256_000
  private static let authenticationRounds = 2
  private static let authenticationMask: UInt8 = 0x3A
  private static let maximumKept = 64

  private let key: FileKey
  private let kept = Mutex<[[UInt8]: Derived]>([:])

  init(_ key: FileKey) { self.key = key }

  func derive(salt: [UInt8]) -> Derived {
    if let derived = kept.withLock({ $0[salt] }) { return derived }
    let page =
      switch key {
      case .bytes(let bytes) where bytes.count == 32: SecretBytes(bytes)
      case .bytes(let bytes), .passphrase(let bytes):
        bytes.withUnsafeBytes {
          Derivation.passphrase($0, salt: salt, rounds: Self.rounds, bytes: 32)
        }
      }
    let authentication = page.withUnsafeBytes {
      Derivation.passphrase(
        $0, salt: salt.map { $0 ^ Self.authenticationMask }, rounds: Self.authenticationRounds,
        bytes: 32)
    }
    let derived = Derived(page: page, authentication: authentication)
    kept.withLock {
      if $0.count >= Self.maximumKept { $0.removeAll() }
      $0[salt] = derived
    }
    return derived
  }

  func codecOfNewFile() -> SQLCipherCodec {
    let salt = SecureBytes.random(Self.saltSize)
    return SQLCipherCodec(keys: derive(salt: salt), salt: salt)
  }

  /// The codec of a file of which nothing but the salt can be read without the key.
  ///
  /// Its pages' size is found by trying: the one whose first page authenticates. Where that page is damaged, or a journal waits to
  /// mend it, the second page tells.
  func codec(
    _ start: [UInt8], read: (Int, Int) -> [UInt8]?
  ) throws(PageProblem) -> (codec: any PageCodec, pageSize: Int) {
    guard start.count >= Self.saltSize else { throw .damaged }
    let salt = Array(start[..<Self.saltSize])
    let codec = SQLCipherCodec(keys: derive(salt: salt), salt: salt)
    for number in 1...2 {
      for size in PageSizes.all {
        guard let page = read((number - 1) * size, size) else { continue }
        let isAuthentic = page.withUnsafeBytes {
          codec.isAuthentic($0.baseAddress!, size: size, number: UInt32(number))
        }
        if isAuthentic { return (codec, size) }
      }
    }
    throw .wrongKey
  }
}
