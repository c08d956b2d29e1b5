import StrataSchema

/// A digest of content that is read in any order: the sum of the digests of its parts, each of which says where it stands.
package struct ContentSum: Equatable, Sendable {
  private var words = SIMD8<UInt32>()
  /// How many parts there are.
  package private(set) var parts = 0

  package init() {}

  package mutating func add(_ part: borrowing StoredBytes) {
    var hasher = SHA256()
    hasher.update(part.bytes)
    words &+= hasher.finishWords()
    parts += 1
  }

  /// 64 hexadecimal digits.
  package var text: String {
    (0..<8).map { word in
      let digits = String(words[word], radix: 16)
      return String(repeating: "0", count: 8 - digits.utf8.count) + digits
    }.joined()
  }
}

/// Values as docs/layout.md says that they stand in a file: their storage class and their bytes.
package struct StoredBytes {
  fileprivate(set) var bytes: [UInt8] = []

  package init() {}

  /// Begins a part.
  mutating func begin(_ place: String, _ identity: Int64) {
    bytes.removeAll(keepingCapacity: true)
    text(place.utf8)
    integer(identity)
  }

  mutating func null() { bytes.append(0) }

  mutating func integer(_ value: Int64) {
    bytes.append(1)
    number(UInt64(bitPattern: value))
  }

  mutating func real(_ value: Double) {
    bytes.append(2)
    number(value.bitPattern)
  }

  mutating func text(_ content: some Sequence<UInt8>) { add(3, content) }

  mutating func blob(_ content: some Sequence<UInt8>) { add(4, content) }

  /// A blob of type any: its tag and its bytes.
  mutating func blob(tag: UInt8, _ content: some Sequence<UInt8>) {
    add(4, CollectionOfOne(tag), content)
  }

  private mutating func add(_ kind: UInt8, _ content: some Sequence<UInt8>) {
    add(kind, EmptyCollection(), content)
  }

  private mutating func add(
    _ kind: UInt8, _ first: some Sequence<UInt8>, _ rest: some Sequence<UInt8>
  ) {
    bytes.append(kind)
    let place = bytes.count
    number(0)
    bytes.append(contentsOf: first)
    bytes.append(contentsOf: rest)
    let count = UInt64(bytes.count - place - 8)
    for byte in 0..<8 { bytes[place + byte] = UInt8(truncatingIfNeeded: count >> (8 * byte)) }
  }

  private mutating func number(_ value: UInt64) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  /// What has been added since a place, to tell elements of a set apart.
  func tail(from place: Int) -> [UInt8] { Array(bytes[place...]) }

  mutating func cut(to place: Int) { bytes.removeSubrange(place...) }
}
