import StrataSchema

/// Encrypts the bytes of a Realm file as Realm does, for tests.
package struct EncryptedCopy {
  package let key: [UInt8]

  package init(key: [UInt8]) { self.key = key }

  private static let pageSize = 4096

  package func bytes(of plain: [UInt8]) -> [UInt8] {
    let aes = AESEncryption(key: Array(key[..<32]))
    let pages = (plain.count + Self.pageSize - 1) / Self.pageSize
    let padded = plain + [UInt8](repeating: 0, count: pages * Self.pageSize - plain.count)
    var result: [UInt8] = []
    for block in stride(from: 0, to: pages, by: 64) {
      var entries = [UInt8](repeating: 0, count: Self.pageSize)
      var content: [UInt8] = []
      for page in block..<min(pages, block + 64) {
        let vector: [UInt8] = [UInt8(page & 127 | 1), 2, 3, 4]
        let offset = (0..<8).map { UInt8(truncatingIfNeeded: (page * Self.pageSize) >> (8 * $0)) }
        var previous = vector + offset + [0, 0, 0, 0]
        var encrypted: [UInt8] = []
        let start = page * Self.pageSize
        for place in stride(from: start, to: start + Self.pageSize, by: 16) {
          previous = aes.encrypt((0..<16).map { padded[place + $0] ^ previous[$0] })
          encrypted += previous
        }
        let code = authenticationCode(of: encrypted)
        let entry = (page - block) * 64
        entries.replaceSubrange(entry..<entry + 32, with: vector + code)
        content += encrypted
      }
      result += entries + content
    }
    return result
  }
}

extension EncryptedCopy {
  /// HMAC with SHA-224, RFC 2104.
  private func authenticationCode(of page: [UInt8]) -> [UInt8] {
    func hash(_ pad: UInt8, _ content: [UInt8]) -> [UInt8] {
      var hasher = SHA256(state: SHA256.initialState224)
      hasher.update(key[32...].map { $0 ^ pad } + [UInt8](repeating: pad, count: 32) + content)
      return Array(hasher.finish().bytes.prefix(28))
    }
    return hash(0x5C, hash(0x36, page))
  }
}

/// AES-256 byte by byte, as FIPS 197 describes it.
struct AESEncryption {
  private var keys: [[UInt8]] = []

  private static let box: [UInt8] = {
    // The inverse in the field of 2⁸, and the affine map.
    (0..<256).map { value in
      let inverse = (0..<256).first { multiply(UInt8($0), UInt8(value)) == 1 } ?? 0
      let q = UInt8(inverse)
      return (0..<5).reduce(0x63) { $0 ^ (q << UInt8($1) | UInt8(UInt16(q) >> UInt16(8 - $1))) }
    }
  }()

  static func multiply(_ a: UInt8, _ b: UInt8) -> UInt8 {
    var (a, b, result) = (a, b, UInt8(0))
    while b != 0 {
      if b & 1 != 0 { result ^= a }
      a = a << 1 ^ (a & 0x80 != 0 ? 0x1B : 0)
      b >>= 1
    }
    return result
  }

  init(key: [UInt8]) {
    var words = stride(from: 0, to: 32, by: 4).map { Array(key[$0..<$0 + 4]) }
    var constant: UInt8 = 1
    for index in 8..<60 {
      var word = words[index - 1]
      if index % 8 == 0 {
        word = (word[1...] + word[..<1]).map { Self.box[Int($0)] }
        word[0] ^= constant
        constant = Self.multiply(constant, 2)
      } else if index % 8 == 4 {
        word = word.map { Self.box[Int($0)] }
      }
      words.append(zip(words[index - 8], word).map { $0 ^ $1 })
    }
    keys = (0..<15).map { words[4 * $0..<4 * $0 + 4].flatMap { $0 } }
  }

  private static let doubled = (0..<256).map { multiply(UInt8($0), 2) }

  func encrypt(_ block: [UInt8]) -> [UInt8] {
    let (box, doubled) = (Self.box, Self.doubled)
    var state = block
    var next = block
    for place in 0..<16 { state[place] ^= keys[0][place] }
    for round in 1...14 {
      let key = keys[round]
      // Row r of column c comes from column c + r.
      for column in 0..<4 {
        for row in 0..<4 {
          next[4 * column + row] = box[Int(state[(4 * (column + row) + row) % 16])]
        }
      }
      for place in 0..<16 where round == 14 { state[place] = next[place] ^ key[place] }
      for column in stride(from: 0, to: 16, by: 4) where round < 14 {
        let (a, b, c, d) = (next[column], next[column + 1], next[column + 2], next[column + 3])
        let all = a ^ b ^ c ^ d
        state[column] = a ^ all ^ doubled[Int(a ^ b)] ^ key[column]
        state[column + 1] = b ^ all ^ doubled[Int(b ^ c)] ^ key[column + 1]
        state[column + 2] = c ^ all ^ doubled[Int(c ^ d)] ^ key[column + 2]
        state[column + 3] = d ^ all ^ doubled[Int(d ^ a)] ^ key[column + 3]
      }
    }
    return state
  }
}
