import Strata
import StrataSQLite
import StrataSchema

/// Reads cells of objects for a page: of a long text its beginning, of data its length, of a collection how many it has. Memory
/// does not depend on how large a value is.
struct PageCells {
  /// Characters of a text that a table shows.
  static let shownCharacters = 160
  /// Elements of a collection, or objects behind an inverse, are counted up to this number.
  static let maximumCount = 1000
  /// Bytes of a value of type `any` that are read to be shown.
  static let shownBytes = 4096

  let database: Database
  let schema: Schema

  /// The cells of some properties of one object, in their order; nil where the object is gone.
  func cells(of row: Int64, _ model: Model, _ properties: [Property]) throws -> [JSON]? {
    let columns = properties.map { select($0, of: model) }
    let sql =
      "SELECT 1\(columns.flatMap { $0 }.map { ", \($0)" }.joined()) "
      + "FROM \(SQL.identifier(model.name)) WHERE _row = ?1"
    return try database.withStatement(sql) { statement -> [JSON]? in
      try statement.bind(row, at: 1)
      guard try statement.step() else { return nil }
      var column = 1
      var cells: [JSON] = []
      for (property, selected) in zip(properties, columns) {
        cells.append(try cell(property, statement, at: column))
        column += selected.count
      }
      return cells
    }
  }

  /// The columns that a property's cell is made of.
  private func select(_ property: Property, of model: Model) -> [String] {
    let name = SQL.identifier(property.name)
    switch property.type {
    case .inverse(let other, let link):
      guard let holder = schema.model(named: other),
        let declared = holder.property(named: link)
      else { return ["0"] }
      return [Self.count(Self.holders(holder, declared))]
    case .list, .set, .map:
      let table = SQL.identifier(LayoutNames.collection(model.name, property.name))
      return [Self.count("SELECT 1 FROM \(table) WHERE _owner = ?1")]
    case .value(let type):
      switch ColumnCodec(type, in: schema).kind {
      case .string:
        return [PageText.start(of: name, Self.shownCharacters + 1), PageText.length(of: name)]
      // SQLite's `substr` of data without bytes is NULL.
      case .data: return [PageText.start(of: name, 16), PageText.length(of: name)]
      case .any:
        return [PageText.start(of: name, Self.shownBytes), PageText.length(of: name), name]
      default: return [name]
      }
    }
  }

  /// Selects something of each object whose link leads to `?1`.
  static func holders(_ holder: Model, _ link: Property) -> String {
    link.type.isCollection
      ? "SELECT 1 FROM \(SQL.identifier(LayoutNames.collection(holder.name, link.name))) WHERE value = ?1"
      : "SELECT 1 FROM \(SQL.identifier(holder.name)) WHERE \(SQL.identifier(link.name)) = ?1"
  }

  static func count(_ select: String) -> String {
    "(SELECT count(*) FROM (\(select) LIMIT \(maximumCount + 1)))"
  }

  static func counted(_ count: Int64) -> JSON {
    count > maximumCount
      ? .object(["n": .int(Int64(maximumCount)), "more": .bool(true)]) : .object(["n": .int(count)])
  }

  private func cell(_ property: Property, _ statement: Statement, at column: Int) throws -> JSON {
    guard case .value(let type) = property.type else {
      return Self.counted(statement.integer(at: column))
    }
    if statement.storageClass(at: column) == .null { return .null }
    switch ColumnCodec(type, in: schema).kind {
    case .string:
      return text(
        statement.string(at: column), length: Int(statement.integer(at: column + 1)), type)
    case .data:
      var start: [UInt8] = []
      if case .data(let bytes) = try ColumnCodec(.data, isOptional: true).read(
        statement, at: column)
      {
        start = bytes
      }
      return .object([
        "bytes": .int(statement.integer(at: column + 1)),
        "image": ImageKind(start).map { .string($0.rawValue) } ?? .null,
      ])
    case .any: return try anyCell(statement, at: column)
    case let kind:
      let value = try ColumnCodec(kind, isOptional: true).read(statement, at: column)
      return try cell(value, type)
    }
  }

  private func anyCell(_ statement: Statement, at column: Int) throws -> JSON {
    // The beginning of a number is a text, too.
    if statement.storageClass(at: column + 2) == .text {
      let length = Int(statement.integer(at: column + 1))
      return text(
        String(statement.string(at: column).prefix(Self.shownCharacters + 1)),
        length: length, ValueType(.scalar(.any)))
    }
    guard statement.integer(at: column + 1) <= Self.shownBytes else {
      return .object(["bytes": .int(statement.integer(at: column + 1)), "image": .null])
    }
    let value = try ColumnCodec(.any, isOptional: true).read(statement, at: column + 2)
    return try cell(value, ValueType(.scalar(.any)))
  }

  private func text(_ text: String, length: Int, _ type: ValueType) -> JSON {
    var members: [String: JSON] = [
      "v": .string(String(text.unicodeScalars.prefix(Self.shownCharacters)))
    ]
    if length > Self.shownCharacters { members["length"] = .int(Int64(length)) }
    if type.base == .scalar(.any) { members[Self.kind] = .string(ScalarType.string.rawValue) }
    if case .enumeration(let name) = type.base,
      let item = schema.enumeration(named: name)?.cases.first(where: {
        $0.rawValue == .string(text)
      }
      )
    {
      members["case"] = .string(item.name)
    }
    return .object(members)
  }

  /// The type of a value in a property of the type `any`: an edit sends it back, so that a text stays one.
  static let kind = "is"

  /// A value that is at hand.
  func cell(_ value: Value, _ type: ValueType) throws -> JSON {
    switch value {
    case .null: return .null
    case .link(let row):
      guard case .object(let target) = type.base else { return .null }
      return try link(target, row)
    case .object(let model, let row): return try link(model, row)
    case .string(let text): return self.text(text, length: text.unicodeScalars.count, type)
    case .data(let bytes):
      return .object([
        "bytes": .int(Int64(bytes.count)),
        "image": ImageKind(bytes).map { .string($0.rawValue) } ?? .null,
      ])
    default:
      var members: [String: JSON] = ["v": .string(Self.plainText(value))]
      if type.base == .scalar(.any) { members[Self.kind] = .string(value.scalarType.rawValue) }
      if case .enumeration(let name) = type.base,
        let item = schema.enumeration(named: name)?.cases.first(where: { $0.rawValue == value })
      {
        members["case"] = .string(item.name)
      }
      return .object(members)
    }
  }

  /// A scalar as people type it.
  static func plainText(_ value: Value) -> String {
    switch JSONCoding.json(value, as: value.scalarType) {
    case .string(let text): text
    case let json: json.canonicalText
    }
  }

  /// A link with what its object is called.
  func link(_ model: String, _ row: Int64) throws -> JSON {
    guard let target = schema.model(named: model), !target.isAbstract else { return .null }
    var members: [String: JSON] = [
      "link": .string(model), "id": .string(String(row)), "embedded": .bool(target.isEmbedded),
    ]
    if let label = target.labelProperty {
      let text = try database.firstValue(
        "SELECT \(PageText.start(of: SQL.identifier(label.name), 60)) FROM \(SQL.identifier(model)) WHERE _row = ?",
        .integer(row))
      switch text {
      case .text(let text)?: members["v"] = .string(text)
      case .integer(let number)?: members["v"] = .string(String(number))
      default: break
      }
    }
    return .object(members)
  }
}

extension Model {
  private static let usualLabels = ["name", "title", "fullName", "displayName", "label", "subject"]

  /// The property that tells objects apart for people: a usual name, the key, or the first text.
  var labelProperty: Property? {
    func isShort(_ property: Property) -> Bool {
      guard case .value(let type) = property.type, property.isStored else { return false }
      return type.base == .scalar(.string) || type.base.scalar?.isInteger == true
    }
    let texts = properties.filter {
      isShort($0) && $0.type.valueType?.base == .scalar(.string)
    }
    return Self.usualLabels.lazy.compactMap { name in texts.first { $0.name == name } }.first
      ?? primaryKey.first.flatMap(property(named:)).flatMap { isShort($0) ? $0 : nil }
      ?? texts.first
  }
}

/// Images that a page shows, by their first bytes. SVG is none of them: it is a document that may hold scripts.
package enum ImageKind: String, CaseIterable, Sendable {
  case png
  case jpeg
  case gif
  case webp

  package init?(_ bytes: some Collection<UInt8>) {
    if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      self = .png
    } else if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
      self = .jpeg
    } else if bytes.starts(with: "GIF87a".utf8) || bytes.starts(with: "GIF89a".utf8) {
      self = .gif
    } else if bytes.starts(with: "RIFF".utf8), bytes.dropFirst(8).starts(with: "WEBP".utf8) {
      self = .webp
    } else {
      return nil
    }
  }

  var type: String { "image/\(rawValue)" }
}
