extension String {
  /// The text that these bytes are; nil where they are no UTF-8.
  ///
  /// The library's own initialiser looks its types up at each call, which costs more than a short text.
  package init?(validUTF8 bytes: UnsafeBufferPointer<UInt8>) {
    let raw = UnsafeRawBufferPointer(bytes)
    // Most texts are ASCII, of which there is nothing to check.
    guard raw.isASCII || raw.isUTF8 else { return nil }
    self = String(decoding: bytes, as: UTF8.self)
  }
}

extension UnsafeRawBufferPointer {
  /// Whether no byte has its highest bit set.
  fileprivate var isASCII: Bool {
    guard let start = baseAddress else { return true }
    var bits: UInt64 = 0
    if count >= 8 {
      for position in stride(from: 0, to: count - 8, by: 8) {
        bits |= start.loadUnaligned(fromByteOffset: position, as: UInt64.self)
      }
      // The last eight, some of them again.
      bits |= start.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
    } else if count >= 4 {
      bits = UInt64(
        start.loadUnaligned(as: UInt32.self)
          | start.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self))
    } else {
      for position in 0..<count { bits |= UInt64(self[position]) }
    }
    return bits & 0x8080_8080_8080_8080 == 0
  }

  /// Whether the bytes are well-formed: table 3-7 of the Unicode standard, <https://www.unicode.org/versions/latest/core-spec/chapter-3/#G27506>.
  fileprivate var isUTF8: Bool {
    var position = 0
    while position < count {
      // Eight bytes at a time where they are ASCII.
      if position + 8 <= count,
        loadUnaligned(fromByteOffset: position, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
      {
        position += 8
        continue
      }
      let first = self[position]
      if first < 0x80 {
        position += 1
        continue
      }
      let length: Int
      let second: ClosedRange<UInt8>
      switch first {
      case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
      case 0xE0: (length, second) = (3, 0xA0...0xBF)
      case 0xED: (length, second) = (3, 0x80...0x9F)
      case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
      case 0xF0: (length, second) = (4, 0x90...0xBF)
      case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
      case 0xF4: (length, second) = (4, 0x80...0x8F)
      default: return false
      }
      guard position + length <= count, second.contains(self[position + 1]) else { return false }
      for next in stride(from: 2, to: length, by: 1) where self[position + next] & 0xC0 != 0x80 {
        return false
      }
      position += length
    }
    return true
  }
}
