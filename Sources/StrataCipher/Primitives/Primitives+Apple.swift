#if canImport(CryptoKit)
  import CommonCrypto
  import CryptoKit
  import Foundation

  // CryptoKit, and CommonCrypto for what CryptoKit has not: AES-CBC and PBKDF2.

  extension Primitives {
    static let isReady = true

    static func wipe(_ memory: UnsafeMutableRawBufferPointer) {
      guard let start = memory.baseAddress else { return }
      memset_s(start, memory.count, 0, memory.count)
    }

    /// In a time that does not depend on where they differ.
    static func areEqual(_ one: UnsafeRawPointer, _ other: UnsafeRawPointer, count: Int) -> Bool {
      timingsafe_bcmp(one, other, count) == 0
    }

    static func pbkdf2SHA512(
      _ passphrase: UnsafeRawBufferPointer, salt: [UInt8], rounds: Int,
      into target: UnsafeMutableRawBufferPointer
    ) -> Bool {
      CCKeyDerivationPBKDF(
        CCPBKDFAlgorithm(kCCPBKDF2), passphrase.baseAddress?.assumingMemoryBound(to: CChar.self),
        passphrase.count, salt, salt.count, CCPseudoRandomAlgorithm(kCCPRFHmacAlgSHA512),
        UInt32(rounds), target.baseAddress?.assumingMemoryBound(to: UInt8.self), target.count)
        == Int32(kCCSuccess)
    }

    static func hmacSHA256(
      _ text: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer,
      into target: UnsafeMutableRawBufferPointer
    ) {
      let code = HMAC<SHA256>.authenticationCode(for: text, using: SymmetricKey(data: key))
      code.withUnsafeBytes { target.copyMemory(from: $0) }
    }
  }

  /// AES-256-GCM, <https://csrc.nist.gov/pubs/sp/800/38/d/final>, with nonces of 12 bytes and tags of 16.
  final class AESGCM {
    private let key: SymmetricKey

    init(key: SecretBytes) { self.key = key.withUnsafeBytes { SymmetricKey(data: $0) } }

    /// Encrypts texts that stand in pieces, in their order; the pieces of `target` are as long.
    func seal(
      _ pieces: [UnsafeRawBufferPointer], into target: [UnsafeMutableRawPointer],
      nonce: UnsafeRawPointer, authenticating: UnsafeRawBufferPointer,
      tag: UnsafeMutableRawPointer
    ) -> Bool {
      let bytes = UnsafeRawBufferPointer(start: nonce, count: Primitives.gcmNonceSize)
      guard let nonce = try? AES.GCM.Nonce(data: bytes),
        let sealed = try? AES.GCM.seal(
          Self.joined(pieces), using: key, nonce: nonce, authenticating: authenticating)
      else { return false }
      sealed.ciphertext.withUnsafeBytes {
        var offset = 0
        for (piece, target) in zip(pieces, target) {
          UnsafeMutableRawBufferPointer(start: target, count: piece.count)
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[offset..<offset + piece.count]))
          offset += piece.count
        }
      }
      sealed.tag.withUnsafeBytes {
        UnsafeMutableRawBufferPointer(start: tag, count: Primitives.gcmTagSize).copyMemory(from: $0)
      }
      return true
    }

    /// Decrypts. What stands in `target` counts only where the answer is true.
    func open(
      _ pieces: [UnsafeRawBufferPointer], into target: UnsafeMutableRawPointer,
      nonce: UnsafeRawPointer, authenticating: UnsafeRawBufferPointer, tag: UnsafeRawPointer
    ) -> Bool {
      let nonce = UnsafeRawBufferPointer(start: nonce, count: Primitives.gcmNonceSize)
      let tag = UnsafeRawBufferPointer(start: tag, count: Primitives.gcmTagSize)
      guard let nonce = try? AES.GCM.Nonce(data: nonce),
        let box = try? AES.GCM.SealedBox(nonce: nonce, ciphertext: Self.joined(pieces), tag: tag),
        let opened = try? AES.GCM.open(box, using: key, authenticating: authenticating)
      else { return false }
      opened.withUnsafeBytes {
        UnsafeMutableRawBufferPointer(start: target, count: $0.count).copyMemory(from: $0)
      }
      return true
    }

    private static func joined(_ pieces: [UnsafeRawBufferPointer]) -> Data {
      var data = Data(capacity: pieces.reduce(0) { $0 + $1.count })
      for piece in pieces { data.append(contentsOf: piece) }
      return data
    }
  }

  /// AES-256-CBC, <https://csrc.nist.gov/pubs/sp/800/38/a/final>, of whole blocks without padding.
  final class AESCBC {
    private let key: SecretBytes

    init(key: SecretBytes) { self.key = key }

    func encrypt(
      _ text: UnsafeRawBufferPointer, into target: UnsafeMutableRawPointer, vector: UnsafeRawPointer
    ) -> Bool {
      run(kCCEncrypt, text, into: target, vector)
    }

    /// `target` may be where the text stands.
    func decrypt(
      _ text: UnsafeRawBufferPointer, into target: UnsafeMutableRawPointer, vector: UnsafeRawPointer
    ) -> Bool {
      run(kCCDecrypt, text, into: target, vector)
    }

    private func run(
      _ operation: Int, _ text: UnsafeRawBufferPointer, into target: UnsafeMutableRawPointer,
      _ vector: UnsafeRawPointer
    ) -> Bool {
      var count = 0
      let status = key.withUnsafeBytes {
        CCCrypt(
          CCOperation(operation), CCAlgorithm(kCCAlgorithmAES), 0, $0.baseAddress, $0.count, vector,
          text.baseAddress, text.count, target, text.count, &count)
      }
      return status == CCCryptorStatus(kCCSuccess) && count == text.count
    }
  }

  /// HMAC-SHA512 with one key.
  final class HMACSHA512 {
    /// Has taken the key in; a copy goes on from there.
    private let keyed: HMAC<SHA512>

    init(key: SecretBytes) {
      keyed = HMAC<SHA512>(key: key.withUnsafeBytes { SymmetricKey(data: $0) })
    }

    /// The code of all pieces as one text.
    func code(_ pieces: [UnsafeRawBufferPointer], into target: UnsafeMutableRawPointer) -> Bool {
      var hash = keyed
      for piece in pieces { hash.update(data: piece) }
      hash.finalize().withUnsafeBytes {
        UnsafeMutableRawBufferPointer(start: target, count: Primitives.sha512Size)
          .copyMemory(from: $0)
      }
      return true
    }
  }
#endif
