package import StrataSQLite
package import StrataSchema

/// How the values of one type stand in a column: the table of docs/layout.md, bit for bit in both directions.
package struct ColumnCodec: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case bool
    case integer(ScalarType)
    case float
    case double
    case decimal
    case string
    case data
    case date
    case uuid
    case objectID
    case any
    /// The identity of an object. A required link that is not set yet is 0, which no object has: the
    /// deferred foreign key refuses it at commit.
    case link
  }

  package let kind: Kind
  package let isOptional: Bool

  /// The codec of a column by itself.
  package init(_ kind: Kind, isOptional: Bool) {
    self.kind = kind
    self.isOptional = isOptional
  }

  /// The codec of a property's value, or of its collection's elements.
  package init(_ type: ValueType, in schema: Schema) {
    let kind = Kind(schema.storedType(of: type.base))
    self.init(kind, isOptional: type.isOptional || kind == .any)
  }

  /// The declared type of the column.
  package var columnType: ColumnDefinition.ColumnType {
    switch kind {
    case .bool, .integer, .link: .integer
    // A REAL column would turn −0.0 into 0.0 and a NaN into NULL.
    case .float, .double, .date, .any: .any
    case .decimal, .string: .text
    case .data, .uuid, .objectID: .blob
    }
  }
}

extension ColumnCodec.Kind {
  package init(_ type: StoredType) {
    switch type {
    case .object: self = .link
    case .scalar(.bool): self = .bool
    case .scalar(.float): self = .float
    case .scalar(.double): self = .double
    case .scalar(.string): self = .string
    case .scalar(.data): self = .data
    case .scalar(.date): self = .date
    case .scalar(.uuid): self = .uuid
    case .scalar(.decimal): self = .decimal
    case .scalar(.objectID): self = .objectID
    case .scalar(.any): self = .any
    case .scalar(let whole): self = .integer(whole)
    }
  }

  /// The type whose values stand like this.
  package var storedType: StoredType {
    switch self {
    case .bool: .scalar(.bool)
    case .integer(let type): .scalar(type)
    case .float: .scalar(.float)
    case .double: .scalar(.double)
    case .decimal: .scalar(.decimal)
    case .string: .scalar(.string)
    case .data: .scalar(.data)
    case .date: .scalar(.date)
    case .uuid: .scalar(.uuid)
    case .objectID: .scalar(.objectID)
    case .any: .scalar(.any)
    case .link: .object
    }
  }

  /// The kind in which values of both can stand: their own, or one that says of each value what it is.
  package func joined(with other: ColumnCodec.Kind) -> ColumnCodec.Kind {
    if self == other { return self }
    if case .integer = self, case .integer = other { return .integer(.int) }
    return .any
  }
}

/// A cell that does not hold what its column is declared for, or a value that is not of the column's type.
package struct ColumnError: Error, Hashable, Sendable, CustomStringConvertible {
  package let expected: String
  package let found: String

  package init(expected: String, found: String) {
    self.expected = expected
    self.found = found
  }

  package var description: String { "\(expected) is expected, found \(found)" }
}

extension ColumnCodec.Kind {
  /// As the language spells the type.
  fileprivate var word: String {
    switch self {
    case .integer(let type): type.rawValue
    case .objectID: "objectId"
    default: "\(self)"
    }
  }
}

extension Value {
  /// The type of a scalar; `any` for what is none.
  package var scalarType: ScalarType {
    switch self {
    case .bool: .bool
    case .int: .int
    case .float: .float
    case .double: .double
    case .string: .string
    case .data: .data
    case .date: .date
    case .uuid: .uuid
    case .decimal: .decimal
    case .objectID: .objectID
    case .null, .link, .object: .any
    }
  }
}

// MARK: - Writing

extension ColumnCodec {
  /// Puts a value into a cell. A null in a required column is SQLite's to refuse, except that of a link.
  package func encode<Cell: CellWriter>(_ value: Value, into cell: inout Cell) throws {
    switch (kind, value) {
    case (.link, .null) where !isOptional: try cell.write(0 as Int64)
    case (_, .null): try cell.writeNull()
    case (.bool, .bool(let value)): try cell.write(value ? 1 : 0 as Int64)
    case (.integer(let type), .int(let value)):
      guard type.takes(value) else {
        throw ColumnError(expected: "a value of \(type.rawValue)", found: "\(value)")
      }
      try cell.write(value)
    case (.float, .float(let value)): try FloatingCoding.write(value, into: &cell)
    case (.double, .double(let value)), (.date, .date(let value)):
      try FloatingCoding.write(value, into: &cell)
    case (.decimal, .decimal(let value)): try cell.write(value.text)
    case (.string, .string(let value)): try cell.write(value)
    case (.data, .data(let value)): try cell.write(value)
    case (.uuid, .uuid(let value)): try cell.write(value.bytes)
    case (.objectID, .objectID(let value)): try cell.write(value.bytes)
    case (.link, .link(let identity)): try cell.write(identity)
    case (.any, _): try AnyCoding.write(value, into: &cell)
    default: throw ColumnError(expected: kind.word, found: "\(value)")
    }
  }

  /// Whether a value is one of the column's, as ``encode(_:into:)`` writes it; nothing is one but where a link has to be.
  func takes(_ value: Value) -> Bool {
    switch (kind, value) {
    case (.link, .null): isOptional
    case (_, .null), (.any, _), (.bool, .bool), (.float, .float), (.double, .double),
      (.date, .date), (.decimal, .decimal), (.string, .string), (.data, .data), (.uuid, .uuid),
      (.objectID, .objectID), (.link, .link):
      true
    case (.integer(let type), .int(let number)): type.takes(number)
    default: false
    }
  }

  /// Whether an object can be one of its values.
  var takesLinks: Bool { kind == .link || kind == .any }

  package func bind(_ value: Value, to statement: Statement, at parameter: Int) throws {
    var cell = statement.parameter(at: parameter)
    try encode(value, into: &cell)
  }

  /// The same of a text or blob that the arena keeps until the statement has run.
  package func bind(
    _ value: Value, to statement: Statement, at parameter: Int, in arena: ParameterArena
  ) throws {
    var cell = statement.parameter(at: parameter, in: arena)
    try encode(value, into: &cell)
  }

  package func sqliteValue(of value: Value) throws -> SQLiteValue {
    var cell = SQLiteValue.null
    try encode(value, into: &cell)
    return cell
  }
}

// MARK: - Reading

extension ColumnCodec {
  /// Reads a cell. Whole numbers count as doubles, as the `sqlite3` shell may write them; nothing else is
  /// converted.
  package func decode(_ cell: some CellReader) throws(ColumnError) -> Value {
    let storageClass = cell.storageClass
    if storageClass == .null { return .null }
    switch (kind, storageClass) {
    case (.bool, .integer): return .bool(cell.integer != 0)
    case (.integer(let type), .integer):
      let value = cell.integer
      guard type.takes(value) else {
        throw ColumnError(expected: "a value of \(type.rawValue)", found: "\(value)")
      }
      return .int(value)
    case (.float, _):
      guard let value = FloatingCoding.float(cell) else {
        guard storageClass == .real else { break }
        throw ColumnError(expected: "a value of float", found: "\(cell.double)")
      }
      return .float(value)
    case (.double, _):
      guard let value = FloatingCoding.double(cell) else { break }
      return .double(value)
    case (.date, _):
      guard let value = FloatingCoding.double(cell) else { break }
      return .date(value)
    case (.decimal, .text):
      let text = cell.withText { String(decoding: $0, as: UTF8.self) }
      guard let value = DecimalValue(text) else {
        throw ColumnError(expected: "a decimal number", found: "'\(text)'")
      }
      return .decimal(value)
    case (.string, .text):
      // A repaired text would be another one.
      guard let text = cell.withText({ String(validUTF8: $0) }) else {
        throw ColumnError(expected: "a text in UTF-8", found: "other bytes")
      }
      return .string(text)
    case (.data, .blob): return .data(cell.withBlob { Array($0) })
    case (.uuid, .blob):
      guard let value = cell.withBlob({ UUIDValue(bytes: $0) }) else { break }
      return .uuid(value)
    case (.objectID, .blob):
      guard let value = cell.withBlob({ ObjectIDValue(bytes: $0) }) else { break }
      return .objectID(value)
    case (.link, .integer): return cell.integer == 0 ? .null : .link(cell.integer)
    case (.any, _): return try AnyCoding.read(cell)
    default: break
    }
    throw ColumnError(expected: kind.word, found: "\(storageClass)")
  }

  package func read(_ statement: Statement, at column: Int) throws(ColumnError) -> Value {
    try decode(statement.cell(at: column))
  }
}
