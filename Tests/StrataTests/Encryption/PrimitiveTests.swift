import StrataSchema
import Testing

@testable import StrataCipher

/// What encrypted files are made of, against what its standards print: another library, or another call of this one, must not change files.
@Suite struct PrimitiveTests {
  private static func bytes(_ hex: String) throws -> [UInt8] { try #require(Hex.decode(hex.utf8)) }

  /// Test case 16 of the proposal of GCM, <https://csrc.nist.gov/pubs/sp/800/38/d/final>, in two pieces.
  @Test func aesGCM() throws {
    let cipher = AESGCM(
      key: SecretBytes(
        try Self.bytes("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308")))
    let text = try Self.bytes(
      "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"
    )
    let nonce = try Self.bytes("cafebabefacedbaddecaf888")
    let authenticated = try Self.bytes("feedfacedeadbeeffeedfacedeadbeefabaddad2")
    var sealed = [UInt8](repeating: 0, count: text.count)
    var tag = [UInt8](repeating: 0, count: Primitives.gcmTagSize)
    for split in [0, 16, 48, text.count] {
      let isSealed = text.withUnsafeBytes { text in
        sealed.withUnsafeMutableBytes { sealed in
          tag.withUnsafeMutableBytes { tag in
            authenticated.withUnsafeBytes {
              cipher.seal(
                [.init(rebasing: text[..<split]), .init(rebasing: text[split...])],
                into: [sealed.baseAddress!, sealed.baseAddress! + split], nonce: nonce,
                authenticating: $0, tag: tag.baseAddress!)
            }
          }
        }
      }
      #expect(isSealed)
      #expect(
        Hex.encode(sealed)
          == "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662"
      )
      #expect(Hex.encode(tag) == "76fc6ece0f4e1768cddf8853bb2d551b")
    }

    func opened(_ sealed: [UInt8], _ tag: [UInt8]) -> [UInt8]? {
      var target = [UInt8](repeating: 0, count: sealed.count)
      let isOpen = sealed.withUnsafeBytes { sealed in
        target.withUnsafeMutableBytes { target in
          authenticated.withUnsafeBytes {
            cipher.open(
              [.init(rebasing: sealed[..<48]), .init(rebasing: sealed[48...])],
              into: target.baseAddress!, nonce: nonce, authenticating: $0, tag: tag)
          }
        }
      }
      return isOpen ? target : nil
    }
    #expect(opened(sealed, tag) == text)
    for index in tag.indices {
      var other = tag
      other[index] ^= 1
      #expect(opened(sealed, other) == nil)
    }
    // One that was refused takes nothing from the next.
    #expect(opened(sealed, tag) == text)
  }

  /// F.2.5 of <https://csrc.nist.gov/pubs/sp/800/38/a/final>, the first two blocks, also in place.
  @Test func aesCBC() throws {
    let cipher = AESCBC(
      key: SecretBytes(
        try Self.bytes("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4")))
    let text = try Self.bytes("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51")
    let vector = [UInt8](0..<16)
    var sealed = [UInt8](repeating: 0, count: text.count)
    let isSealed = text.withUnsafeBytes { text in
      sealed.withUnsafeMutableBytes { cipher.encrypt(text, into: $0.baseAddress!, vector: vector) }
    }
    #expect(isSealed)
    #expect(
      Hex.encode(sealed) == "f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d")
    let isOpen = sealed.withUnsafeMutableBytes {
      cipher.decrypt(UnsafeRawBufferPointer($0), into: $0.baseAddress!, vector: vector)
    }
    #expect(isOpen)
    #expect(sealed == text)
  }

  /// The second case of <https://www.rfc-editor.org/rfc/rfc4231>, twice, because a context is used again.
  @Test func hmacSHA512() throws {
    let hash = HMACSHA512(key: SecretBytes(Array("Jefe".utf8)))
    for text in [["what do ya want ", "for nothing?"], ["what do ya want for nothing?", ""]] {
      var code = [UInt8](repeating: 0, count: Primitives.sha512Size)
      let pieces = text.map { Array($0.utf8) }
      let isCounted = pieces[0].withUnsafeBytes { first in
        pieces[1].withUnsafeBytes { second in
          code.withUnsafeMutableBytes { hash.code([first, second], into: $0.baseAddress!) }
        }
      }
      #expect(isCounted)
      #expect(
        Hex.encode(code)
          == "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737"
      )
    }
  }

  /// By Python's `hashlib.pbkdf2_hmac`; one round is less than some libraries would take by themselves.
  @Test(arguments: [
    (
      "passwd", "salt", 1,
      "c74319d99499fc3e9013acff597c23c5baf0a0bec5634c46b8352b793e324723d55caa76b2b25c43402dcfdc06cdcf66f95b7d0429420b39520006749c51a04e"
    ),
    (
      "password", "saltSALTsaltSALT", 4096,
      "b2974d4ff4e8b58915c0b29d8e72dbdba41edd5a8dcbf1e4a85799c615387162"
    ),
  ])
  func pbkdf2(passphrase: String, salt: String, rounds: Int, expected: String) {
    let key = Array(passphrase.utf8).withUnsafeBytes {
      Derivation.passphrase(
        $0, salt: Array(salt.utf8), rounds: rounds, bytes: expected.utf8.count / 2)
    }
    #expect(key.withUnsafeBytes { Hex.encode($0) } == expected)
  }

  /// By Python's `cryptography`, with the salt of the first case of <https://www.rfc-editor.org/rfc/rfc5869>.
  @Test func hkdf() {
    let key = [UInt8](repeating: 0x0B, count: 22).withUnsafeBytes {
      Derivation.expanded($0, salt: [UInt8](0...12), purpose: "strata", bytes: 32)
    }
    #expect(
      key.withUnsafeBytes { Hex.encode($0) }
        == "3d03bbcbb5ef377fbd87dcd9eefa73147330776dee90ad3c85e1bc6974b95d70")
  }
}
