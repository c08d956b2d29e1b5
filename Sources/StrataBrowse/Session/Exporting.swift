import Strata
import StrataSQLite
import StrataSchema

/// Writes the objects of a query piece by piece, as JSON lines or CSV. Links are identities; collections are counted in CSV and
/// whole in JSON.
struct SelectionExport {
  private static let pieceSize = 1 << 16

  let content: BrowsedContent
  let query: RowQuery
  let format: ExportFormat

  func write(to output: (ArraySlice<UInt8>) throws -> Void) throws {
    let model = try content.model(query.model)
    let columns = model.storedProperties
    var piece: [UInt8] = []
    if format == .csv {
      piece += Self.line(["_row"] + columns.map(\.name))
    }
    for object in try content.rows(query) {
      let identity = Object.identity(of: object)
      switch format {
      case .csv: piece += try csv(identity, model, columns)
      case .jsonLines: piece += try json(identity, model, columns)
      }
      if piece.count >= Self.pieceSize {
        try output(piece[...])
        piece.removeAll(keepingCapacity: true)
      }
    }
    if !piece.isEmpty { try output(piece[...]) }
  }

  private func values(
    _ identity: Int64, _ model: Model, _ columns: [Property], _ body: (Int, Value) throws -> Void
  ) throws {
    let names = columns.map {
      $0.type.isCollection
        ? "(SELECT count(*) FROM \(SQL.identifier(LayoutNames.collection(model.name, $0.name))) WHERE _owner = ?1)"
        : SQL.identifier($0.name)
    }
    try content.store.database.withStatement(
      "SELECT 1\(names.map { ", \($0)" }.joined()) FROM \(SQL.identifier(model.name)) WHERE _row = ?1"
    ) { statement in
      try statement.bind(identity, at: 1)
      guard try statement.step() else { return }
      for (index, property) in columns.enumerated() {
        guard case .value(let type) = property.type else {
          try body(index, .int(statement.integer(at: index + 1)))
          continue
        }
        try body(index, try ColumnCodec(type, in: content.schema).read(statement, at: index + 1))
      }
    }
  }

  private func csv(_ identity: Int64, _ model: Model, _ columns: [Property]) throws -> [UInt8] {
    var cells = [String(identity)]
    try values(identity, model, columns) { _, value in
      switch value {
      case .null: cells.append("")
      case .link(let row): cells.append(String(row))
      case .object(let model, let row): cells.append("\(model) \(row)")
      default: cells.append(PageCells.plainText(value))
      }
    }
    return Self.line(cells)
  }

  /// A line of CSV (RFC 4180). A cell that a spreadsheet would run as a formula gets an apostrophe before it.
  static func line(_ cells: [String]) -> [UInt8] {
    let fields = cells.map { cell -> String in
      var text = cell
      if let first = text.utf8.first, "=+-@\t\r".utf8.contains(first), Double(text) == nil {
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
    var members: [String: JSON] = ["$id": .int(identity), "$model": .string(model.name)]
    try values(identity, model, columns) { index, value in
      let property = columns[index]
      members[property.name] =
        property.type.isCollection
        ? try elements(identity, model, property) : json(value, property.type.valueType)
    }
    return Array((JSON.object(members).canonicalText + "\n").utf8)
  }

  private func json(_ value: Value, _ type: ValueType?) -> JSON {
    switch value {
    case .link(let row): .object(["$id": .int(row)])
    case .object(let model, let row): .object(["$model": .string(model), "$id": .int(row)])
    default:
      JSONCoding.json(
        value, as: type.flatMap { content.schema.storedScalar(of: $0.base) } ?? .any)
    }
  }

  private func elements(
    _ identity: Int64, _ model: Model, _ property: Property
  ) throws -> JSON {
    let table = SQL.identifier(LayoutNames.collection(model.name, property.name))
    guard let type = property.type.valueType else { return .null }
    let codec = ColumnCodec(type, in: content.schema)
    var isMap = false
    var isSet = false
    if case .map = property.type { isMap = true }
    if case .set = property.type { isSet = true }
    var elements: [JSON] = []
    var entries: [(key: String, value: JSON)] = []
    try content.store.database.withStatement(
      "SELECT value\(isMap ? ", _index" : "") FROM \(table) WHERE _owner = ? ORDER BY \(isSet ? "value" : "_index")"
    ) { statement in
      try statement.bind(identity, at: 1)
      while try statement.step() {
        let json = json(try codec.read(statement, at: 0), type)
        if isMap { entries.append((statement.string(at: 1), json)) } else { elements.append(json) }
      }
    }
    return isMap ? JSON(members: entries) : .array(elements)
  }
}
