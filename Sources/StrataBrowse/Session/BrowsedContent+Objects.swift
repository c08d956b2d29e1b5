import Strata
import StrataSQLite
import StrataSchema

extension BrowsedContent {
  /// Elements of a collection in one answer at most.
  static let maximumElements = 500
  /// Characters of a text, and bytes of data, that a page gets whole.
  static let maximumValue = 8 << 20

  /// One object with all of its properties and what links to it.
  func describe(_ name: String, _ identity: Int64) throws -> JSON {
    let model = try model(name)
    let columns = columns(of: model)
    guard let cells = try cells.cells(of: identity, model, columns) else {
      throw BrowseError("There is no \(name) \(identity) any more.")
    }
    let marks = try ValueMark(content: self).marks(of: columns, of: model, identity)
    let fields = zip(columns, cells).map { property, cell in
      JSON.object([
        "property": Self.describe(property, in: schema), "cell": cell,
        "mark": marks[property.name].map(JSON.string) ?? .null,
      ])
    }
    return .object([
      "model": .string(name), "id": .string(String(identity)),
      "embedded": .bool(model.isEmbedded), "fields": .array(fields),
      "links": .array(try holders(of: model, identity)),
    ])
  }

  /// The links of any model that lead to an object.
  private func holders(of model: Model, _ identity: Int64) throws -> [JSON] {
    var links: [JSON] = []
    for holder in schema.storedModels {
      for property in holder.storedProperties
      where property.type.linkedModel == model.name {
        let count =
          try store.database.firstValue(
            "SELECT \(PageCells.count(PageCells.holders(holder, property)))", .integer(identity))?
          .ifInteger ?? 0
        guard count > 0 else { continue }
        links.append(
          .object([
            "model": .string(holder.name), "property": .string(property.name),
            "count": PageCells.counted(count),
          ]))
      }
    }
    return links
  }

  /// Some elements of a collection, in its order.
  func elements(
    _ name: String, _ identity: Int64, _ propertyName: String, from start: Int, count: Int,
    isWhole: Bool
  ) throws -> JSON {
    let model = try model(name)
    guard let property = model.property(named: propertyName), let type = property.type.valueType,
      property.type.isCollection
    else { throw BrowseError("\(name).\(propertyName) is no collection.") }
    let table = SQL.identifier(LayoutNames.collection(name, propertyName))
    let codec = ColumnCodec(type, in: schema)
    let total =
      try store.database.firstValue(
        "SELECT count(*) FROM \(table) WHERE _owner = ?", .integer(identity))?.ifInteger ?? 0
    let (selected, order) = ValueMark.selected(property)
    let sql = "SELECT \(selected) FROM \(table) WHERE _owner = ? ORDER BY \(order) LIMIT ? OFFSET ?"
    var values: [(value: Value, key: String?, mark: JSON)] = []
    try store.database.withStatement(sql) { statement in
      try statement.bind([
        .integer(identity), .integer(Int64(max(0, min(count, Self.maximumElements)))),
        .integer(Int64(max(0, start))),
      ])
      while try statement.step() {
        var key: String?
        if case .map = property.type { key = statement.string(at: 1) }
        let mark = JSON.string(ValueMark.mark(statement, property))
        values.append((try codec.read(statement, at: 0), key, mark))
      }
    }
    return .object([
      "total": .int(total), "from": .int(Int64(start)),
      "property": Self.describe(property, in: schema),
      "elements": .array(
        try values.map { entry in
          .object([
            "cell": isWhole && !entry.value.isNull && type.base.scalar != nil
              ? Self.wholeCell(entry.value, type)
              : try cells.cell(entry.value, type), "key": entry.key.map(JSON.string) ?? .null,
            "mark": entry.mark,
          ])
        }),
    ])
  }

  private static func wholeCell(_ value: Value, _ type: ValueType) -> JSON {
    let text = PageCells.plainText(value)
    var members: [String: JSON] = [
      "v": .string(String(String.UnicodeScalarView(text.unicodeScalars.prefix(maximumValue)))),
      "whole": .bool(text.unicodeScalars.dropFirst(maximumValue).isEmpty),
    ]
    if type.base == .scalar(.any) {
      members[PageCells.kind] = .string(value.scalarType.rawValue)
    }
    return .object(members)
  }

  /// A value whole, as it is typed; of more than `maximumValue` characters its beginning.
  func value(_ name: String, _ identity: Int64, _ propertyName: String) throws -> JSON {
    let model = try model(name)
    guard let property = model.property(named: propertyName),
      case .value(let type) = property.type, property.isStored
    else { throw BrowseError("\(name).\(propertyName) has no value of its own.") }
    let column = SQL.identifier(propertyName)
    let codec = ColumnCodec(type, in: schema)
    let isText = codec.kind == .string
    let selected = isText ? PageText.start(of: column, Self.maximumValue) : column
    try addFunctions()
    return try store.database.withStatement(
      "SELECT \(selected), \(PageText.length(of: column)) FROM \(SQL.identifier(name)) WHERE _row = ?"
    ) { statement in
      try statement.bind(identity, at: 1)
      guard try statement.step() else {
        throw BrowseError("There is no \(name) \(identity) any more.")
      }
      guard isText || statement.integer(at: 1) <= Self.maximumValue else {
        throw BrowseError("The value is too large to be shown; export it instead.")
      }
      let value = try codec.read(statement, at: 0)
      if value.isNull { return .object(["v": .null, "whole": .bool(true)]) }
      let text =
        codec.kind == .any
        ? JSONCoding.json(value, as: .any).canonicalText : PageCells.plainText(value)
      return .object([
        "v": .string(text),
        "whole": .bool(!isText || statement.integer(at: 1) <= Self.maximumValue),
      ])
    }
  }

  /// The bytes of a property of type `data`, or of an element of a collection of them.
  func data(
    _ name: String, _ identity: Int64, _ propertyName: String, at place: Int?
  ) throws -> [UInt8]? {
    let model = try model(name)
    guard let property = model.property(named: propertyName), property.isStored,
      property.type.valueType?.base == .scalar(.data),
      property.type.isCollection == (place != nil)
    else { return nil }
    let value: SQLiteValue?
    if let place {
      let table = SQL.identifier(LayoutNames.collection(name, propertyName))
      let (selected, order) = ValueMark.selected(property)
      value = try store.database.rows(
        "SELECT \(selected) FROM \(table) WHERE _owner = ?1 ORDER BY \(order) LIMIT 1 OFFSET ?2",
        .integer(identity), .integer(Int64(max(0, place)))
      ).first?.first
    } else {
      value = try store.database.firstValue(
        "SELECT \(SQL.identifier(propertyName)) FROM \(SQL.identifier(name)) WHERE _row = ?",
        .integer(identity))
    }
    if case .blob(let bytes)? = value { return bytes }
    return nil
  }
}
