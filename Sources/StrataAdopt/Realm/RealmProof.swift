import StrataRealm
import StrataSchema

/// What the database of a Realm file has to hold, worked out from the file alone: a second reading, which shares nothing with
/// `RealmTransfer` but the reader, and spells each value by docs/layout.md itself.
package struct RealmProof {
  private let source: RealmSource
  private let proceed: () throws -> Void

  /// - Parameter proceed: called again and again; what it throws ends the reading.
  package init(_ source: RealmSource, proceed: @escaping () throws -> Void = {}) {
    self.source = source
    self.proceed = proceed
  }

  /// Reads all objects.
  package func sum() throws -> ContentSum {
    let owned = try OwnedObjects(source, proceed: proceed)
    source.file.beginReading()
    var sum = ContentSum()
    for (place, entry) in source.classes.enumerated() {
      try addObjects(of: entry, place, owned, &sum)
      for (column, property) in entry.collections {
        try addElements(of: entry, place, owned, column, property, &sum)
      }
    }
    return sum
  }

  private func addObjects(
    of entry: RealmSource.Class, _ number: Int, _ owned: OwnedObjects, _ sum: inout ContentSum
  ) throws {
    var part = StoredBytes()
    var identity = entry.firstRow
    try entry.table.forEachChunk { chunk in
      try proceed()
      for row in 0..<chunk.count {
        defer { identity += 1 }
        guard owned.contains(number, chunk.first + row) else { continue }
        part.begin(entry.model.name, identity)
        for (column, property) in entry.columns {
          if owned.isRefused(number, column: column, rank: chunk.first + row) {
            part.null()
          } else if try !add(try chunk.value(column, row), property, isElement: false, to: &part) {
            part.null()
          }
        }
        sum.add(part)
      }
    }
  }

  private func addElements(
    of entry: RealmSource.Class, _ number: Int, _ owned: OwnedObjects, _ column: Int,
    _ property: Property, _ sum: inout ContentSum
  ) throws {
    let place = "\(entry.model.name).\(property.name)"
    var part = StoredBytes()
    var identity = entry.firstRow
    try entry.table.forEachChunk { chunk in
      try proceed()
      for row in 0..<chunk.count {
        defer { identity += 1 }
        let rank = chunk.first + row
        guard owned.contains(number, rank) else { continue }
        var position: Int64 = 0
        var element = -1
        var seen: Set<[UInt8]> = []
        try chunk.forEachElement(column, row) { key, value in
          element += 1
          if owned.isRefused(number, column: column, rank: rank, element: element) { return }
          part.begin(place, identity)
          let start = part.bytes.count
          defer { position += 1 }
          guard try add(value, property, isElement: true, to: &part) else {
            position -= 1
            return
          }
          switch property.type {
          case .set: guard seen.insert(Self.setKey(part.tail(from: start))).inserted else { return }
          case .map:
            let key = key?.keyText ?? ""
            guard seen.insert(Array(key.utf8)).inserted else { return }
            part.text(key.utf8)
          default: part.integer(position)
          }
          sum.add(part)
        }
      }
    }
  }

  /// A whole number and a real number of the same value are one element of a set.
  private static func setKey(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.first == 2, bytes.count == 9 else { return bytes }
    let bits = bytes[1...].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    guard let whole = Int64(exactly: Double(bitPattern: bits)) else { return bytes }
    var key = StoredBytes()
    key.integer(whole)
    return key.bytes
  }

  // MARK: - Values

  /// Adds a value as it stands in the file; false where there is none, or where an element is left out.
  private func add(
    _ value: RealmValue, _ property: Property, isElement: Bool, to part: inout StoredBytes
  ) throws -> Bool {
    guard let type = property.type.valueType else { return false }
    let isAny = type.base == .scalar(.any)
    guard value.fits(type.base) else {
      if isElement { return false }
      if type.isOptional { part.null() } else { missing(type.base, to: &part) }
      return true
    }
    func big(_ bits: UInt64, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: bits >> (8 * (count - 1 - $0))) }
    }
    func real(_ value: Double, tag: UInt8 = 3) {
      if value.isNaN {
        if isAny {
          part.blob(tag: tag, big(value.bitPattern, 8))
        } else {
          part.blob(big(value.bitPattern, 8))
        }
      } else {
        part.real(value)
      }
    }
    func bytes(_ content: [UInt8], tag: UInt8) {
      if isAny { part.blob(tag: tag, content) } else { part.blob(content) }
    }
    switch value {
    case .null, .list, .dictionary:
      if type.isOptional || isAny {
        part.null()
      } else if case .object = type.base {
        return false
      } else {
        missing(type.base, to: &part)
      }
    case .bool(let value):
      if isAny { part.blob(tag: 1, [value ? 1 : 0]) } else { part.integer(value ? 1 : 0) }
    case .int(let value): part.integer(value)
    case .float(let bits):
      if isAny { part.blob(tag: 2, big(UInt64(bits), 4)) } else { real(Self.wide(bits)) }
    case .double(let bits): real(Double(bitPattern: bits))
    case .string(let text): part.text(text.utf8)
    case .damagedText(let bytes): part.text(String(decoding: bytes, as: UTF8.self).utf8)
    case .data(let content): bytes(content, tag: 4)
    case .date(let seconds, let nanoseconds):
      // 978,307,200 s lie between 1970 and 2001.
      let whole =
        seconds >= Int64.min + 978_307_200 ? Double(seconds - 978_307_200) : Double(seconds)
      let date = whole + Double(nanoseconds) / 1_000_000_000
      if isAny { part.blob(tag: 5, big(date.bitPattern, 8)) } else { part.real(date) }
    case .uuid(let value): bytes(value.bytes, tag: 6)
    case .decimal(let number):
      if let digits = DecimalValue(number.text)?.text {
        if isAny { part.blob(tag: 7, digits.utf8) } else { part.text(digits.utf8) }
      } else if isElement {
        return false
      } else if type.isOptional || isAny {
        part.null()
      } else {
        missing(type.base, to: &part)
      }
    case .objectID(let value): bytes(value.bytes, tag: 8)
    case .goneLink:
      if isElement { return false }
      part.null()
    case .link(let link):
      guard let place = source.placeOfTable[link.table],
        isAny || type.base == .object(source.classes[place].model.name),
        let rank = try source.classes[place].table.rank(of: link.key)
      else {
        if isElement { return false }
        part.null()
        return true
      }
      let identity = source.classes[place].firstRow + Int64(rank)
      if isAny {
        part.blob(
          tag: 9,
          big(UInt64(bitPattern: identity), 8) + Array(source.classes[place].model.name.utf8))
      } else {
        part.integer(identity)
      }
    }
    return true
  }

  /// A Float as a Double; a NaN keeps its bits, which the processor might change.
  private static func wide(_ bits: UInt32) -> Double {
    let value = Float(bitPattern: bits)
    guard value.isNaN else { return Double(value) }
    let wide = UInt64(bits & 0x8000_0000) << 32 | 0x7FF0_0000_0000_0000
    return Double(bitPattern: wide | UInt64(bits & 0x7F_FFFF) << 29)
  }

  /// What stands for a required value that the file does not have.
  private func missing(_ base: BaseType, to part: inout StoredBytes) {
    switch base.scalar {
    case .float, .double, .date: part.real(0)
    case .string: part.text([])
    case .decimal: part.text("NaN".utf8)
    case .data: part.blob([])
    case .uuid: part.blob([UInt8](repeating: 0, count: 16))
    case .objectID: part.blob([UInt8](repeating: 0, count: 12))
    default: part.integer(0)
    }
  }
}
