import Strata
import StrataSchema

/// Feeds typed values to SHA-256, each with its type and length, so that no two sequences of values are the same bytes.
struct ObjectHasher {
  private var hasher = SHA256()

  init(model: String) { add(model) }

  /// A text as it is hashed: its length, then its bytes.
  static func bytes(of text: String) -> [UInt8] {
    let count = UInt64(text.utf8.count)
    return (0..<16).map { $0 < 8 ? UInt8(truncatingIfNeeded: count >> (8 * UInt64($0))) : 0 }
      + Array(text.utf8)
  }

  /// The 32 bytes of a digest.
  static func bytes(of digest: SIMD8<UInt32>) -> [UInt8] {
    withUnsafeBytes(of: bigEndian(digest)) { Array($0) }
  }

  /// Whether a digest's bytes come before another's.
  static func precedes(_ left: SIMD8<UInt32>, _ right: SIMD8<UInt32>) -> Bool {
    for word in 0..<8 where left[word] != right[word] { return left[word] < right[word] }
    return false
  }

  private static func bigEndian(_ digest: SIMD8<UInt32>) -> SIMD8<UInt32> {
    var words = digest
    for word in 0..<8 { words[word] = digest[word].bigEndian }
    return words
  }

  mutating func add(byte: UInt8) { withUnsafeBytes(of: byte) { hasher.update($0) } }

  mutating func add(bytes: [UInt8]) { bytes.withUnsafeBytes { hasher.update($0) } }

  mutating func add(bytes: UnsafeRawBufferPointer) { hasher.update(bytes) }

  mutating func add(digest: SIMD8<UInt32>) {
    withUnsafeBytes(of: Self.bigEndian(digest)) { hasher.update($0) }
  }

  mutating func add(_ text: String) {
    add(UInt64(text.utf8.count))
    hasher.update(text.utf8)
  }

  /// A stored text as the value that it is read as: what is no UTF-8 is replaced there.
  mutating func add(text: UnsafeBufferPointer<UInt8>) {
    add(byte: 5)
    if text.allSatisfy({ $0 < 0x80 }) {
      add(UInt64(text.count))
      hasher.update(UnsafeRawBufferPointer(text))
    } else {
      add(String(decoding: text, as: UTF8.self))
    }
  }

  mutating func add(_ first: UInt64, _ second: UInt64 = 0) {
    withUnsafeBytes(of: SIMD2(first.littleEndian, second.littleEndian)) { hasher.update($0) }
  }

  mutating func add(_ value: Value) {
    switch value {
    case .null, .link, .object: add(byte: 0)
    case .bool(let value):
      add(byte: 1)
      add(byte: value ? 1 : 0)
    case .int(let value):
      add(byte: 2)
      add(UInt64(bitPattern: value))
    case .float(let value):
      add(byte: 3)
      add(UInt64(value.bitPattern))
    case .double(let value):
      add(byte: 4)
      add(value.bitPattern)
    case .string(let value):
      add(byte: 5)
      add(value)
    case .data(let value):
      add(byte: 6)
      add(UInt64(value.count))
      add(bytes: value)
    case .date(let value):
      add(byte: 7)
      add(value.bitPattern)
    case .uuid(let value):
      add(byte: 8)
      add(bytes: value.bytes)
    case .decimal(let value):
      add(byte: 9)
      add(value.text)
    case .objectID(let value):
      add(byte: 10)
      add(bytes: value.bytes)
    }
  }

  consuming func finish() -> SIMD8<UInt32> { hasher.finishWords() }
}
