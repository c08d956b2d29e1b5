import Strata
import StrataSQLite
import StrataSchema

/// Writes the objects of a query piece by piece, as JSON lines or CSV. Links are identities; collections are counted in CSV and
/// whole in JSON, with the embedded objects.
struct SelectionExport {
  /// Bytes of a piece about.
  static let pieceSize = 1 << 16
  /// Embedded objects within embedded ones at most, as in an object's own JSON.
  private static let maximumDepth = 64

  private let content: BrowsedContent
  private let format: ExportFormat
  private let model: Model
  private let columns: [Property]
  private let objects: Results<Object>.Iterator
  private var piece: [UInt8] = []
  private var isAtEnd = false

  /// - Throws: What is wrong with the query.
  init(content: BrowsedContent, query: RowQuery, format: ExportFormat) throws {
    self.content = content
    self.format = format
    model = try content.model(query.model)
    columns = model.storedProperties
    objects = try content.rows(query).makeIterator()
    if format == .csv { piece = Self.line(["_row"] + columns.map(\.name)) }
  }

  /// The next piece; nil behind the last.
  mutating func next() throws -> [UInt8]? {
    while piece.count < Self.pieceSize, !isAtEnd {
      guard let object = objects.next() else {
        isAtEnd = true
        // What could not be read ended the objects: what was sent is not all then.
        try content.store.refresh()
        break
      }
      let identity = Object.identity(of: object)
      switch format {
      case .csv: piece += try csv(identity, model, columns)
      case .jsonLines: piece += try json(identity, model, columns)
      }
    }
    defer { piece = [] }
    return piece.isEmpty ? nil : piece
  }

  /// Of each property its value, of a collection the count of its elements; nothing for an object that is gone.
  private func values(
    _ identity: Int64, _ model: Model, _ columns: [Property]
  ) throws -> [Value] {
    let names = columns.map {
      $0.type.isCollection
        ? "(SELECT count(*) FROM \(SQL.identifier(LayoutNames.collection(model.name, $0.name))) WHERE _owner = ?1)"
        : SQL.identifier($0.name)
    }
    return try content.store.database.withStatement(
      "SELECT 1\(names.map { ", \($0)" }.joined()) FROM \(SQL.identifier(model.name)) WHERE _row = ?1"
    ) { statement in
      try statement.bind(identity, at: 1)
      guard try statement.step() else { return [] }
      return try columns.enumerated().map { index, property in
        guard case .value(let type) = property.type else {
          return .int(statement.integer(at: index + 1))
        }
        return try ColumnCodec(type, in: content.schema).read(statement, at: index + 1)
      }
    }
  }

  private func csv(_ identity: Int64, _ model: Model, _ columns: [Property]) throws -> [UInt8] {
    var cells = [String(identity)]
    for value in try values(identity, model, columns) {
      switch value {
      case .null: cells.append("")
      case .link(let row): cells.append(String(row))
      case .object(let model, let row): cells.append("\(model) \(row)")
      default: cells.append(PageCells.plainText(value))
      }
    }
    return Self.line(cells)
  }

  /// What a spreadsheet begins a formula with; full-width signs count as their narrow ones.
  private static let formulaStarts = "=+-@\t\r\n＝＋－＠".unicodeScalars

  /// A line of CSV (RFC 4180). A cell that a spreadsheet would run as a formula gets an apostrophe before it.
  static func line(_ cells: [String]) -> [UInt8] {
    let fields = cells.map { cell -> String in
      var text = cell
      if let first = text.unicodeScalars.first, Self.formulaStarts.contains(first),
        Double(text) == nil
      {
        text = "'" + text
      }
      guard text.utf8.contains(where: { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }) else {
        return text
      }
      // By bytes: a quote with an accent on it is a quote.
      let quoted = text.utf8.flatMap { $0 == UInt8(ascii: "\"") ? [$0, $0] : [$0] }
      return "\"" + String(decoding: quoted, as: UTF8.self) + "\""
    }
    return Array((fields.joined(separator: ",") + "\r\n").utf8)
  }

  private func json(_ identity: Int64, _ model: Model, _ columns: [Property]) throws -> [UInt8] {
    var members = try members(of: identity, model, columns, depth: 0)
    members["$id"] = .int(identity)
    members["$model"] = .string(model.name)
    return Array((JSON.object(members).canonicalText + "\n").utf8)
  }

  private func members(
    of identity: Int64, _ model: Model, _ columns: [Property], depth: Int
  ) throws -> [String: JSON] {
    var members: [String: JSON] = [:]
    for (property, value) in zip(columns, try values(identity, model, columns)) {
      members[property.name] =
        property.type.isCollection
        ? try elements(identity, model, property, depth: depth)
        : try json(value, property.type.valueType, depth: depth)
    }
    return members
  }

  /// Embedded objects stand inside of their owners, as `strata export` writes them.
  private func json(_ value: Value, _ type: ValueType?, depth: Int) throws -> JSON {
    switch value {
    case .link(let row):
      guard case .object(let target) = type?.base, let model = content.schema.model(named: target),
        model.isEmbedded
      else { return .object(["$id": .int(row)]) }
      guard depth < Self.maximumDepth else {
        throw BrowseError("\(target) \(row) stands too deep in embedded objects to be exported.")
      }
      return .object(
        try members(of: row, model, model.storedProperties, depth: depth + 1))
    case .object(let model, let row):
      return .object(["$model": .string(model), "$id": .int(row)])
    default:
      return JSONCoding.json(
        value, as: type.flatMap { content.schema.storedScalar(of: $0.base) } ?? .any)
    }
  }

  private func elements(
    _ identity: Int64, _ model: Model, _ property: Property, depth: Int
  ) throws -> JSON {
    guard let type = property.type.valueType else { return .null }
    let elements = try StoredCollection(
      property: property, model: model, schema: content.schema, in: "main"
    ).elements(of: identity, database: content.store.database)
    let values = try elements.map { ($0.key ?? "", try json($0.value, type, depth: depth)) }
    if case .map = property.type {
      return JSON(members: values.map { (key: $0.0, value: $0.1) })
    }
    return .array(values.map(\.1))
  }
}
