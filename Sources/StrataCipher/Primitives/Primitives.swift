/// What the ciphers are made of, from the system: `Primitives+LibCrypto.swift` on Linux, `Primitives+Apple.swift` on Apple's systems.
///
/// `AESGCM`, `AESCBC` and `HMACSHA512`, each with one key and for one thread at a time, and here what is asked for once for each file.
enum Primitives {
  static let aesBlockSize = 16
  static let gcmNonceSize = 12
  static let gcmTagSize = 16
  static let sha512Size = 64
}

enum Derivation {
  /// PBKDF2-HMAC-SHA512, <https://www.rfc-editor.org/rfc/rfc8018>.
  static func passphrase(
    _ passphrase: UnsafeRawBufferPointer, salt: [UInt8], rounds: Int, bytes: Int
  ) -> SecretBytes {
    SecretBytes(count: bytes) {
      guard Primitives.pbkdf2SHA512(passphrase, salt: salt, rounds: rounds, into: $0) else {
        preconditionFailure("PBKDF2 takes every passphrase and salt")
      }
    }
  }

  /// HKDF-SHA256 for no more bytes than one hash has, <https://www.rfc-editor.org/rfc/rfc5869>.
  static func expanded(
    _ key: UnsafeRawBufferPointer, salt: [UInt8], purpose: String, bytes: Int
  ) -> SecretBytes {
    precondition(bytes <= Primitives.sha256Size)
    let extracted = SecretBytes(count: Primitives.sha256Size) { target in
      salt.withUnsafeBytes { Primitives.hmacSHA256(key, key: $0, into: target) }
    }
    let block = SecretBytes(count: Primitives.sha256Size) { target in
      extracted.withUnsafeBytes { extracted in
        (Array(purpose.utf8) + [1]).withUnsafeBytes {
          Primitives.hmacSHA256($0, key: extracted, into: target)
        }
      }
    }
    return SecretBytes(count: bytes) { target in
      block.withUnsafeBytes {
        target.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<bytes]))
      }
    }
  }
}

extension Primitives {
  static let sha256Size = 32
}
