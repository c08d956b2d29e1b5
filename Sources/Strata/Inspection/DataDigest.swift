package import StrataSQLite
package import StrataSchema

/// The digest of all objects of a database, independent of layout, row order, page layout and identity numbers.
///
/// An object is known by its primary key where it has one, else by its values and by what it links to: every object gets a
/// colour from its own values, and the colours of what it links to are mixed in, round by round, until nothing is told apart
/// any more (colour refinement, the 1-dimensional Weisfeiler–Leman method). Graphs that it cannot tell apart share a digest.
///
/// The digest of the database is the sum of its objects' digests modulo 2²⁵⁶, so that no order is needed; memory grows only with
/// the objects that others link to.
package struct DataDigest {
  /// Rounds of refinement at most; each tells apart what is one link further away.
  package static let maximumRounds = 64

  private let database: Database
  private let schema: Schema
  private let schemaName: String

  package init(database: Database, schema: Schema, in name: String = "main") {
    self.database = database
    self.schema = schema
    schemaName = name
  }

  /// Reads every object.
  package func compute() throws -> Digest {
    let colours = try refine()
    var sum = [UInt64](repeating: 0, count: 4)
    for model in schema.storedModels {
      try forEachObject(of: model) { identity, cells in
        var hasher = ObjectHasher(model: model.name)
        try hash(cells, into: &hasher, colours)
        add(hasher.finish().bytes, to: &sum)
      }
    }
    return Digest(
      of: sum.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } })
  }

  // MARK: - Colours

  /// 128 bits of a digest.
  private struct Colour: Hashable {
    let high: UInt64
    let low: UInt64

    init(_ digest: Digest) {
      let bytes = digest.bytes
      high = bytes[0..<8].reduce(0) { $0 << 8 | UInt64($1) }
      low = bytes[8..<16].reduce(0) { $0 << 8 | UInt64($1) }
    }
  }

  /// The colour of every object that others link to.
  private func refine() throws -> [Int64: Colour] {
    let targets = linkTargets
    guard !targets.isEmpty else { return [:] }
    var colours: [Int64: Colour] = [:]
    // An object with a primary key is its key; what it links to says nothing more of who it is.
    for model in targets {
      try forEachObject(of: model) { identity, cells in
        var hasher = ObjectHasher(model: model.name)
        if model.primaryKey.isEmpty {
          try hash(cells, into: &hasher, nil)
        } else {
          for cell in cells where model.primaryKey.contains(cell.property.name) {
            hasher.add(cell.property.name)
            if case .one(let value) = cell.content { hasher.add(value) }
          }
        }
        colours[identity] = Colour(hasher.finish())
      }
    }
    let refined = targets.filter { $0.primaryKey.isEmpty && hasLinks($0) }
    guard !refined.isEmpty else { return colours }
    var count = Set(colours.values).count
    for _ in 0..<Self.maximumRounds {
      var next = colours
      for model in refined {
        try forEachObject(of: model) { identity, cells in
          var hasher = ObjectHasher(model: model.name)
          try hash(cells, into: &hasher, colours)
          next[identity] = Colour(hasher.finish())
        }
      }
      colours = next
      let told = Set(colours.values).count
      if told == count { break }
      count = told
    }
    return colours
  }

  private var linkTargets: [Model] {
    var names = Set(
      schema.storedModels.flatMap { model in
        model.storedProperties.compactMap(\.type.linkedModel)
      })
    let usesAny = schema.storedModels.contains { model in
      model.storedProperties.contains { $0.type.valueType?.base == .scalar(.any) }
    }
    if usesAny { names.formUnion(schema.storedModels.map(\.name)) }
    return schema.storedModels.filter { names.contains($0.name) }
  }

  private func hasLinks(_ model: Model) -> Bool {
    model.storedProperties.contains {
      $0.type.linkedModel != nil || $0.type.valueType?.base == .scalar(.any)
    }
  }

  // MARK: - Objects

  private struct Cell {
    enum Content {
      case one(Value)
      case many([CollectionElement], isOrdered: Bool)
    }

    let property: Property
    let content: Content
  }

  /// Adds an object's properties; links by colour, or not at all where there are no colours yet.
  private func hash(_ cells: [Cell], into hasher: inout ObjectHasher, _ colours: [Int64: Colour]?)
    throws
  {
    func add(_ value: Value, to hasher: inout ObjectHasher) {
      switch value {
      case .link(let identity), .object(_, let identity):
        hasher.add(byte: 0xFE)
        if let colour = colours?[identity] { hasher.add(colour.high, colour.low) }
      default: hasher.add(value)
      }
    }
    for cell in cells {
      hasher.add(cell.property.name)
      switch cell.content {
      case .one(let value): add(value, to: &hasher)
      case .many(let elements, let isOrdered):
        var digests = elements.map { element in
          var part = ObjectHasher(model: element.key ?? "")
          add(element.value, to: &part)
          return part.finish()
        }
        if !isOrdered { digests.sort() }
        hasher.add(UInt64(digests.count))
        for digest in digests { hasher.add(bytes: digest.bytes) }
      }
    }
  }

  private func forEachObject(of model: Model, _ body: (Int64, [Cell]) throws -> Void) throws {
    let reader = try TableReader(
      model: model, schema: schema, database: database, in: schemaName)
    let collections = try model.collectionProperties.map {
      try CollectionCursor(
        property: $0, model: model, schema: schema, database: database, schemaName)
    }
    while try reader.next() {
      var cells: [Cell] = []
      var collection = 0
      for (position, property) in model.storedProperties.enumerated() {
        if property.type.isCollection {
          let elements = try collections[collection].elements(of: reader.identity)
          var isOrdered = false
          if case .list = property.type { isOrdered = true }
          cells.append(Cell(property: property, content: .many(elements, isOrdered: isOrdered)))
          collection += 1
        } else {
          cells.append(Cell(property: property, content: .one(try reader.value(at: position))))
        }
      }
      try body(reader.identity, cells)
    }
  }

  private func add(_ bytes: [UInt8], to sum: inout [UInt64]) {
    var carry: UInt64 = 0
    for word in 0..<4 {
      let value = bytes[(word * 8)..<(word * 8 + 8)].reversed().reduce(0) { $0 << 8 | UInt64($1) }
      let (partial, overflow) = sum[word].addingReportingOverflow(value)
      let (total, again) = partial.addingReportingOverflow(carry)
      sum[word] = total
      carry = overflow || again ? 1 : 0
    }
  }
}

/// Reads the elements of one collection property, owner by owner in ascending order.
final class CollectionCursor {
  private let statement: Statement
  private let codec: ColumnCodec
  private let isMap: Bool
  private var hasRow: Bool

  init(
    property: Property, model: Model, schema: Schema, database: Database, _ name: String
  ) throws {
    let type = property.type.valueType ?? ValueType(.scalar(.any))
    codec = ColumnCodec(type, in: schema)
    var order = "_index"
    var isMap = false
    switch property.type {
    case .set: order = "value"
    case .map: isMap = true
    default: break
    }
    self.isMap = isMap
    statement = try database.prepare(
      """
      SELECT _owner, value\(isMap ? ", _index" : "") \
      FROM \(SQL.identifier("\(model.name).\(property.name)", in: name)) ORDER BY _owner, \(order)
      """)
    hasRow = try statement.step()
  }

  /// The elements of an owner that comes after all that were asked for before.
  func elements(of owner: Int64) throws -> [CollectionElement] {
    while hasRow, statement.integer(at: 0) < owner { hasRow = try statement.step() }
    var elements: [CollectionElement] = []
    while hasRow, statement.integer(at: 0) == owner {
      elements.append(
        CollectionElement(
          key: isMap ? statement.string(at: 2) : nil, value: try codec.read(statement, at: 1)))
      hasRow = try statement.step()
    }
    return elements
  }
}

/// Feeds typed values to SHA-256, each with its type and length, so that no two sequences of values are the same bytes.
private struct ObjectHasher {
  private var hasher = SHA256()

  init(model: String) { add(model) }

  mutating func add(byte: UInt8) { hasher.update(CollectionOfOne(byte)) }

  mutating func add(bytes: [UInt8]) { hasher.update(bytes) }

  mutating func add(_ text: String) {
    add(UInt64(text.utf8.count))
    hasher.update(text.utf8)
  }

  mutating func add(_ first: UInt64, _ second: UInt64 = 0) {
    withUnsafeBytes(of: first.littleEndian) { hasher.update($0) }
    withUnsafeBytes(of: second.littleEndian) { hasher.update($0) }
  }

  mutating func add(_ value: Value) {
    switch value {
    case .null, .link, .object: add(byte: 0)
    case .bool(let value):
      add(byte: 1)
      add(byte: value ? 1 : 0)
    case .int(let value):
      add(byte: 2)
      add(UInt64(bitPattern: value))
    case .float(let value):
      add(byte: 3)
      add(UInt64(value.bitPattern))
    case .double(let value):
      add(byte: 4)
      add(value.bitPattern)
    case .string(let value):
      add(byte: 5)
      add(value)
    case .data(let value):
      add(byte: 6)
      add(UInt64(value.count))
      add(bytes: value)
    case .date(let value):
      add(byte: 7)
      add(value.bitPattern)
    case .uuid(let value):
      add(byte: 8)
      add(bytes: value.bytes)
    case .decimal(let value):
      add(byte: 9)
      add(value.text)
    case .objectID(let value):
      add(byte: 10)
      add(bytes: value.bytes)
    }
  }

  consuming func finish() -> Digest { hasher.finish() }
}
