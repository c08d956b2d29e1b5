/// The SHA-256 digest of some bytes, FIPS 180-4.
package struct Digest: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// 32 bytes.
  package let bytes: [UInt8]

  /// Reads 64 hexadecimal digits.
  package init?(_ text: some StringProtocol) {
    guard text.utf8.count == 64, let bytes = Hex.decode(text.utf8) else { return nil }
    self.bytes = bytes
  }

  fileprivate init(bytes: [UInt8]) { self.bytes = bytes }

  package init(of text: String) { self = SHA256.digest(of: text.utf8) }

  package init(of bytes: some Sequence<UInt8>) { self = SHA256.digest(of: bytes) }

  /// 64 lower-case hexadecimal digits.
  package var description: String { Hex.encode(bytes) }

  package static func < (left: Digest, right: Digest) -> Bool {
    left.bytes.lexicographicallyPrecedes(right.bytes)
  }
}

/// SHA-256 by FIPS 180-4, fed in pieces.
///
/// Its own, because the runtime and the build tool need this and nothing else of a crypto library, and
/// no secret passes through it.
package struct SHA256 {
  private var state: [UInt32] = [
    0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab,
    0x5be0_cd19,
  ]
  private var block: [UInt8] = []
  private var length: UInt64 = 0
  private var schedule = [UInt32](repeating: 0, count: 64)

  package init() { block.reserveCapacity(64) }

  package static func digest(of bytes: some Sequence<UInt8>) -> Digest {
    var hasher = SHA256()
    hasher.update(bytes)
    return hasher.finish()
  }

  package mutating func update(_ bytes: some Sequence<UInt8>) {
    for byte in bytes {
      block.append(byte)
      length &+= 1
      if block.count == 64 { compress() }
    }
  }

  /// The digest of all bytes so far; the hasher is used up.
  package consuming func finish() -> Digest {
    let bits = length &* 8
    block.append(0x80)
    while block.count != 56 {
      if block.count == 64 { compress() } else { block.append(0) }
    }
    for shift in stride(from: 56, through: 0, by: -8) {
      block.append(UInt8(truncatingIfNeeded: bits >> UInt64(shift)))
    }
    compress()
    return Digest(
      bytes: state.flatMap { word in
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> UInt32($0)) }
      })
  }

  private mutating func compress() {
    block.withUnsafeBufferPointer { block in
      for index in 0..<16 {
        let at = index * 4
        schedule[index] =
          UInt32(block[at]) << 24 | UInt32(block[at + 1]) << 16 | UInt32(block[at + 2]) << 8
          | UInt32(block[at + 3])
      }
    }
    schedule.withUnsafeMutableBufferPointer { w in
      for t in 16..<64 {
        let s0 = rotate(w[t - 15], 7) ^ rotate(w[t - 15], 18) ^ (w[t - 15] >> 3)
        let s1 = rotate(w[t - 2], 17) ^ rotate(w[t - 2], 19) ^ (w[t - 2] >> 10)
        w[t] = w[t - 16] &+ s0 &+ w[t - 7] &+ s1
      }
    }
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    var (e, f, g, h) = (state[4], state[5], state[6], state[7])
    schedule.withUnsafeBufferPointer { w in
      roundConstants.withUnsafeBufferPointer { k in
        for t in 0..<64 {
          let s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
          let t1 = h &+ s1 &+ ((e & f) ^ (~e & g)) &+ k[t] &+ w[t]
          let s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
          let t2 = s0 &+ ((a & b) ^ (a & c) ^ (b & c))
          (h, g, f, e, d, c, b, a) = (g, f, e, d &+ t1, c, b, a, t1 &+ t2)
        }
      }
    }
    for (index, word) in [a, b, c, d, e, f, g, h].enumerated() {
      state[index] = state[index] &+ word
    }
    block.removeAll(keepingCapacity: true)
  }
}

@inline(__always)
private func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 {
  word >> count | word << (32 - count)
}

private let roundConstants: [UInt32] = [
  0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4,
  0xab1c_5ed5, 0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe,
  0x9bdc_06a7, 0xc19b_f174, 0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f,
  0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da, 0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7,
  0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967, 0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc,
  0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85, 0xa2bf_e8a1, 0xa81a_664b,
  0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070, 0x19a4_c116,
  0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
  0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7,
  0xc671_78f2,
]
