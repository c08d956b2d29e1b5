import StrataSQLite
import StrataSchema

/// One model of an open store: its statements, and how its properties stand in its row.
final class ModelAccess {
  // The store owns its accesses.
  unowned(unsafe) let store: Store
  let generated: _GeneratedModel
  let layout: ModelLayout
  /// When the model's objects changed last.
  let clock: ModelClock
  /// The part of it that each read of a property looks at.
  let rowsMark: UnsafeMutablePointer<UInt64>
  /// The column of each property in `selectColumns` behind `_row`; -1 for what has none.
  let columns: [Int]
  let columnCount: Int
  /// `layout.codecs`.
  private let codecs: [ColumnCodec?]
  /// The properties that have a column, in its order.
  let storedColumns: [(property: Int, codec: ColumnCodec)]
  let hasCollections: Bool
  let isEmbedded: Bool
  /// Whether an object may take others along in chains without an end.
  private(set) lazy var isDeletedInChains = store.chainedModels.contains(model.name)
  /// The tables of lists, sets and maps, by property; nil for everything else.
  let collectionTables: [CollectionTable?]
  /// The properties that have such a table.
  let collectionProperties: [Int]
  /// The stored properties of type `any`, or with elements of it.
  let anyProperties: [Int]
  /// The properties of the primary key, in its order.
  let keyProperties: [Int]
  private let keyCodecs: [ColumnCodec]
  /// The accesses of the models that the properties lead to.
  private(set) var targets: [ModelAccess?] = []
  /// Whether a property leads to embedded objects.
  @exclusivity(unchecked) private var owns: [Bool] = []
  /// Whether something that a property embeds has a unique value, so that the old one has to go before the new one comes.
  private(set) lazy var embedsUnique = targets.map { target in
    target.map { $0.isEmbedded && $0.isUniqueWithin } ?? false
  }
  /// The models to which a path of properties may lead, this one included.
  private(set) lazy var reachableModels: Set<Int> = {
    var found: Set<Int> = [index]
    var rest: [ModelAccess] = [self]
    while let next = rest.popLast() {
      let targets = next.anyProperties.isEmpty ? next.targets : next.targets + store.accesses
      for case let target? in targets where found.insert(target.index).inserted {
        rest.append(target)
      }
    }
    return found
  }()
  /// `"_row", "age", …`.
  let selectColumns: String
  let quotedTable: String
  let isRecyclable: Bool
  // None of these is held `inout` while other code reads it.
  @exclusivity(unchecked) private var selectByRow: Statement?
  @exclusivity(unchecked) private var insertStatement: Statement?
  @exclusivity(unchecked) private var updateStatements: [Statement?]
  @exclusivity(unchecked) private var deleteStatement: Statement?
  @exclusivity(unchecked) private var selectByKey: Statement?
  /// The floating-point properties that begin an index.
  let indexedNumbers: Set<Int>
  /// Which of them held a NaN when it was looked for.
  private var knownNaN: [Int: (mark: UInt64, isThere: Bool)] = [:]
  var recentConditions = RecentConditions()

  var model: Model { generated.model }
  var index: Int { generated.index }

  init(_ generated: _GeneratedModel, _ layout: ModelLayout, _ clock: ModelClock, in store: Store) {
    self.store = store
    self.clock = clock
    rowsMark = clock.rows
    self.generated = generated
    self.layout = layout
    var columns: [Int] = []
    var count = 0
    for codec in layout.codecs {
      columns.append(codec == nil ? -1 : count)
      if codec != nil { count += 1 }
    }
    self.columns = columns
    columnCount = count
    codecs = layout.codecs
    storedColumns = layout.codecs.enumerated().compactMap { index, codec in
      codec.map { (index, $0) }
    }
    hasCollections = !layout.collections.isEmpty
    isEmbedded = generated.model.isEmbedded
    collectionTables = generated.model.properties.map { property in
      layout.collection(of: property.name).map {
        CollectionTable($0, holdsObjects: property.type.linkedModel != nil)
      }
    }
    collectionProperties = collectionTables.indices.filter { [collectionTables] in
      collectionTables[$0] != nil
    }
    anyProperties = generated.model.properties.indices.filter { index in
      let property = generated.model.properties[index]
      return property.isStored && property.type.valueType?.base.scalar == .any
    }
    keyProperties = generated.model.primaryKey.compactMap(generated.model.indexOfProperty(named:))
    keyCodecs = keyProperties.compactMap { layout.codecs[$0] }
    selectColumns = SQL.identifiers(layout.table.columns.map(\.name))
    quotedTable = SQL.identifier(layout.table.name)
    isRecyclable = !generated.hasIgnoredProperties
    indexedNumbers = Set(
      generated.model.properties.indices.filter { index in
        guard layout.codecs[index]?.kind.isFloating == true else { return false }
        let name = SQL.identifier(generated.model.properties[index].name)
        return layout.indexes.contains {
          $0.table == layout.table.name && $0.condition == nil && $0.terms.first == name
        }
      })
    updateStatements = Array(repeating: nil, count: columns.count)
  }

  func resolveTargets(_ accesses: [ModelAccess?]) {
    targets = model.properties.map { property in
      property.type.linkedModel.flatMap { name in
        accesses.first { $0?.model.name == name } ?? nil
      }
    }
    owns = targets.map { $0?.isEmbedded == true }
  }

  /// Whether this model or one that it embeds has a value of which there is one in all.
  private var isUniqueWithin: Bool {
    var rest = [self]
    var found: Set<Int> = []
    while let next = rest.popLast() {
      if !next.model.uniques.isEmpty || next.model.properties.contains(where: \.isUnique) {
        return true
      }
      guard found.insert(next.index).inserted else { continue }
      rest += next.targets.compactMap { $0 }.filter(\.isEmbedded)
    }
    return false
  }

  /// A view of a row, which is not read yet.
  /// - Parameter isRead: whether the caller reads the row at once.
  func object(_ row: Int64, isRead: Bool = false) -> Object {
    let object = generated.type.init()
    object.attach(to: store, self, row: row, isRead: isRead)
    return object
  }

  /// What a decoded value means to Swift: a link is its object.
  func cell(_ value: Value, of property: Int) -> _GeneratedCell {
    if case .link(let row) = value {
      return targets[property].map { _GeneratedCell($0.object(row)) } ?? .null
    }
    return cell(value)
  }

  /// The same of a value that is no link of a property.
  func cell(_ value: Value) -> _GeneratedCell {
    guard case .object(let model, let row) = value else { return _GeneratedCell(value) }
    return store.anyObject(of: model, row).map { _GeneratedCell($0) } ?? .null
  }

  /// The same of a value that was there before: its object may be gone.
  func formerCell(_ value: Value, of property: Int) -> _GeneratedCell {
    guard case .object(let model, let row) = value, let target = try? store.access(named: model)
    else { return cell(value, of: property) }
    return _GeneratedCell(target.object(row))
  }

  /// Sets a property of a managed object.
  func set(_ property: Int, of row: Int64, to cell: _GeneratedCell) throws {
    let store = store
    let value: Value
    switch cell.content {
    case .value(let given): value = given
    case .object(let object):
      // An embedded object that is set where it stands already stays there, and was set all the same.
      if owns[property], object.manager === store, storedLink(property, of: row) == object.row {
        return store.didSet(self, row, property: property, to: .link(object.row))
      }
      if owns[property], embedsUnique[property] {
        return try store.embed(object, from: self, property: property) {
          try write(property, of: row, .link($0))
        }
      }
      value = try store.link(to: object, from: self, property: property)
    }
    try write(property, of: row, value)
  }

  @inline(__always) private func write(_ property: Int, of row: Int64, _ value: Value) throws {
    let store = store
    if owns[property], let target = targets[property] { try store.watchDeletions(of: target) }
    store.willChange(self)
    do {
      try update(row, property, value)
    } catch {
      // What a trigger told the sink was taken back.
      if owns[property] { store.clock.changedEverything() }
      throw keyError(error, property, value)
    }
    store.didSet(self, row, property: property, to: value)
  }

  /// A primary key that is taken is told by its value, one of several properties, of which one was set, by these.
  func keyError(_ error: any Error, _ property: Int, _ value: Value) -> any Error {
    guard case .duplicatePrimaryKey = store.storeError(error) else { return error }
    guard keyProperties == [property] else {
      return StoreError.notUnique(model: model.name, properties: model.primaryKey)
    }
    return StoreError.duplicatePrimaryKey(
      model: model.name, key: AnyValue(_GeneratedCell(value)).plainText)
  }

  private func storedLink(_ property: Int, of row: Int64) -> Int64? {
    let object = object(row)
    return object.storedCell(at: property)?.integer
  }

  // MARK: - Statements

  /// - Parameter reportsErrors: whether the next call that can throws what went wrong.
  /// - Returns: whether the row is there; nil where it could not be read.
  func load(_ row: Int64, into buffer: inout RowBuffer, reportsErrors: Bool = true) -> Bool? {
    store.lockIfShared()
    defer { store.unlockIfShared() }
    do {
      let statement =
        try selectByRow
        ?? store.database.prepare(
          "SELECT \(selectColumns) FROM \(quotedTable) WHERE \"_row\" = ?1")
      selectByRow = statement
      try statement.bind(row, at: 1)
      defer { statement.reset() }
      guard try statement.step() else { return false }
      buffer.load(statement.row, from: 1, count: columnCount)
      return true
    } catch {
      if reportsErrors { store.fail(error) }
      return nil
    }
  }

  /// Whether any object's property, one of `indexedNumbers`, is NaN. The index knows at once.
  func holdsNaN(_ property: Int) -> Bool {
    store.lockIfShared()
    defer { store.unlockIfShared() }
    guard store.prepareToRead() else { return true }
    let changed = max(clock.membership.pointee, clock.values(of: property).pointee)
    if let known = knownNaN[property], known.mark >= changed { return known.isThere }
    let column = SQL.identifier(model.properties[property].name)
    let isThere: Bool
    do {
      // The bytes of a NaN sort behind all numbers.
      isThere =
        try store.database.firstValue(
          "SELECT 1 FROM \(quotedTable) WHERE \(column) >= x'' LIMIT 1") != nil
    } catch {
      // The read that needs the value throws the error.
      return true
    }
    knownNaN[property] = (changed, isThere)
    return isThere
  }

  func exists(_ row: Int64) throws -> Bool {
    store.lockIfShared()
    defer { store.unlockIfShared() }
    return try store.database.firstValue(
      "SELECT 1 FROM \(quotedTable) WHERE \"_row\" = ?1", .integer(row)) != nil
  }

  /// The identity of the object with a primary key.
  func row(forKey key: [Value]) throws -> Int64? {
    try find(key) { $0.integer(at: 0) }
  }

  /// The object with a primary key, its row read with the same statement.
  func object(forKey key: [Value]) throws -> Object? {
    try find(key) { statement in
      let object = object(statement.integer(at: 0), isRead: true)
      object.buffer.load(statement.row, from: 1, count: columnCount)
      object.generation = rowsMark.pointee
      return object
    }
  }

  /// The same for a key of one value, which is what most lookups have.
  func object(forSingleKey key: Value) throws -> Object? {
    store.lockIfShared()
    defer { store.unlockIfShared() }
    guard let statement = selectByKey, keyCodecs.count == 1, !key.isNull else {
      return try object(forKey: [key])
    }
    try keyCodecs[0].bind(key, to: statement, at: 1)
    let row = statement.row
    switch row.step() {
    case .row:
      let object = object(row.integer(at: 0), isRead: true)
      object.buffer.load(statement.row, from: 1, count: columnCount)
      object.generation = rowsMark.pointee
      statement.reset()
      return object
    case .done:
      statement.reset()
      return nil
    case .failed:
      let error = statement.stepError
      statement.reset()
      throw error
    }
  }

  private func find<Result>(_ key: [Value], _ body: (Statement) -> Result) throws -> Result? {
    store.lockIfShared()
    defer { store.unlockIfShared() }
    let isAnyNull = key.contains(where: \.isNull)
    let statement: Statement
    if let selectByKey, !isAnyNull {
      statement = selectByKey
    } else {
      let conditions = zip(model.primaryKey, key).enumerated().map { index, part in
        "\(SQL.identifier(part.0)) \(part.1.isNull ? "IS" : "=") ?\(index + 1)"
      }
      statement = try store.database.prepare(
        "SELECT \(selectColumns) FROM \(quotedTable) "
          + "WHERE \(conditions.joined(separator: " AND "))")
      if !isAnyNull { selectByKey = statement }
    }
    defer { statement.reset() }
    for (index, codec) in keyCodecs.enumerated() {
      try codec.bind(key[index], to: statement, at: index + 1)
    }
    return try statement.step() ? body(statement) : nil
  }

  /// The statement that inserts an object, whose other values follow from parameter 2 on.
  func insertStatement(for row: Int64) throws -> Statement {
    let statement: Statement
    if let insertStatement {
      statement = insertStatement
    } else {
      statement = try store.database.prepare(
        "INSERT INTO \(quotedTable) (\(selectColumns)) "
          + "VALUES (\(SQL.placeholders(columnCount + 1)))")
      insertStatement = statement
    }
    try statement.bind(row, at: 1)
    return statement
  }

  func update(_ row: Int64, _ property: Int, _ value: Value) throws {
    guard let codec = codecs[property] else { return }
    let statement: Statement
    if let known = updateStatements[property] {
      statement = known
    } else {
      statement = try store.database.prepare(
        "UPDATE \(quotedTable) SET \(SQL.identifier(model.properties[property].name)) = ?1 "
          + "WHERE \"_row\" = ?2")
      updateStatements[property] = statement
    }
    guard owns[property] else { return try update(row, codec, value, statement) }
    try store.takingOut(
      targets[property],
      selectedBy: """
        SELECT \(name: model.properties[property].name) FROM \(SQLText(trusted: quotedTable)) \
        WHERE "_row" = \(value: .integer(row))
        """
    ) {
      try update(row, codec, value, statement)
    }
  }

  @inline(__always) private func update(
    _ row: Int64, _ codec: ColumnCodec, _ value: Value, _ statement: Statement
  ) throws {
    let database = store.database
    database.texts.begin()
    try codec.bind(value, to: statement, at: 1, in: database.texts)
    try statement.bind(row, at: 2)
    try statement.run()
    database.texts.letGo(of: statement)
    if database.changes == 0 { throw StoreError.invalidated(model: model.name) }
  }

  func delete(_ row: Int64) throws {
    let statement: Statement
    if let deleteStatement {
      statement = deleteStatement
    } else {
      statement = try store.database.prepare("DELETE FROM \(quotedTable) WHERE \"_row\" = ?1")
      deleteStatement = statement
    }
    try store.deleting(self, selectedBy: "SELECT \(value: .integer(row))") {
      try statement.bind(row, at: 1)
      try statement.run()
    }
  }

  /// Lets go of the statements: while one of them is left, SQLite keeps the file open.
  func close() {
    selectByRow = nil
    insertStatement = nil
    updateStatements = Array(repeating: nil, count: columns.count)
    deleteStatement = nil
    selectByKey = nil
  }

  /// Models lead to each other in circles, which the end of the store breaks.
  func forgetTargets() { targets = [] }

  /// Ends whatever still reads, so that a transaction can end.
  func resetStatements() {
    for statement in [selectByRow, insertStatement, deleteStatement, selectByKey] {
      statement?.reset()
    }
  }
}
