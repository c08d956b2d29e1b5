/// Turns libyaml's marks, which count characters, into byte offsets.
struct MarkTable {
  /// Every how many characters a byte offset is kept.
  private static let stride = 64

  /// Nil for a text of ASCII only, where a character is a byte.
  private let samples: [Int]?
  private let base: Int

  /// For the text that starts at `base`, behind a byte order mark.
  init(_ bytes: UnsafeBufferPointer<UInt8>, base: Int) {
    self.base = base
    var accumulated: UInt8 = 0
    for byte in bytes { accumulated |= byte }
    guard accumulated >= 0x80 else {
      samples = nil
      return
    }
    var samples: [Int] = []
    samples.reserveCapacity(bytes.count / Self.stride + 1)
    var character = 0
    for index in base..<bytes.count where bytes[index] & 0xC0 != 0x80 {
      if character % Self.stride == 0 { samples.append(index) }
      character += 1
    }
    self.samples = samples
  }

  /// The offset of the character with this number, counted from 0.
  func offset(_ character: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Int {
    guard let samples else { return min(base + character, bytes.count) }
    guard character / Self.stride < samples.count else { return bytes.count }
    var index = samples[character / Self.stride]
    for _ in 0..<character % Self.stride {
      guard index < bytes.count else { break }
      index += 1
      while index < bytes.count, bytes[index] & 0xC0 == 0x80 { index += 1 }
    }
    return index
  }
}
