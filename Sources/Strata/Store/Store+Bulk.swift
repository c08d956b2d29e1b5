import StrataExpression
import StrataSQLite
import StrataSchema

extension Store {
  /// Sets properties of all objects that fulfil a condition, in the database, without reading them. Objects that are held, results and
  /// observers see it.
  ///
  /// ```swift
  /// let read = try store.write {
  ///   try store.update(Mail.self, set: ["read": true], where: "received < %@", today, returning: .count)
  /// }
  /// ```
  /// - Parameters:
  ///   - type: the model whose objects are updated.
  ///   - values: by the property's name: values, nil, objects of this store, or an ``UpdateExpression``, which sees the
  ///     objects as they were before the update.
  ///   - condition: nil for all objects.
  ///   - arguments: for `%@` by turn and `$0` by number.
  ///   - answer: `.status` whether any was updated, `.count` how many, `.identifiers` which ones.
  /// - Throws: `StoreError.notInWriteTransaction`, `.unknownProperty`, `.wrongType`, `.invalidQuery`, `.notUnique`,
  ///   `.duplicatePrimaryKey` where a whole primary key is given that is taken; nothing was updated then.
  @discardableResult
  public func update<Element: Object, Answer>(
    _ type: Element.Type, set values: [String: Any?], where condition: String? = nil,
    _ arguments: Any?..., returning answer: UpdateAnswer<Element, Answer>
  ) throws(StoreError) -> Answer {
    let access = try access(type)
    let query = try query(access, condition, arguments)
    return try update(query, values, answer)
  }

  /// The same with the answer `.status`.
  @discardableResult
  public func update<Element: Object>(
    _ type: Element.Type, set values: [String: Any?], where condition: String? = nil,
    _ arguments: Any?...
  ) throws(StoreError) -> Bool {
    try update(query(try access(type), condition, arguments), values)
  }

  /// The same with a condition that the compiler checks.
  @discardableResult
  public func update<Element: Object, Answer>(
    _ type: Element.Type, set values: [String: Any?],
    returning answer: UpdateAnswer<Element, Answer>,
    where condition: (QueryTerm<Element>) -> some QueryConditionConvertible
  ) throws(StoreError) -> Answer {
    let access = try access(type)
    return try update(query(access, where: condition), values, answer)
  }

  /// The same by key paths that the compiler checks.
  ///
  /// ```swift
  /// try store.update(Mail.self, set: [\.read: true]) { $0.received < today }
  /// ```
  @discardableResult
  public func update<Element: Object, Answer>(
    _ type: Element.Type, set values: [PartialKeyPath<Element>: Any?],
    where condition: String? = nil, _ arguments: Any?...,
    returning answer: UpdateAnswer<Element, Answer>
  ) throws(StoreError) -> Answer {
    let access = try access(type)
    let query = try query(access, condition, arguments)
    return try update(query, access.named(values), answer)
  }

  /// The same with the answer `.status`.
  @discardableResult
  public func update<Element: Object>(
    _ type: Element.Type, set values: [PartialKeyPath<Element>: Any?],
    where condition: String? = nil, _ arguments: Any?...
  ) throws(StoreError) -> Bool {
    let access = try access(type)
    return try update(query(access, condition, arguments), access.named(values))
  }

  /// The same with a condition that the compiler checks.
  @discardableResult
  public func update<Element: Object, Answer>(
    _ type: Element.Type, set values: [PartialKeyPath<Element>: Any?],
    returning answer: UpdateAnswer<Element, Answer>,
    where condition: (QueryTerm<Element>) -> some QueryConditionConvertible
  ) throws(StoreError) -> Answer {
    let access = try access(type)
    return try update(query(access, where: condition), access.named(values), answer)
  }

  /// The same with the answer `.status`.
  @discardableResult
  public func update<Element: Object>(
    _ type: Element.Type, set values: [PartialKeyPath<Element>: Any?],
    where condition: (QueryTerm<Element>) -> some QueryConditionConvertible
  ) throws(StoreError) -> Bool {
    try update(type, set: values, returning: .status, where: condition)
  }

  /// Deletes all objects that fulfil a condition, in the database, as ``delete(_:)-(Object)`` deletes one.
  ///
  /// - Returns: how many.
  /// - Throws: `StoreError.notInWriteTransaction`, `.invalidQuery`
  @discardableResult
  public func delete<Element: Object>(
    _ type: Element.Type, where condition: String, _ arguments: Any?...
  ) throws(StoreError) -> Int {
    try delete(try query(try access(type), condition, arguments))
  }

  /// The same with a condition that the compiler checks.
  @discardableResult
  public func delete<Element: Object>(
    _ type: Element.Type, where condition: (QueryTerm<Element>) -> some QueryConditionConvertible
  ) throws(StoreError) -> Int {
    try delete(query(try access(type), where: condition))
  }

  private func query<Element: Object>(
    _ access: ModelAccess, where condition: (QueryTerm<Element>) -> some QueryConditionConvertible
  ) throws(StoreError) -> Query {
    let (query, problem) = try Query(access).filtered(where: condition)
    if let problem { throw problem }
    return query
  }

  private func query(
    _ access: ModelAccess, _ condition: String?, _ arguments: [Any?]
  ) throws(StoreError) -> Query {
    let query = Query(access)
    guard let condition else { return query }
    return query.filtered(
      by: try QueryCompiler(access).condition(condition, arguments), text: condition)
  }

  private func delete(_ query: Query) throws(StoreError) -> Int {
    try checkInWriteTransaction()
    return try changingUnderWatch {
      try watchDeletions(of: query.access)
      suspendCursors()
      let statement = query.deletion.bounded
      let selection = query.rowSelection.bounded
      do {
        // Where some take others of them along, the statement deletes only the first of these itself.
        let found = query.access.isDeletedInChains ? try count(selection) : nil
        try deleting(query.access, selectedBy: selection) {
          try database.execute(statement.sql, statement.values)
        }
        return found ?? database.changes
      } catch {
        throw query.queryError(error)
      }
    }
  }

  private func count(_ selection: SQLText) throws -> Int {
    let rows = try database.rows("SELECT count(*) FROM (\(selection.sql))", selection.values)
    return Int(rows.first?.first?.ifInteger ?? 0)
  }

  private func update<Element, Answer>(
    _ query: Query, _ values: [String: Any?], _ answer: UpdateAnswer<Element, Answer>
  ) throws(StoreError) -> Answer {
    let updated = try update(query, values, wantsRows: answer.wantsRows)
    return answer.answer(updated, self, query.access.model.name)
  }

  /// - Returns: whether any object was updated.
  @discardableResult
  func update(_ query: Query, _ values: [String: Any?]) throws(StoreError) -> Bool {
    try update(query, values, wantsRows: false).count > 0
  }

  private func update(
    _ query: Query, _ values: [String: Any?], wantsRows: Bool
  ) throws(StoreError) -> UpdatedObjects {
    try checkInWriteTransaction()
    try throwPendingError()
    return try translatingErrors {
      let update = try BulkUpdate(query, values)
      suspendCursors()
      for access in accesses { access?.resetStatements() }
      let start = changeMark
      let savepoint = try database.beginSavepoint("strata_update")
      do {
        let updated = try update.run(wantsRows: wantsRows)
        try database.release(savepoint)
        if updated.ranges.isEverything {
          sink.changedEverything(of: query.access.index)
        } else {
          sink.updated(
            updated.ranges.runs, of: query.access.index, properties: update.properties)
        }
        return updated
      } catch {
        // The first error is the one to tell.
        try? database.takeBack(savepoint)
        takenBack(since: start)
        throw error
      }
    }
  }
}

extension ModelAccess {
  /// Values by key path, by the properties' names.
  func named<Element: Object>(_ values: [PartialKeyPath<Element>: Any?]) -> [String: Any?] {
    var named: [String: Any?] = [:]
    for (keyPath, value) in values {
      named.updateValue(
        value, forKey: model.properties[KeyPathProperties.property(of: keyPath, generated)].name)
    }
    return named
  }
}
