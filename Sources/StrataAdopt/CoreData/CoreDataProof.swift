import Strata
package import StrataSQLite
import StrataSchema

/// What the database of a Core Data store has to hold: a second reading, which goes through each table as it stands, shares no
/// statement with `CoreDataTransfer`, and spells each value by docs/layout.md itself.
package final class CoreDataProof {
  private let source: CoreDataSource
  private let store: Database
  /// Table → a look-up of a row's entity.
  private var lookups: [String: Statement] = [:]

  /// - Parameter store: the store, read only.
  package init(_ source: CoreDataSource, _ store: Database) {
    self.source = source
    self.store = store
  }

  package func sum() throws -> ContentSum {
    var sum = ContentSum()
    let tables = Set(source.entries.map(\.table))
    for table in tables.sorted() {
      try addRows(of: table, source.entries.filter { $0.table == table }, &sum)
    }
    for entry in source.entries {
      for collection in entry.collections { try addElements(of: collection, entry, &sum) }
    }
    return sum
  }

  /// - Parameter row: what stands in a column that leads to a row. It may be any value, and is compared as it stands.
  private func entity(of row: SQLiteValue, in table: String) throws -> Int64? {
    let lookup: Statement
    if let known = lookups[table] {
      lookup = known
    } else {
      lookup = try store.prepare(
        "SELECT Z_ENT FROM \(SQL.identifier(table)) NOT INDEXED WHERE Z_PK = ?")
      lookups[table] = lookup
    }
    defer { lookup.reset() }
    try lookup.bind(row, at: 1)
    return try lookup.step() ? lookup.value(at: 0).ifInteger : nil
  }

  private func addRows(
    of table: String, _ entries: [CoreDataSource.Entry], _ sum: inout ContentSum
  ) throws {
    let names = (source.store.tables[table] ?? []).map(\.name)
    guard let key = names.firstIndex(of: "Z_PK"), let kind = names.firstIndex(of: "Z_ENT") else {
      return
    }
    let byEntity = Dictionary(
      entries.map { ($0.entity, $0) }, uniquingKeysWith: { first, _ in first })
    var places: [Int64: [Int?]] = [:]
    for entry in entries {
      places[entry.entity] = entry.columns.map { column in
        column.name.flatMap { names.firstIndex(of: $0) }
      }
    }
    let rows = try store.prepare(
      "SELECT \(SQL.identifiers(names)) FROM \(SQL.identifier(table)) NOT INDEXED")
    defer { rows.reset() }
    var part = StoredBytes()
    while try rows.step() {
      guard let number = rows.value(at: kind).ifInteger, let entry = byEntity[number],
        let columns = places[number]
      else { continue }
      part.begin(entry.model.name, entry.firstRow + rows.integer(at: key))
      for (column, place) in zip(entry.columns, columns) {
        let value = place.map { rows.value(at: $0) } ?? .null
        if let target = column.target {
          try add(link: value, target, column.property, to: &part)
        } else {
          try add(value, column, to: &part)
        }
      }
      sum.add(part)
    }
  }

  private func addElements(
    of collection: CoreDataSource.Collection, _ entry: CoreDataSource.Entry,
    _ sum: inout ContentSum
  ) throws {
    let pairs = collection.pairs
    let names = [pairs.owner, pairs.element] + [pairs.order].compactMap(\.self)
    let place = "\(entry.model.name).\(collection.property.name)"
    var isSet = false
    if case .set = collection.property.type { isSet = true }
    let order = [names[0]] + names.dropFirst(2) + [names[1]]
    let table = SQL.identifier(pairs.table)
    let condition = "WHERE \(SQL.identifier(pairs.owner)) IS NOT NULL"
    // Of pairs that are meant in both directions each is one, however often it stands there.
    let rows = try store.prepare(
      pairs.isSymmetric
        ? "SELECT \(SQL.identifiers(names)) FROM \(table) NOT INDEXED UNION SELECT \(SQL.identifiers(names.reversed())) FROM \(table) NOT INDEXED ORDER BY 1, 2"
        : "SELECT \(SQL.identifiers(names)) FROM \(table) NOT INDEXED \(condition) ORDER BY \(SQL.identifiers(order))"
    )
    defer { rows.reset() }
    var part = StoredBytes()
    var (last, position) = (Int64(0), Int64(0))
    while try rows.step() {
      guard try entity(of: rows.value(at: 0), in: entry.table) == entry.entity else { continue }
      let owner = rows.integer(at: 0)
      if owner != last { (last, position) = (owner, 0) }
      part.begin(place, entry.firstRow + owner)
      let count = part.bytes.count
      try add(link: rows.value(at: 1), collection.target, collection.property, to: &part)
      // Null: the element is not here.
      guard part.bytes[count] != 0 else { continue }
      if !isSet { part.integer(position) }
      position += 1
      sum.add(part)
    }
  }

  // MARK: - Values

  private func add(
    link value: SQLiteValue, _ target: CoreDataSource.Target, _ property: Property,
    to part: inout StoredBytes
  ) throws {
    guard let row = value.ifInteger, let number = try entity(of: value, in: target.table),
      let model = target.models[number]
    else { return part.null() }
    let identity = target.firstRow + row
    guard property.type.valueType?.base == .scalar(.any) else { return part.integer(identity) }
    let bits = UInt64(bitPattern: identity)
    let big = (0..<8).map { UInt8(truncatingIfNeeded: bits >> (8 * (7 - $0))) }
    part.blob(tag: 9, big + Array(model.utf8))
  }

  private func add(
    _ value: SQLiteValue, _ column: CoreDataSource.Column, to part: inout StoredBytes
  ) throws {
    let property = column.property
    guard let scalar = property.type.valueType?.base.scalar else { return part.null() }
    var value = value
    if column.isExternal, case .blob(let bytes) = value { value = try content(bytes) }
    switch (scalar, value) {
    case (.bool, .integer(let number)): part.integer(number == 0 ? 0 : 1)
    case (.any, .integer(let number)): part.integer(number)
    case (.any, .real(let number)): part.real(number)
    case (.any, .text(let text)), (.string, .text(let text)): part.text(text.utf8)
    case (.any, .blob(let bytes)): part.blob(tag: 4, bytes)
    case (.data, .blob(let bytes)): part.blob(bytes)
    case (.data, .text(let text)): part.blob(text.utf8)
    case (.string, .integer(let number)): part.text(String(number).utf8)
    case (.string, .real(let number)): part.text("\(number)".utf8)
    case (.double, .real(let number)), (.date, .real(let number)): part.real(number)
    case (.double, .integer(let number)), (.date, .integer(let number)):
      if let exact = Double(exactly: number) { part.real(exact) } else { missing(property, &part) }
    case (.float, .real(let number)): part.real(Double(Float(number)))
    case (.float, .integer(let number)):
      if let exact = Float(exactly: number) {
        part.real(Double(exact))
      } else {
        missing(property, &part)
      }
    case (.decimal, .integer(let number)): part.text(String(number).utf8)
    case (.decimal, .real(let number)): decimal("\(number)", property, &part)
    case (.decimal, .text(let text)): decimal(text, property, &part)
    case (.uuid, .blob(let bytes)) where bytes.count == 16: part.blob(bytes)
    case (.uuid, .text(let text)):
      if let value = UUIDValue(text) { part.blob(value.bytes) } else { missing(property, &part) }
    case (_, .integer(let number)) where scalar.integerRange?.contains(number) == true:
      part.integer(number)
    default: missing(property, &part)
    }
  }

  private func decimal(_ text: String, _ property: Property, _ part: inout StoredBytes) {
    if let value = DecimalValue(text) {
      part.text(value.text.utf8)
    } else {
      missing(property, &part)
    }
  }

  /// A value that may be a file of its own: 1 and the bytes, or 2 and the file's name.
  private func content(_ bytes: [UInt8]) throws -> SQLiteValue {
    if bytes.first == 1 { return .blob(Array(bytes.dropFirst())) }
    let name = String(decoding: bytes.dropFirst().prefix(36), as: UTF8.self)
    guard bytes.first == 2, (37...38).contains(bytes.count), UUIDValue(name) != nil else {
      return .blob(bytes)
    }
    let files = POSIXFiles()
    for path in source.externalFile(name) {
      if let size = try files.size(of: path), size <= CoreDataValue.maximumBlob {
        return .blob(try files.read(path, from: 0, count: size))
      }
    }
    return .null
  }

  /// What stands for a value that the store does not have.
  private func missing(_ property: Property, _ part: inout StoredBytes) {
    guard let type = property.type.valueType, !type.isOptional else { return part.null() }
    switch property.defaultValue {
    case .bool(let value)?: return part.integer(value ? 1 : 0)
    case .int(let value)?: return part.integer(value)
    case .double(let value)?, .date(let value)?: return part.real(value)
    case .float(let value)?: return part.real(Double(value))
    case .string(let text)?: return part.text(text.utf8)
    case .decimal(let value)?: return part.text(value.text.utf8)
    case .uuid(let value)?: return part.blob(value.bytes)
    case .data(let bytes)?: return part.blob(bytes)
    default: break
    }
    switch type.base.scalar {
    case .float, .double, .date: part.real(0)
    case .string: part.text([])
    case .decimal: part.text("0".utf8)
    case .data: part.blob([])
    case .uuid: part.blob([UInt8](repeating: 0, count: 16))
    default: part.integer(0)
    }
  }
}
