package import StrataRealm

/// Writes the nodes of a Realm file, for tests: every node on its own, in the order in which they are asked for.
package struct RealmWriter {
  package private(set) var bytes = [UInt8](repeating: 0, count: 24)
  /// Where the nodes begin.
  package private(set) var places: [Int] = []

  package init() {}

  /// What stands in the place of a reference.
  package static func tagged(_ value: UInt64) -> Int64 { Int64(bitPattern: value << 1 | 1) }

  private mutating func node(flags: UInt8, code: UInt8, kind: UInt8, count: Int, _ payload: [UInt8])
    -> Int64
  {
    let ref = Int64(bytes.count)
    places.append(bytes.count)
    bytes += Array("AAAA".utf8)
    bytes += [flags | kind << 3 | code]
    bytes += [UInt8(count >> 16), UInt8(count >> 8 & 255), UInt8(count & 255)]
    bytes += payload
    while bytes.count % 8 != 0 { bytes.append(0) }
    return ref
  }

  package static let inner: UInt8 = 0x80
  package static let hasRefs: UInt8 = 0x40
  package static let context: UInt8 = 0x20

  /// Whole numbers in the smallest width that holds them all.
  package mutating func integers(_ values: [Int64], flags: UInt8 = 0, isUnsigned: Bool = false)
    -> Int64
  {
    let (low, high) = (values.min() ?? 0, values.max() ?? 0)
    for (code, bits) in [(0, 0), (1, 1), (2, 2), (3, 4)] as [(UInt8, Int)]
    where low >= 0 && high < 1 << bits {
      var payload = [UInt8](repeating: 0, count: (values.count * bits + 7) / 8)
      for (index, value) in values.enumerated() where bits > 0 {
        payload[index * bits / 8] |= UInt8(value) << UInt8(index * bits % 8)
      }
      return node(flags: flags, code: code, kind: 0, count: values.count, payload)
    }
    for (code, bits) in [(4, 8), (5, 16), (6, 32), (7, 64)] as [(UInt8, Int)] {
      let limit = bits == 64 ? Int64.max : Int64(1) << (isUnsigned ? bits : bits - 1) - 1
      guard bits == 64 || high <= limit && low >= (isUnsigned ? 0 : -limit - 1) else { continue }
      let payload = values.flatMap { value in
        (0..<bits / 8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
      }
      return node(flags: flags, code: code, kind: 0, count: values.count, payload)
    }
    return 0
  }

  /// References and tagged numbers.
  package mutating func refs(_ values: [Int64], flags: UInt8 = 0) -> Int64 {
    integers(values, flags: flags | Self.hasRefs)
  }

  /// A null stands first as the number that no value is.
  package mutating func optionalIntegers(_ values: [Int64?]) -> Int64 {
    var null: Int64 = 0
    while values.contains(null) { null += 1 }
    return integers([null] + values.map { $0 ?? null })
  }

  package mutating func blob(_ content: [UInt8]) -> Int64 {
    node(flags: 0, code: 4, kind: 2, count: content.count, content)
  }

  /// A blob in several nodes.
  package mutating func pieces(_ content: [UInt8], of size: Int) -> Int64 {
    let parts = stride(from: 0, to: content.count, by: size).map {
      Array(content[$0..<min(content.count, $0 + size)])
    }
    return refs(parts.map { blob($0) }, flags: Self.context)
  }

  // MARK: - Texts and blobs

  /// Texts in the form that Realm chooses by the longest of them.
  package mutating func texts(_ values: [[UInt8]?]) -> Int64 {
    let longest = values.compactMap { $0?.count }.max() ?? -1
    if longest > 63 { return separate(values.map { $0.map { $0 + [0] } }) }
    if longest > 15 { return joined(values, trailing: 1, isOld: false) }
    return short(values)
  }

  package mutating func short(_ values: [[UInt8]?]) -> Int64 {
    let longest = values.compactMap { $0?.count }.max() ?? -1
    guard longest >= 0 else {
      return node(flags: 0, code: 0, kind: 1, count: values.count, [])
    }
    var (width, code) = (1, UInt8(1))
    while width < longest + 1 || values.contains(where: { $0 == nil }) && width < 2 {
      width *= 2
      code += 1
    }
    let payload = values.flatMap { value -> [UInt8] in
      guard let value else {
        return [UInt8](repeating: 0, count: width - 1) + [UInt8(width)]
      }
      let padding = width - 1 - value.count
      return value + [UInt8](repeating: 0, count: padding) + [UInt8(padding)]
    }
    return node(flags: 0, code: code, kind: 1, count: values.count, payload)
  }

  /// - Parameter isOld: whether 1 says that a text is there, and not that it is null.
  package mutating func joined(_ values: [[UInt8]?], trailing: Int, isOld: Bool) -> Int64 {
    var content: [UInt8] = []
    var ends: [Int64] = []
    for value in values {
      content += (value ?? []) + [UInt8](repeating: 0, count: trailing)
      ends.append(Int64(content.count))
    }
    let nulls = values.map { ($0 == nil) != isOld ? 1 : 0 as Int64 }
    return refs([integers(ends), blob(content), integers(nulls)])
  }

  package mutating func separate(_ values: [[UInt8]?]) -> Int64 {
    refs(values.map { $0.map { blob($0) } ?? 0 }, flags: Self.context)
  }

  package mutating func blobs(_ values: [[UInt8]?]) -> Int64 {
    (values.compactMap { $0?.count }.max() ?? 0) > 64
      ? separate(values) : joined(values, trailing: 0, isOld: false)
  }

  // MARK: - Other scalars

  private mutating func fixed(_ values: [[UInt8]], code: UInt8) -> Int64 {
    node(flags: 0, code: code, kind: 1, count: values.count, values.flatMap { $0 })
  }

  private static func little(_ value: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: value.littleEndian) { Array($0) }
  }

  package mutating func floats(_ bits: [UInt32]) -> Int64 { fixed(bits.map(Self.little), code: 3) }

  package mutating func doubles(_ bits: [UInt64]) -> Int64 { fixed(bits.map(Self.little), code: 4) }

  package mutating func decimals32(_ bits: [UInt32]) -> Int64 {
    fixed(bits.map(Self.little), code: 3)
  }

  package mutating func decimals64(_ bits: [UInt64]) -> Int64 {
    fixed(bits.map(Self.little), code: 4)
  }

  package mutating func decimals(_ values: [RealmDecimal]) -> Int64 {
    fixed(values.map { Self.little($0.low) + Self.little($0.high) }, code: 5)
  }

  package mutating func dates(_ values: [(Int64, Int64)?]) -> Int64 {
    refs([optionalIntegers(values.map { $0?.0 }), integers(values.map { $0?.1 ?? 0 })])
  }

  /// Object IDs or UUIDs, eight behind a byte that says which of them are null.
  package mutating func identifiers(_ values: [[UInt8]?], size: Int) -> Int64 {
    var payload: [UInt8] = []
    for start in stride(from: 0, to: values.count, by: 8) {
      let group = values[start..<min(values.count, start + 8)]
      payload.append(
        group.enumerated().reduce(0) { $0 | ($1.element == nil ? 1 << UInt8($1.offset) : 0) })
      for value in group { payload += value ?? [UInt8](repeating: 0, count: size) }
    }
    return node(flags: 0, code: 1, kind: 1, count: payload.count, payload)
  }

  /// The inner node over leaves of a list.
  package mutating func tree(_ leaves: [Int64], elementsOfLeaf: Int, count: Int) -> Int64 {
    refs(
      [Self.tagged(UInt64(elementsOfLeaf))] + leaves + [Self.tagged(UInt64(count))],
      flags: Self.inner)
  }

  // MARK: - The file

  /// The bytes of a file whose first slot is in use.
  package func file(top: Int64, format: UInt8) -> [UInt8] {
    var result = bytes
    result.replaceSubrange(0..<8, with: Self.little(top))
    result.replaceSubrange(16..<24, with: Array("T-DB".utf8) + [format, format, 0, 0])
    return result
  }

  /// The same as Realm writes compacted copies.
  package func compactedFile(top: Int64, format: UInt8) -> [UInt8] {
    var result = bytes
    result.replaceSubrange(0..<8, with: [UInt8](repeating: 0xFF, count: 8))
    result.replaceSubrange(16..<24, with: Array("T-DB".utf8) + [format, 0, 0, 0])
    return result + Self.little(top) + Self.little(0x3034_1252_37E5_26C8 as UInt64)
  }
}
