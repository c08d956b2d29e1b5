/// The inverse cipher of AES with a key of 256 bits, FIPS 197, over tables.
///
/// Its time depends on what it decrypts, as that of every cipher over tables: it is for a file and a key that the caller has, not for
/// a service that others time.
struct AESDecryption {
  private static let rounds = 14

  /// Four words a round, the last round's first.
  private let keys: [SIMD4<UInt32>]

  /// - Parameter key: 32 bytes.
  init(key: [UInt8]) {
    var words: [UInt32] = (0..<8).map { word in
      key[4 * word..<4 * word + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
    var constant: UInt8 = 1
    for index in 8..<4 * (Self.rounds + 1) {
      var word = words[index - 1]
      if index % 8 == 0 {
        word = Self.substituted(word << 8 | word >> 24) ^ UInt32(constant) << 24
        constant = AESTables.doubled(constant)
      } else if index % 8 == 4 {
        word = Self.substituted(word)
      }
      words.append(words[index - 8] ^ word)
    }
    keys = (0...Self.rounds).reversed().map { round in
      var key = SIMD4<UInt32>()
      for word in 0..<4 {
        let value = words[4 * round + word]
        // Those between take the inverse of the columns' mixing first, so that a round can go through the tables.
        key[word] =
          round == 0 || round == Self.rounds ? value : AESTables.unmixed(Self.substituted(value))
      }
      return key
    }
  }

  private static func substituted(_ word: UInt32) -> UInt32 {
    let box = AESTables.shared.box
    return UInt32(box[Int(word >> 24)]) << 24 | UInt32(box[Int(word >> 16 & 255)]) << 16
      | UInt32(box[Int(word >> 8 & 255)]) << 8 | UInt32(box[Int(word & 255)])
  }

  /// Decrypts one block of four big-endian words.
  func decrypt(_ block: SIMD4<UInt32>) -> SIMD4<UInt32> {
    AESTables.shared.unmixing.withUnsafeBufferPointer { table in
      AESTables.shared.inverseBox.withUnsafeBufferPointer { box in
        keys.withUnsafeBufferPointer { keys in
          var state = block ^ keys[0]
          for round in 1..<Self.rounds {
            var next = keys[round]
            for word in 0..<4 {
              // The rows are shifted to the right, so that a column comes from four.
              let a = table[Int(state[word] >> 24)]
              let b = table[Int(state[(word &+ 3) & 3] >> 16 & 255)]
              let c = table[Int(state[(word &+ 2) & 3] >> 8 & 255)]
              let d = table[Int(state[(word &+ 1) & 3] & 255)]
              next[word] ^= a ^ (b >> 8 | b << 24) ^ (c >> 16 | c << 16) ^ (d >> 24 | d << 8)
            }
            state = next
          }
          var last = keys[Self.rounds]
          for word in 0..<4 {
            last[word] ^=
              UInt32(box[Int(state[word] >> 24)]) << 24
              | UInt32(box[Int(state[(word &+ 3) & 3] >> 16 & 255)]) << 16
              | UInt32(box[Int(state[(word &+ 2) & 3] >> 8 & 255)]) << 8
              | UInt32(box[Int(state[(word &+ 1) & 3] & 255)])
          }
          return last
        }
      }
    }
  }
}

/// The tables of AES, worked out from their definition.
private struct AESTables {
  static let shared = AESTables()

  let box: [UInt8]
  let inverseBox: [UInt8]
  /// The inverse box and the inverse mixing of a column's first byte.
  let unmixing: [UInt32]

  init() {
    var box = [UInt8](repeating: 0, count: 256)
    var inverse = box
    // 3 generates all numbers of the field but 0; p runs through them, and q through their inverses.
    var (p, q): (UInt8, UInt8) = (1, 1)
    repeat {
      p = p ^ Self.doubled(p)
      q ^= q << 1
      q ^= q << 2
      q ^= q << 4
      if q & 0x80 != 0 { q ^= 0x09 }
      var turned: UInt8 = q
      for count: UInt8 in 1...4 { turned ^= q << count | q >> (8 - count) }
      box[Int(p)] = turned ^ 0x63
    } while p != 1
    box[0] = 0x63
    for (value, substitute) in box.enumerated() { inverse[Int(substitute)] = UInt8(value) }
    self.box = box
    inverseBox = inverse
    unmixing = inverse.map { Self.unmixedColumn($0) }
  }

  static func doubled(_ value: UInt8) -> UInt8 { value << 1 ^ (value & 0x80 == 0 ? 0 : 0x1B) }

  /// 14, 9, 13 and 11 times the byte.
  private static func unmixedColumn(_ value: UInt8) -> UInt32 {
    let two = doubled(value)
    let four = doubled(two)
    let eight = doubled(four)
    return UInt32(eight ^ four ^ two) << 24 | UInt32(eight ^ value) << 16
      | UInt32(eight ^ four ^ value) << 8 | UInt32(eight ^ two ^ value)
  }

  /// The inverse mixing of a column of which each byte went through the box.
  static func unmixed(_ word: UInt32) -> UInt32 {
    let table = shared.unmixing
    let (a, b) = (table[Int(word >> 24)], table[Int(word >> 16 & 255)])
    let (c, d) = (table[Int(word >> 8 & 255)], table[Int(word & 255)])
    return a ^ (b >> 8 | b << 24) ^ (c >> 16 | c << 16) ^ (d >> 24 | d << 8)
  }
}
