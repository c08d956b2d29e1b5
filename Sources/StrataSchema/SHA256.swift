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
/// no secret passes through it. Its state stands in the value itself: a copy goes on from where the original was, and
/// millions of objects are hashed without allocating for each.
package struct SHA256 {
  private static let blockSize = 64

  private var state = SIMD8<UInt32>(
    0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab,
    0x5be0_cd19)
  /// The bytes that do not fill a block yet.
  private var block = SIMD64<UInt8>()
  private var blockCount = 0
  private var length: UInt64 = 0

  package init() {}

  /// Begins with another state: SHA-224 is the same but for its own, and the first 28 bytes of the digest.
  package init(state: SIMD8<UInt32>) { self.state = state }

  /// What SHA-224 begins with.
  package static let initialState224 = SIMD8<UInt32>(
    0xc105_9ed8, 0x367c_d507, 0x3070_dd17, 0xf70e_5939, 0xffc0_0b31, 0x6858_1511, 0x64f9_8fa7,
    0xbefa_4fa4)

  package static func digest(of bytes: some Sequence<UInt8>) -> Digest {
    var hasher = SHA256()
    hasher.update(bytes)
    return hasher.finish()
  }

  package mutating func update(_ bytes: some Sequence<UInt8>) {
    let isTaken: Void? = bytes.withContiguousStorageIfAvailable {
      update(UnsafeRawBufferPointer($0))
    }
    if isTaken != nil { return }
    for byte in bytes { withUnsafeBytes(of: byte) { update($0) } }
  }

  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress, !bytes.isEmpty else { return }
    length &+= UInt64(bytes.count)
    var position = 0
    if blockCount > 0 {
      position = min(bytes.count, Self.blockSize - blockCount)
      let offset = blockCount
      withUnsafeMutableBytes(of: &block) {
        ($0.baseAddress! + offset).copyMemory(from: start, byteCount: position)
      }
      blockCount += position
      guard blockCount == Self.blockSize else { return }
      compressBlock()
    }
    while bytes.count - position >= Self.blockSize {
      Self.compress(start + position, into: &state)
      position += Self.blockSize
    }
    let rest = bytes.count - position
    guard rest > 0 else { return }
    withUnsafeMutableBytes(of: &block) {
      $0.baseAddress!.copyMemory(from: start + position, byteCount: rest)
    }
    blockCount = rest
  }

  /// The digest of all bytes so far; the hasher is used up.
  package consuming func finish() -> Digest {
    let words = finishWords()
    return Digest(
      bytes: (0..<8).flatMap { word in
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: words[word] >> UInt32($0)) }
      })
  }

  /// The digest as eight words, of which the first one holds the first four bytes, the first of them on top.
  package consuming func finishWords() -> SIMD8<UInt32> {
    let bits = length &* 8
    let count = blockCount
    // The bits' count takes the last eight bytes of a block; 0x80 stands before it.
    let isLong = count >= Self.blockSize - 8
    withUnsafeMutableBytes(of: &block) { block in
      block[count] = 0x80
      for position in count + 1..<Self.blockSize { block[position] = 0 }
    }
    if isLong {
      compressBlock()
      block = SIMD64()
    }
    withUnsafeMutableBytes(of: &block) { block in
      block.storeBytes(of: bits.bigEndian, toByteOffset: Self.blockSize - 8, as: UInt64.self)
    }
    compressBlock()
    return state
  }

  private mutating func compressBlock() {
    blockCount = 0
    let block = block
    withUnsafeBytes(of: block) { Self.compress($0.baseAddress!, into: &state) }
  }

  /// - Parameter bytes: 64 of them.
  private static func compress(_ bytes: UnsafeRawPointer, into state: inout SIMD8<UInt32>) {
    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { schedule in
      guard let w = schedule.baseAddress else { return }
      for t in 0..<16 {
        (w + t).initialize(
          to: UInt32(bigEndian: (bytes + 4 * t).loadUnaligned(as: UInt32.self)))
      }
      for t in 16..<64 {
        let s0 = rotate(w[t - 15], 7) ^ rotate(w[t - 15], 18) ^ (w[t - 15] >> 3)
        let s1 = rotate(w[t - 2], 17) ^ rotate(w[t - 2], 19) ^ (w[t - 2] >> 10)
        (w + t).initialize(to: w[t - 16] &+ s0 &+ w[t - 7] &+ s1)
      }
      var (a, b, c, d) = (state[0], state[1], state[2], state[3])
      var (e, f, g, h) = (state[4], state[5], state[6], state[7])
      roundConstants.withUnsafeBufferPointer { constants in
        guard let k = constants.baseAddress else { return }
        // Eight rounds in a row: the words change their roles instead of their places.
        for t in stride(from: 0, to: 64, by: 8) {
          round(a, b, c, &d, e, f, g, &h, k[t] &+ w[t])
          round(h, a, b, &c, d, e, f, &g, k[t + 1] &+ w[t + 1])
          round(g, h, a, &b, c, d, e, &f, k[t + 2] &+ w[t + 2])
          round(f, g, h, &a, b, c, d, &e, k[t + 3] &+ w[t + 3])
          round(e, f, g, &h, a, b, c, &d, k[t + 4] &+ w[t + 4])
          round(d, e, f, &g, h, a, b, &c, k[t + 5] &+ w[t + 5])
          round(c, d, e, &f, g, h, a, &b, k[t + 6] &+ w[t + 6])
          round(b, c, d, &e, f, g, h, &a, k[t + 7] &+ w[t + 7])
        }
      }
      state = state &+ SIMD8(a, b, c, d, e, f, g, h)
    }
  }
}

@inline(__always)
private func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 {
  word &>> count | word &<< (32 &- count)
}

@inline(__always)
private func round(
  _ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: inout UInt32, _ e: UInt32, _ f: UInt32, _ g: UInt32,
  _ h: inout UInt32, _ input: UInt32
) {
  let s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
  let t1 = h &+ s1 &+ ((e & f) ^ (~e & g)) &+ input
  let s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
  d = d &+ t1
  h = t1 &+ s0 &+ ((a & b) ^ (a & c) ^ (b & c))
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
