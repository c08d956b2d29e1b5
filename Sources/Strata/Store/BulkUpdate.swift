import StrataExpression
import StrataSQLite
import StrataSchema

/// What an update of many objects has reached.
struct UpdatedObjects {
  let count: Int
  /// The identities in order, where they are asked for.
  let rows: [Int64]
  let ranges: UpdatedRows
}

/// One update of many objects.
struct BulkUpdate {
  private struct Assignment {
    let property: Int
    let value: SQLText
    /// What was written, for messages.
    let text: String?
    /// What all objects get; nil for an expression.
    let given: Value?
    /// Whether it reads anything but the object's own row.
    let isFarReaching: Bool
  }

  private let query: Query
  private let assignments: [Assignment]
  /// The properties that are set.
  let properties: PropertySet

  private var access: ModelAccess { query.access }

  init(_ query: Query, _ values: [String: Any?]) throws {
    self.query = query
    var assignments: [Assignment] = []
    var properties = PropertySet()
    for (name, value) in values.sorted(by: { $0.key < $1.key }) {
      guard let property = query.access.model.indexOfProperty(named: name) else {
        throw StoreError.unknownProperty(model: query.access.model.name, property: name)
      }
      assignments.append(try Self.assignment(of: value, to: property, query))
      properties.insert(property)
    }
    guard !assignments.isEmpty else {
      throw StoreError.invalidQuery(
        text: "",
        problem:
          "An update of \(query.access.model.name) sets nothing: name a property with its value")
    }
    self.assignments = assignments
    self.properties = properties
  }

  private static func assignment(
    of value: Any?, to property: Int, _ query: Query
  ) throws -> Assignment {
    let access = query.access
    let declared = access.model.properties[property]
    guard let codec = access.layout.codecs[property],
      access.targets[property]?.model.isEmbedded != true
    else {
      throw StoreError.invalidQuery(
        text: declared.name,
        problem:
          "an update of many objects sets values and links, and \(declared.name) is \(declared.type.spelling)"
      )
    }
    if let expression = value as? UpdateExpression {
      let resolved = try QueryCompiler(access).assignment(
        expression.text, expression.arguments, to: declared)
      guard case .one(let node) = resolved.content,
        let text = query.value(of: node, as: codec.kind)
      else {
        throw StoreError.invalidQuery(
          text: expression.text, problem: "its value does not fit into \(declared.type.spelling)")
      }
      return Assignment(
        property: property, value: text, text: expression.text, given: nil,
        isFarReaching: !resolved.isLocal)
    }
    let given = try ObjectReader(store: access.store, update: .error)
      .storedValue(value, access.generated, property)
    let stored: Value
    switch given {
    case .value(let value): stored = value
    case .object(let object):
      guard object.manager === access.store else {
        throw object.manager == nil
          ? StoreError.notManaged(model: object.model.model.name)
          : StoreError.belongsToAnotherStore(model: object.model.model.name)
      }
      if object.isInvalidated { throw StoreError.invalidated(model: object.model.model.name) }
      stored = access.targets[property] == nil ? object.linkValue : .link(object.row)
    case .collection: stored = .null
    }
    if stored.isNull, !codec.isOptional {
      throw StoreError.missingRequired(model: access.model.name, property: declared.name)
    }
    let cell = try codec.sqliteValue(of: stored)
    return Assignment(
      property: property, value: "\(value: cell)", text: nil, given: stored, isFarReaching: false)
  }

  /// Updates the objects and notes which they were.
  ///
  /// - Parameter wantsRows: whether each is asked for, and not only how many they are.
  func run(wantsRows: Bool) throws -> UpdatedObjects {
    do {
      // An expression sees the objects as they were, also those that the statement has reached already.
      return try assignments.contains(where: \.isFarReaching)
        ? runWithCopy(wantsRows) : runAtOnce(wantsRows)
    } catch let error as SQLiteError where error.primaryCode == .error {
      throw failure() ?? query.queryError(error)
    } catch {
      throw keyError(error)
    }
  }

  /// A primary key that is taken is told by its values where all objects get the same, else by its properties.
  private func keyError(_ error: any Error) -> any Error {
    guard case .duplicatePrimaryKey(let model, _) = access.store.storeError(error) else {
      return error
    }
    let given = access.keyProperties.compactMap { property in
      assignments.first { $0.property == property }?.given
    }
    guard given.count == access.keyProperties.count else {
      return StoreError.notUnique(model: model, properties: access.model.primaryKey)
    }
    let texts = given.map { AnyValue(_GeneratedCell($0)).plainText }
    return StoreError.duplicatePrimaryKey(model: model, key: texts.joined(separator: ", "))
  }

  private func name(_ assignment: Assignment) -> String {
    access.model.properties[assignment.property].name
  }

  private func runAtOnce(_ wantsRows: Bool) throws -> UpdatedObjects {
    let sets = assignments.map { "\(name: name($0)) = \($0.value)" as SQLText }
    return try update(
      """
      UPDATE \(SQLText(trusted: access.quotedTable)) AS \(Query.alias) \
      SET \(SQLText.joined(sets, by: ", ")) WHERE \(query.selectionWhileUpdating)
      """, wantsRows)
  }

  private func runWithCopy(_ wantsRows: Bool) throws -> UpdatedObjects {
    let database = access.store.database
    let columns = assignments.indices.map { "v\($0) ANY" }.joined(separator: ", ")
    try database.execute("DROP TABLE IF EXISTS temp.strata_update")
    try database.execute(
      "CREATE TEMP TABLE strata_update (\"row\" INTEGER PRIMARY KEY, \(columns)) STRICT")
    let values = SQLText.joined(assignments.map(\.value), by: ", ")
    let copy: SQLText = """
      INSERT INTO temp.strata_update SELECT \(Query.alias)."_row", \(values) \
      FROM \(SQLText(trusted: access.quotedTable)) \(Query.alias) \
      WHERE \(Query.alias)."_row" IN (\(query.rowSelection))
      """
    try database.withStatement(copy) { while try $0.step() {} }
    let sets = assignments.enumerated().map { index, assignment -> SQLText in
      "\(name: name(assignment)) = (SELECT v\(index) FROM temp.strata_update u WHERE u.\"row\" = \"_row\")"
    }
    let objects = try update(
      """
      UPDATE \(SQLText(trusted: access.quotedTable)) SET \(SQLText.joined(sets, by: ", ")) \
      WHERE "_row" IN (SELECT "row" FROM temp.strata_update)
      """, wantsRows)
    database.discardCachedStatements()
    try database.execute("DROP TABLE temp.strata_update")
    return objects
  }

  private func update(_ text: SQLText, _ wantsRows: Bool) throws -> UpdatedObjects {
    let database = access.store.database
    let text = text.bounded
    let statement = try database.prepare(wantsRows ? "\(text.sql) RETURNING \"_row\"" : text.sql)
    try statement.bind(text.values)
    var rows: [Int64] = []
    let updated = try database.collectingUpdates(of: access.model.name) {
      while try statement.step() { rows.append(statement.integer(at: 0)) }
    }.rows
    return UpdatedObjects(count: database.changes, rows: rows.sorted(), ranges: updated)
  }

  /// Which object it was of which a value cannot be computed, and why.
  private func failure() -> StoreError? {
    guard let rows = try? query.identities() else { return nil }
    for row in rows {
      for assignment in assignments {
        guard let text = assignment.text else { continue }
        let value: SQLText = """
          SELECT \(assignment.value) FROM \(SQLText(trusted: access.quotedTable)) \(Query.alias) \
          WHERE \(Query.alias)."_row" = \(value: .integer(row))
          """
        do {
          _ = try access.store.database.rows(value.sql, value.values)
        } catch let error as SQLiteError {
          return .invalidQuery(
            text: text, problem: "of \(access.model.name) #\(row): \(error.message)")
        } catch {
          return nil
        }
      }
    }
    return nil
  }
}
