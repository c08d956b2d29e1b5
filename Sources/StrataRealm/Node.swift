/// A node of the file, "array" in Realm's own words: a header of eight bytes and its elements.
///
/// Made only of a range that is inside of the file; each element is checked against the count.
struct Node {
  enum Width: UInt8 {
    /// Elements of `width` bits.
    case bits
    /// Elements of `width` bytes.
    case bytes
    /// A blob of `count` bytes.
    case blob
  }

  static let headerSize = 8
  /// What a node begins with, `AAAA`, where a checksum would stand; Realm's first versions wrote ones.
  private static let mark: UInt32 = 0x4141_4141
  private static let firstMark: UInt32 = 0x0101_0101
  /// Elements that one step of a reading may cover.
  static let elementsOfStep = 1024

  let offset: Int
  let payload: UnsafeRawPointer
  let count: Int
  let width: Int
  let widthKind: Width
  /// Whether it is inside of a tree: its elements are more nodes of the tree.
  let isInner: Bool
  let hasRefs: Bool
  let context: Bool

  /// - Parameter isCounted: whether it is a step of the reading; not for what is looked up.
  init(_ bytes: RealmBytes, _ ref: Int, isCounted: Bool = true) throws(RealmError) {
    guard ref >= 24, ref & 7 == 0 else {
      throw RealmError("a reference leads to byte \(ref), where no node can stand", at: ref)
    }
    try bytes.require(ref, Self.headerSize)
    let header = bytes.start + ref
    let flags = header.load(fromByteOffset: 4, as: UInt8.self)
    guard let kind = Width(rawValue: flags >> 3 & 3) else {
      throw RealmError("a node is of no known kind", at: ref)
    }
    offset = ref
    widthKind = kind
    width = (1 << Int(flags & 7)) >> 1
    isInner = flags & 0x80 != 0
    hasRefs = flags & 0x40 != 0
    context = flags & 0x20 != 0
    count =
      Int(header.load(fromByteOffset: 5, as: UInt8.self)) << 16
      | Int(header.load(fromByteOffset: 6, as: UInt8.self)) << 8
      | Int(header.load(fromByteOffset: 7, as: UInt8.self))
    let size: Int
    switch kind {
    case .bits: size = (count * width + 7) / 8
    case .bytes: size = count * width
    case .blob: size = count
    }
    guard Self.isBeginning(header, size: size) else {
      throw RealmError("a node begins as no node of Realm does", at: ref)
    }
    if isCounted { try bytes.charge(1 + count / Self.elementsOfStep) }
    try bytes.require(ref + Self.headerSize, size)
    payload = header + Self.headerSize
  }

  /// Whether a node begins as Realm lets it: zeros, which a crash or a lost block leaves, would read as a node without elements.
  ///
  /// Files that are upgraded keep the nodes that nothing changed, so that a new file may have old ones.
  private static func isBeginning(_ header: UnsafeRawPointer, size: Int) -> Bool {
    let beginning = UInt32(littleEndian: header.load(as: UInt32.self))
    if beginning == mark || beginning == firstMark { return true }
    // Until format 3 the bytes that the node has room for may stand there, in three bytes, the highest first.
    let capacity = Int(beginning.byteSwapped >> 8)
    return beginning >> 24 == 0 && capacity % 8 == 0 && capacity >= headerSize + size
  }

  // MARK: - Numbers

  /// The whole number at a place.
  @inline(__always)
  func integer(at index: Int) throws(RealmError) -> Int64 {
    guard widthKind == .bits, index >= 0, index < count else {
      throw missing(index)
    }
    switch width {
    case 0: return 0
    case 1:
      return Int64(payload.load(fromByteOffset: index >> 3, as: UInt8.self) >> (index & 7) & 1)
    case 2:
      return Int64(
        payload.load(fromByteOffset: index >> 2, as: UInt8.self) >> (2 * (index & 3)) & 3)
    case 4:
      return Int64(
        payload.load(fromByteOffset: index >> 1, as: UInt8.self) >> (4 * (index & 1)) & 15)
    case 8: return Int64(payload.load(fromByteOffset: index, as: Int8.self))
    case 16:
      return Int64(Int16(littleEndian: payload.load(fromByteOffset: 2 * index, as: Int16.self)))
    case 32:
      return Int64(Int32(littleEndian: payload.load(fromByteOffset: 4 * index, as: Int32.self)))
    default: return Int64(littleEndian: payload.load(fromByteOffset: 8 * index, as: Int64.self))
    }
  }

  /// The number at a place of an array of numbers without a sign: keys and offsets of trees.
  func unsigned(at index: Int) throws(RealmError) -> UInt64 {
    let value = UInt64(bitPattern: try integer(at: index))
    return width >= 64 || width < 8 ? value : value & (1 << UInt64(width) - 1)
  }

  private func missing(_ index: Int) -> RealmError {
    RealmError("a node of \(count) elements has no number at place \(index)", at: offset)
  }

  // MARK: - References

  /// Where the element leads; nil for none, also where the node is shorter.
  func ref(at index: Int) throws(RealmError) -> Int? {
    guard hasRefs else { throw RealmError("references are expected", at: offset) }
    guard index < count else { return nil }
    let value = try integer(at: index)
    if value == 0 { return nil }
    guard value & 1 == 0, value > 0 else {
      throw RealmError("a reference is expected at place \(index)", at: offset)
    }
    return Int(value)
  }

  /// Where the element leads, which it has to.
  func child(_ index: Int, _ what: String) throws(RealmError) -> Int {
    guard let ref = try ref(at: index) else { throw RealmError("\(what) is missing", at: offset) }
    return ref
  }

  /// The number that stands in the place of a reference; nil where there is none.
  func tagged(at index: Int) throws(RealmError) -> UInt64? {
    guard hasRefs, index < count else { return nil }
    let value = UInt64(bitPattern: try integer(at: index))
    return value & 1 == 1 ? value >> 1 : nil
  }

  // MARK: - Bytes

  /// Bytes of the payload that are inside of it.
  func bytes(_ start: Int, _ end: Int) throws(RealmError) -> UnsafeRawBufferPointer {
    let size = widthKind == .blob ? count : widthKind == .bytes ? count * width : 0
    guard start >= 0, start <= end, end <= size else {
      throw RealmError("a value is said to stand outside of its node", at: offset)
    }
    return UnsafeRawBufferPointer(start: payload + start, count: end - start)
  }

  func checkCount(_ expected: Int, _ what: String) throws(RealmError) {
    guard count >= expected else {
      throw RealmError("\(what) has \(count) values where \(expected) are expected", at: offset)
    }
  }
}
