import StrataSQLite
import StrataSchema

extension Store {
  /// Lets the change sink hear of everything that SQLite does when an object of the model is deleted: links that
  /// become NULL, elements that leave collections, owners and embedded objects that go as well.
  ///
  /// Triggers of this connection alone do it, so that no write path can forget to. They are made when something
  /// is deleted for the first time, because a model that is never deleted from should not pay for them.
  func watchDeletions(of access: ModelAccess) throws {
    unreadObjects.read(in: writing.outcome)
    for entry in cursors { entry.cursor.rowMayGo() }
    if following.watchedModels.contains(access.index) { return }
    // A trigger more ends every statement that looks at other rows while it runs.
    suspendCursors()
    try addWatchFunctions()
    var rest = [access]
    var found: Set<Int> = []
    while let next = rest.popLast() {
      guard !following.watchedModels.contains(next.index), found.insert(next.index).inserted else {
        continue
      }
      try watch(
        next.quotedTable, "AFTER DELETE", call: "strata_deleted(\(next.index), OLD.\"_row\")")
      rest += try watchHolders(of: next)
      if !next.isEmbedded { try forgetInAny(next) }
      rest += next.targets.compactMap { $0 }.filter(\.model.isEmbedded)
    }
    following.watchedModels.formUnion(found)
  }

  /// - Returns: the models whose objects are deleted with one that they link to.
  private func watchHolders(of target: ModelAccess) throws -> [ModelAccess] {
    var cascading: [ModelAccess] = []
    for case let holder? in accesses {
      for (index, property) in holder.model.properties.enumerated()
      where property.isStored && holder.targets[index] === target {
        if property.deleteRule == .cascade { cascading.append(holder) }
        let column = SQL.identifier(property.name)
        if let collection = holder.layout.collection(of: property.name) {
          try watchRemovals(from: collection, index, of: holder)
        } else {
          try watch(
            holder.quotedTable, "AFTER UPDATE OF \(column)",
            condition: "NEW.\(column) IS NULL AND OLD.\(column) IS NOT NULL",
            call: "strata_updated(\(holder.index), \(index), OLD.\"_row\")")
        }
      }
    }
    return cascading
  }

  private func watchRemovals(
    from collection: CollectionLayout, _ property: Int, of holder: ModelAccess
  ) throws {
    // What the rows that were read are known by.
    let element = collection.kind == .set ? LayoutNames.value : LayoutNames.index
    try watch(
      SQL.identifier(collection.table.name), "AFTER DELETE",
      call:
        "strata_removed(\(holder.index), \(property), OLD.\"_owner\", OLD.\(SQL.identifier(element)))"
    )
  }

  /// What is of type `any` has no foreign keys: a property that leads to a deleted object becomes nil, an element leaves its
  /// collection, as they would with a link.
  private func forgetInAny(_ target: ModelAccess) throws {
    for case let holder? in accesses {
      for (index, property) in holder.model.properties.enumerated()
      where property.isStored && property.type.valueType?.base.scalar == .any {
        let collection = holder.layout.collection(of: property.name)
        let table = collection.map { SQL.identifier($0.table.name) } ?? holder.quotedTable
        let name = collection == nil ? property.name : LayoutNames.value
        let column = SQL.identifier(name)
        let found =
          "\(IndexDefinition.linkCondition(column: name)) "
          + "AND \(column) = strata_link_in_any(\(target.index), \(TriggerDefinition.old(LayoutNames.row, writing: holder.model)))"
        try watch(
          target.quotedTable, "AFTER DELETE", for: "\(holder.model.name).\(property.name)",
          statement: collection == nil
            ? "UPDATE \(table) SET \(column) = NULL WHERE \(found)"
            : "DELETE FROM \(table) WHERE \(found)")
        if let collection {
          try watchRemovals(from: collection, index, of: holder)
        } else {
          try watch(
            table, "AFTER UPDATE OF \(column)",
            condition: "NEW.\(column) IS NULL AND OLD.\(column) IS NOT NULL",
            call: "strata_updated(\(holder.index), \(index), OLD.\"_row\")")
        }
      }
    }
  }

  /// Runs what deletes. When it fails, what the sink heard of it meanwhile was taken back by SQLite.
  func changingUnderWatch<Result>(_ body: () throws -> Result) throws(StoreError) -> Result {
    let before = changeMark
    do {
      return try body()
    } catch {
      takenBack(since: before)
      throw storeError(error)
    }
  }

  private func watch(
    _ table: String, _ event: String, condition: String? = nil, call: String
  ) throws {
    try watch(table, event, condition: condition, for: nil, statement: "SELECT \(call)")
  }

  /// - Parameter place: what tells the triggers of one table and event apart.
  private func watch(
    _ table: String, _ event: String, condition: String? = nil, for place: String?,
    statement: String
  ) throws {
    let purpose = place.map { " for \($0)" } ?? ""
    let name = SQL.identifier("strata watches \(table) \(event)\(purpose)")
    try database.prepare(
      "CREATE TEMP TRIGGER IF NOT EXISTS \(name) \(event) ON main.\(table)"
        + (condition.map { " WHEN \($0)" } ?? "") + " BEGIN \(statement); END"
    ).run()
  }

  private func addWatchFunctions() throws {
    if following.hasWatchFunctions { return }
    following.hasWatchFunctions = true
    // The connection does not outlive the sink.
    let sink = sink
    try database.addRecorder("strata_deleted", argumentCount: 2) { call in
      sink.deleted(call[1].integer, of: Int(call[0].integer))
    }
    let models = definition.schema.models
    try database.addFunction("strata_link_in_any", argumentCount: 2) { call in
      let model = models[Int(call[0].integer)].name
      call.give(AnyCoding.bytes(ofLinkTo: model, call[1].integer))
    }
    try database.addRecorder("strata_removed", argumentCount: 4) { call in
      sink.removed(
        call[3].sqliteValue, from: call[2].integer, of: Int(call[0].integer),
        property: Int(call[1].integer))
    }
    try database.addRecorder("strata_updated", argumentCount: 3) { call in
      sink.updated(
        call[2].integer, of: Int(call[0].integer), property: Int(call[1].integer))
    }
  }
}
