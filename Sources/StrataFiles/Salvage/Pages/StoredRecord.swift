import StrataSQLite

/// A row's values as they stand in a cell, <https://www.sqlite.org/fileformat2.html#record_format>.
struct StoredRecord {
  /// The storage classes that a column may hold, or holds.
  struct Classes: OptionSet {
    let rawValue: UInt8

    static let null = Classes(rawValue: 1)
    static let integer = Classes(rawValue: 2)
    static let real = Classes(rawValue: 4)
    static let text = Classes(rawValue: 8)
    static let blob = Classes(rawValue: 16)
    static let all: Classes = [.null, .integer, .real, .text, .blob]
  }

  struct Field {
    let type: Int64
    /// Where it stands in the payload.
    let place: Range<Int>

    var classes: Classes {
      switch type {
      case 0: .null
      case 1...6, 8, 9: .integer
      case 7: .real
      default: type % 2 == 0 ? .blob : .text
      }
    }
  }

  let fields: [Field]

  /// Nil where the values do not take exactly what the payload has.
  ///
  /// - Parameters:
  ///   - bytes: hold the payload's first part, with the types of all values.
  ///   - part: where that stands.
  ///   - size: of the whole payload.
  init?(_ bytes: [UInt8], _ part: Range<Int>, payloadSize size: Int) {
    var next = part.lowerBound
    guard let headerSize = BTreePage.varint(bytes, &next, before: part.upperBound),
      headerSize > 0, headerSize <= part.count
    else { return nil }
    let end = part.lowerBound + Int(headerSize)
    var fields: [Field] = []
    var place = Int(headerSize)
    while next < end {
      guard let type = BTreePage.varint(bytes, &next, before: end),
        let length = Self.length(of: type), length <= size - place
      else { return nil }
      fields.append(Field(type: type, place: place..<place + length))
      place += length
    }
    guard next == end, place == size, !fields.isEmpty else { return nil }
    self.fields = fields
  }

  private static func length(of type: Int64) -> Int? {
    switch type {
    case 0, 8, 9: 0
    case 1...4: Int(type)
    case 5: 6
    case 6, 7: 8
    case 12...Int64(Int32.max): Int(type - 12) / 2
    default: nil
    }
  }

  /// A value that is a number; nil for any other.
  static func number(_ field: Field, _ bytes: [UInt8], _ start: Int) -> SQLiteValue? {
    switch field.type {
    case 8: return .integer(0)
    case 9: return .integer(1)
    case 1...7:
      let place = start + field.place.lowerBound..<start + field.place.upperBound
      guard place.upperBound <= bytes.count, let first = bytes[place].first else { return nil }
      if field.type == 7 {
        return .real(Double(bitPattern: bytes[place].reduce(0) { $0 << 8 | UInt64($1) }))
      }
      let sign: Int64 = first & 0x80 == 0 ? 0 : -1
      return .integer(bytes[place].reduce(sign) { $0 << 8 | Int64($1) })
    default: return nil
    }
  }

  /// Binds a value to a parameter as it stands, also a text that is no UTF-8.
  func bind(_ field: Field, of payload: [UInt8], to statement: Statement, at parameter: Int) throws
  {
    if let number = Self.number(field, payload, 0) {
      return try statement.bind(number, at: parameter)
    }
    guard field.classes != .null else { return try statement.bindNull(at: parameter) }
    try payload[field.place].withUnsafeBufferPointer {
      try field.classes == .text
        ? statement.bind(text: $0, at: parameter)
        : statement.bind(blob: UnsafeRawBufferPointer($0), at: parameter)
    }
  }
}
