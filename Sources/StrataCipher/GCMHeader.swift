import StrataSQLite

/// What the first page of a file with AES-256-GCM says in clear: the scheme, how the key is derived, and a salt.
///
/// The page's first 16 bytes, where SQLite has its magic text, are `StrataCipher`, the scheme, the derivation and the rounds. Bytes
/// 16 to 23 are SQLite's own, so that a program can read the size of the pages. Bytes 72 to 91, which are zero in every SQLite
/// file, are the salt and four bytes that tell a wrong key from a damaged page.
struct GCMHeader: Hashable, Sendable {
  enum Derivation: UInt8, Sendable {
    /// HKDF-SHA256 of the key.
    case key = 1
    /// PBKDF2-HMAC-SHA512 of the passphrase, then HKDF-SHA256.
    case passphrase = 2
  }

  static let magic = FileCipher.magic
  static let scheme: UInt8 = 1
  /// Bytes that stand in clear before what is encrypted, and among it.
  static let start = 0..<24
  static let middle = 72..<92
  static let saltSize = 16
  static let checkSize = 4
  /// The header counts rounds in thousands.
  static let roundUnit = 1000
  /// More rounds would let a file keep its reader busy for minutes.
  static let maximumRounds = 10_000_000

  var derivation: Derivation
  var rounds: Int
  var salt: [UInt8]
  /// Follows from the key and the salt.
  var check: [UInt8] = []

  init(derivation: Derivation, rounds: Int, salt: [UInt8]) {
    self.derivation = derivation
    self.rounds = rounds
    self.salt = salt
  }

  /// Nil where the file is of another kind.
  init?(_ bytes: [UInt8]) throws(PageProblem) {
    guard bytes.starts(with: Self.magic) else { return nil }
    guard bytes.count >= Self.middle.upperBound else { throw .damaged }
    guard bytes[12] == Self.scheme, let derivation = Derivation(rawValue: bytes[13]) else {
      throw .unknownScheme
    }
    self.derivation = derivation
    rounds = (Int(bytes[14]) << 8 | Int(bytes[15])) * Self.roundUnit
    guard rounds <= Self.maximumRounds, derivation == .key || rounds > 0 else { throw .damaged }
    salt = Array(bytes[72..<88])
    check = Array(bytes[88..<92])
  }

  /// The first 16 bytes.
  var name: [UInt8] {
    let thousands = rounds / Self.roundUnit
    return Self.magic + [
      Self.scheme, derivation.rawValue, UInt8(thousands >> 8), UInt8(thousands & 255),
    ]
  }
}
