#if !canImport(CryptoKit)
  import CLibCrypto

  // OpenSSL's libcrypto, version 3, <https://docs.openssl.org/3.0/man7/crypto/>. Contexts keep the expanded key, so that a page costs
  // the cipher and little else.

  extension Primitives {
    /// Once in a process, before anything else: without the function that libcrypto would call at the process's end, because a thread
    /// may seal a page until then.
    static let isReady: Bool = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) == 1

    static func wipe(_ memory: UnsafeMutableRawBufferPointer) {
      OPENSSL_cleanse(memory.baseAddress, memory.count)
    }

    /// In a time that does not depend on where they differ.
    static func areEqual(_ one: UnsafeRawPointer, _ other: UnsafeRawPointer, count: Int) -> Bool {
      CRYPTO_memcmp(one, other, count) == 0
    }

    static func pbkdf2SHA512(
      _ passphrase: UnsafeRawBufferPointer, salt: [UInt8], rounds: Int,
      into target: UnsafeMutableRawBufferPointer
    ) -> Bool {
      PKCS5_PBKDF2_HMAC(
        passphrase.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(passphrase.count), salt,
        Int32(salt.count), Int32(rounds), EVP_sha512(), Int32(target.count),
        target.baseAddress?.assumingMemoryBound(to: UInt8.self)) == 1
    }

    static func hmacSHA256(
      _ text: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer,
      into target: UnsafeMutableRawBufferPointer
    ) {
      let result = EVP_Q_mac(
        nil, "HMAC", nil, "SHA256", nil, key.baseAddress, key.count,
        text.baseAddress?.assumingMemoryBound(to: UInt8.self), text.count,
        target.baseAddress?.assumingMemoryBound(to: UInt8.self), target.count, nil)
      precondition(result != nil, "HMAC takes every key and text")
    }
  }

  /// AES-256-GCM, <https://csrc.nist.gov/pubs/sp/800/38/d/final>, with nonces of 12 bytes and tags of 16.
  final class AESGCM {
    private let sealing: OpaquePointer
    private let opening: OpaquePointer

    init(key: SecretBytes) {
      sealing = Self.context(key, isSealing: true)
      opening = Self.context(key, isSealing: false)
    }

    deinit {
      EVP_CIPHER_CTX_free(sealing)
      EVP_CIPHER_CTX_free(opening)
    }

    private static func context(_ key: SecretBytes, isSealing: Bool) -> OpaquePointer {
      CipherContext.make(EVP_aes_256_gcm(), key, isSealing: isSealing)
    }

    /// Encrypts texts that stand in pieces, in their order; the pieces of `target` are as long.
    func seal(
      _ pieces: [UnsafeRawBufferPointer], into target: [UnsafeMutableRawPointer],
      nonce: UnsafeRawPointer, authenticating: UnsafeRawBufferPointer,
      tag: UnsafeMutableRawPointer
    ) -> Bool {
      guard begin(sealing, nonce, authenticating) else { return false }
      for (piece, target) in zip(pieces, target) {
        guard CipherContext.update(sealing, piece, into: target) else { return false }
      }
      return CipherContext.finish(sealing)
        && EVP_CIPHER_CTX_ctrl(
          sealing, EVP_CTRL_AEAD_GET_TAG, Int32(Primitives.gcmTagSize), tag) == 1
    }

    /// Decrypts. What stands in `target` counts only where the answer is true.
    func open(
      _ pieces: [UnsafeRawBufferPointer], into target: UnsafeMutableRawPointer,
      nonce: UnsafeRawPointer, authenticating: UnsafeRawBufferPointer, tag: UnsafeRawPointer
    ) -> Bool {
      guard begin(opening, nonce, authenticating) else { return false }
      var target = target
      for piece in pieces {
        guard CipherContext.update(opening, piece, into: target) else { return false }
        target += piece.count
      }
      return EVP_CIPHER_CTX_ctrl(
        opening, EVP_CTRL_AEAD_SET_TAG, Int32(Primitives.gcmTagSize),
        UnsafeMutableRawPointer(mutating: tag)) == 1 && CipherContext.finish(opening)
    }

    private func begin(
      _ context: OpaquePointer, _ nonce: UnsafeRawPointer, _ authenticating: UnsafeRawBufferPointer
    ) -> Bool {
      CipherContext.begin(context, nonce)
        && CipherContext.update(context, authenticating, into: nil)
    }
  }

  /// AES-256-CBC, <https://csrc.nist.gov/pubs/sp/800/38/a/final>, of whole blocks without padding.
  final class AESCBC {
    private let encrypting: OpaquePointer
    private let decrypting: OpaquePointer

    init(key: SecretBytes) {
      encrypting = CipherContext.make(EVP_aes_256_cbc(), key, isSealing: true)
      decrypting = CipherContext.make(EVP_aes_256_cbc(), key, isSealing: false)
      EVP_CIPHER_CTX_set_padding(encrypting, 0)
      EVP_CIPHER_CTX_set_padding(decrypting, 0)
    }

    deinit {
      EVP_CIPHER_CTX_free(encrypting)
      EVP_CIPHER_CTX_free(decrypting)
    }

    func encrypt(
      _ text: UnsafeRawBufferPointer, into target: UnsafeMutableRawPointer, vector: UnsafeRawPointer
    ) -> Bool {
      run(encrypting, text, into: target, vector)
    }

    /// `target` may be where the text stands.
    func decrypt(
      _ text: UnsafeRawBufferPointer, into target: UnsafeMutableRawPointer, vector: UnsafeRawPointer
    ) -> Bool {
      run(decrypting, text, into: target, vector)
    }

    private func run(
      _ context: OpaquePointer, _ text: UnsafeRawBufferPointer,
      into target: UnsafeMutableRawPointer, _ vector: UnsafeRawPointer
    ) -> Bool {
      CipherContext.begin(context, vector) && CipherContext.update(context, text, into: target)
        && CipherContext.finish(context)
    }
  }

  /// HMAC-SHA512 with one key.
  final class HMACSHA512 {
    private let keyed: OpaquePointer

    init(key: SecretBytes) {
      keyed = key.withUnsafeBytes {
        guard
          let context = strata_hmac_sha512(
            $0.baseAddress?.assumingMemoryBound(to: UInt8.self), $0.count)
        else { preconditionFailure("libcrypto has no HMAC-SHA512") }
        return context
      }
    }

    deinit { EVP_MAC_CTX_free(keyed) }

    /// The code of all pieces as one text.
    func code(_ pieces: [UnsafeRawBufferPointer], into target: UnsafeMutableRawPointer) -> Bool {
      // A copy, because OpenSSL before 3.0.3 cannot begin anew with the same key.
      guard let context = EVP_MAC_CTX_dup(keyed) else { return false }
      defer { EVP_MAC_CTX_free(context) }
      for piece in pieces {
        guard
          EVP_MAC_update(
            context, piece.baseAddress?.assumingMemoryBound(to: UInt8.self), piece.count) == 1
        else { return false }
      }
      return EVP_MAC_final(
        context, target.assumingMemoryBound(to: UInt8.self), nil, Primitives.sha512Size) == 1
    }
  }

  /// What the ciphers have in common.
  private enum CipherContext {
    static func make(_ cipher: OpaquePointer?, _ key: SecretBytes, isSealing: Bool) -> OpaquePointer
    {
      guard let context = EVP_CIPHER_CTX_new() else { preconditionFailure("no memory is left") }
      let result = key.withUnsafeBytes {
        EVP_CipherInit_ex(
          context, cipher, nil, $0.baseAddress?.assumingMemoryBound(to: UInt8.self), nil,
          isSealing ? 1 : 0)
      }
      precondition(result == 1, "libcrypto has no AES-256")
      return context
    }

    /// A new text with the same key.
    static func begin(_ context: OpaquePointer, _ vector: UnsafeRawPointer) -> Bool {
      EVP_CipherInit_ex(
        context, nil, nil, nil, vector.assumingMemoryBound(to: UInt8.self), -1) == 1
    }

    /// Without a target the text is authenticated alone.
    static func update(
      _ context: OpaquePointer, _ text: UnsafeRawBufferPointer,
      into target: UnsafeMutableRawPointer?
    ) -> Bool {
      var count: Int32 = 0
      return EVP_CipherUpdate(
        context, target?.assumingMemoryBound(to: UInt8.self), &count,
        text.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32(text.count)) == 1
        && count == text.count
    }

    /// False where the tag is another.
    static func finish(_ context: OpaquePointer) -> Bool {
      // Neither cipher has bytes left: GCM is a stream, and CBC is given whole blocks.
      var none: (UInt64, UInt64) = (0, 0)
      var count: Int32 = 0
      return withUnsafeMutableBytes(of: &none) {
        EVP_CipherFinal_ex(context, $0.baseAddress?.assumingMemoryBound(to: UInt8.self), &count)
      } == 1 && count == 0
    }
  }
#endif
