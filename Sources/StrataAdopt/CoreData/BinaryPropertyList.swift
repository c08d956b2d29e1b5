/// A binary property list (`bplist00`): its objects, which name each other by number.
///
/// Nothing is followed while it is read, so that lists that lead in circles are lists like others.
struct BinaryPropertyList {
  enum Object {
    case null
    case bool(Bool)
    case int(Int64)
    case real(Double)
    /// Seconds since 2001.
    case date(Double)
    /// A range of the bytes.
    case data(Range<Int>)
    case string(String)
    /// The number of an object in an archive.
    case uid(Int)
    case array([Int])
    case dictionary([(key: Int, value: Int)])
  }

  static let maximumObjects = 1_000_000
  /// Objects may share bytes: in sum they are at most so many times the file.
  private static let maximumGrowth = 16

  let bytes: [UInt8]
  private(set) var objects: [Object] = []
  private(set) var root = 0

  static func isOne(_ bytes: [UInt8]) -> Bool { bytes.starts(with: "bplist0".utf8) }

  /// - Returns: nil for what is damaged.
  init?(_ bytes: [UInt8]) {
    self.bytes = bytes
    // A header of 8 bytes, objects, offsets, and a trailer of 32 bytes.
    guard Self.isOne(bytes), bytes.count >= 40 else { return nil }
    let trailer = bytes.count - 32
    let offsetSize = Int(bytes[trailer + 6])
    let referenceSize = Int(bytes[trailer + 7])
    guard (1...8).contains(offsetSize), (1...8).contains(referenceSize),
      let count = number(at: trailer + 8, size: 8), let root = number(at: trailer + 16, size: 8),
      let table = number(at: trailer + 24, size: 8), count >= 1, count <= Self.maximumObjects,
      root < count, table >= 8, table <= trailer, count <= (trailer - table) / offsetSize
    else { return nil }
    self.root = root
    var budget = bytes.count * Self.maximumGrowth
    objects.reserveCapacity(count)
    for index in 0..<count {
      guard let offset = number(at: table + index * offsetSize, size: offsetSize),
        let object = object(at: offset, end: table, referenceSize, count, &budget)
      else { return nil }
      objects.append(object)
    }
  }

  /// A number that is not negative, most significant byte first.
  private func number(at place: Int, size: Int) -> Int? {
    guard place >= 0, place <= bytes.count - size else { return nil }
    var value: UInt64 = 0
    for byte in bytes[place..<(place + size)] { value = value << 8 | UInt64(byte) }
    return Int(exactly: value)
  }

  private func object(
    at offset: Int, end: Int, _ referenceSize: Int, _ count: Int, _ budget: inout Int
  ) -> Object? {
    guard offset >= 8, offset < end else { return nil }
    let (kind, low) = (bytes[offset] >> 4, Int(bytes[offset] & 15))
    var place = offset + 1
    func word(_ size: Int) -> UInt64? {
      guard place <= end - size else { return nil }
      return bytes[place..<(place + size)].reduce(0) { $0 << 8 | UInt64($1) }
    }
    switch kind {
    case 0:
      switch low {
      case 8: return .bool(false)
      case 9: return .bool(true)
      default: return .null
      }
    case 1:
      guard low <= 4 else { return nil }
      // Of 16 bytes the last 8 are the number.
      if low == 4 { place += 8 }
      return word(min(1 << low, 8)).map { .int(Int64(bitPattern: $0)) }
    case 2:
      if low == 2 { return word(4).map { .real(Double(Float(bitPattern: UInt32($0)))) } }
      return low == 3 ? word(8).map { .real(Double(bitPattern: $0)) } : nil
    case 3: return word(8).map { .date(Double(bitPattern: $0)) }
    case 8: return number(at: offset + 1, size: low + 1).map { .uid($0) }
    default: break
    }
    var length = low
    if low == 15 {
      guard place < end, bytes[place] >> 4 == 1 else { return nil }
      let size = 1 << Int(bytes[place] & 15)
      guard size <= 8, place + 1 + size <= end, let value = number(at: place + 1, size: size) else {
        return nil
      }
      length = value
      place += 1 + size
    }
    let width = kind == 6 ? 2 : kind == 0xD ? 2 * referenceSize : kind >= 0xA ? referenceSize : 1
    guard length <= (end - place) / width else { return nil }
    budget -= length * width
    guard budget >= 0 else { return nil }
    let content = place..<(place + length * width)
    switch kind {
    case 4: return .data(content)
    case 5, 7: return .string(String(decoding: bytes[content], as: UTF8.self))
    case 6:
      let units = (0..<length).map {
        UInt16(bytes[place + 2 * $0]) << 8 | UInt16(bytes[place + 2 * $0 + 1])
      }
      return .string(String(decoding: units, as: UTF16.self))
    case 0xA, 0xB, 0xC:
      return references(content, referenceSize, count).map { .array($0) }
    case 0xD:
      guard let all = references(content, referenceSize, count) else { return nil }
      return .dictionary((0..<length).map { (all[$0], all[length + $0]) })
    default: return nil
    }
  }

  private func references(_ range: Range<Int>, _ size: Int, _ count: Int) -> [Int]? {
    var result: [Int] = []
    for place in stride(from: range.lowerBound, to: range.upperBound, by: size) {
      guard let reference = number(at: place, size: size), reference < count else { return nil }
      result.append(reference)
    }
    return result
  }

  // MARK: - Reading

  func string(_ index: Int?) -> String? {
    if let index, case .string(let text) = objects[index] { return text }
    return nil
  }

  func int(_ index: Int?) -> Int64? {
    guard let index else { return nil }
    switch objects[index] {
    case .int(let value): return value
    case .bool(let value): return value ? 1 : 0
    default: return nil
    }
  }

  func elements(_ index: Int?) -> [Int] {
    if let index, case .array(let all) = objects[index] { return all }
    return []
  }

  /// The value of a key of a dictionary.
  func member(_ index: Int?, _ key: String) -> Int? {
    guard let index, case .dictionary(let pairs) = objects[index] else { return nil }
    return pairs.first { string($0.key) == key }?.value
  }
}
