/// Writes a keyed archive as a binary property list, for models that a store keeps of itself.
package struct ArchiveWriter {
  package indirect enum Value {
    case bool(Bool)
    case int(Int)
    case real(Double)
    /// Seconds since 2001.
    case date(Double)
    case data([UInt8])
    case string(String)
    case uid(Int)
    case array([Value])
    case dictionary([(String, Value)])
  }

  /// The archive's objects; the first is its null.
  package private(set) var objects: [Value] = [.string("$null")]

  package init() {}

  package mutating func add(_ value: Value) -> Int {
    objects.append(value)
    return objects.count - 1
  }

  package mutating func set(_ place: Int, _ value: Value) { objects[place] = value }

  package func bytes(root: Int) -> [UInt8] {
    PropertyListBytes.write(
      .dictionary([
        ("$version", .int(100_000)), ("$archiver", .string("NSKeyedArchiver")),
        ("$top", .dictionary([("root", .uid(root))])), ("$objects", .array(objects)),
      ]))
  }
}

/// The form `bplist00`, with offsets of four bytes and references of two.
package enum PropertyListBytes {
  package static func write(_ value: ArchiveWriter.Value) -> [UInt8] {
    var objects: [[UInt8]] = []
    let root = add(value, &objects)
    var bytes = Array("bplist00".utf8)
    var offsets: [Int] = []
    for object in objects {
      offsets.append(bytes.count)
      bytes += object
    }
    let table = bytes.count
    for offset in offsets { bytes += big(offset, 4) }
    bytes += [0, 0, 0, 0, 0, 0, 4, 2]
    for number in [objects.count, root, table] { bytes += big(number, 8) }
    return bytes
  }

  private static func big(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) }
  }

  private static func big(_ number: Double) -> [UInt8] {
    withUnsafeBytes(of: number.bitPattern.bigEndian) { Array($0) }
  }

  private static func head(_ kind: UInt8, _ count: Int) -> [UInt8] {
    count < 15 ? [kind << 4 | UInt8(count)] : [kind << 4 | 15, 0x12] + big(count, 4)
  }

  private static func add(_ value: ArchiveWriter.Value, _ objects: inout [[UInt8]]) -> Int {
    let place = objects.count
    objects.append([])
    switch value {
    case .bool(let flag): objects[place] = [flag ? 9 : 8]
    case .int(let number): objects[place] = [0x13] + big(number, 8)
    case .real(let number): objects[place] = [0x23] + big(number)
    case .date(let seconds): objects[place] = [0x33] + big(seconds)
    case .data(let bytes): objects[place] = head(4, bytes.count) + bytes
    case .string(let text):
      let units = Array(text.utf16)
      objects[place] =
        text.utf8.count == units.count
        ? head(5, units.count) + Array(text.utf8)
        : head(6, units.count) + units.flatMap { big(Int($0), 2) }
    case .uid(let number): objects[place] = [0x81] + big(number, 2)
    case .array(let all):
      let references = all.map { add($0, &objects) }
      objects[place] = head(0xA, all.count) + references.flatMap { big($0, 2) }
    case .dictionary(let pairs):
      let keys = pairs.map { add(.string($0.0), &objects) }
      let values = pairs.map { add($0.1, &objects) }
      objects[place] = head(0xD, pairs.count) + (keys + values).flatMap { big($0, 2) }
    }
    return place
  }
}
