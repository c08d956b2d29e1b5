import StrataSQLite
import StrataSchema

// MARK: - Deleting

extension Store {
  /// Deletes an object. Links to it go as their delete rules say; what it embeds goes with it.
  ///
  /// - Throws: `StoreError.notInWriteTransaction`, `.invalidated`, `.notManaged`, `.belongsToAnotherStore`
  public func delete(_ object: Object) throws(StoreError) {
    try checkInWriteTransaction()
    if object.manager == nil { throw .notManaged(model: object.model.model.name) }
    guard let access = object.managedAccess, object.manager === self else {
      throw .belongsToAnotherStore(model: object.model.model.name)
    }
    // Its last known values are those of now.
    object.readRow(of: self)
    if object.isMissing { throw .invalidated(model: access.model.name) }
    try changingUnderWatch {
      try watchDeletions(of: access)
      willChange(access)
      try access.delete(object.row)
    }
  }

  /// Deletes objects. One that was deleted meanwhile is passed over.
  public func delete<Element: Object>(
    _ objects: some Sequence<Element>
  ) throws(StoreError) {
    for object in Array(objects) where !object.isGone { try delete(object) }
  }

  /// Deletes all objects of all models.
  public func deleteAll() throws(StoreError) {
    try checkInWriteTransaction()
    // What was deleted before one of them fails is there again.
    try takingBackWhereItFails("strata_delete_all") {
      suspendCursors()
      for case let access? in accesses where !access.model.isEmbedded {
        try watchDeletions(of: access)
      }
      // What is embedded goes with its owners, from the ends of its chains; what is left has none.
      let owners = accesses.compactMap { $0 }.filter { !$0.isEmbedded }
      for access in owners + accesses.compactMap({ $0 }).filter(\.isEmbedded) {
        try deleteRows(of: access)
        sink.changedEverything(of: access.index)
      }
    }
  }

  private func takingBackWhereItFails(
    _ savepoint: StaticString, _ body: () throws -> Void
  ) throws(StoreError) {
    try translatingErrors { try allOrNothing(savepoint, body) }
  }

  /// Deletes all objects of a class.
  public func deleteAll<Element: Object>(_ type: Element.Type) throws(StoreError) {
    try checkInWriteTransaction()
    let access = try access(type)
    try changingUnderWatch {
      try watchDeletions(of: access)
      suspendCursors()
      try deleteRows(of: access)
    }
  }

  private func deleteRows(of access: ModelAccess) throws {
    let table = SQLText(trusted: access.quotedTable)
    try deleting(access, selectedBy: "SELECT \"_row\" FROM \(table)") {
      try database.execute("DELETE FROM \(access.quotedTable)")
    }
  }

  // MARK: - Chains

  /// Runs a statement that deletes objects of a model, with what goes with them. Where that stands in longer chains than
  /// SQLite follows, they are deleted from their ends.
  ///
  /// - Parameter selection: a query for the rows that the statement deletes.
  @inline(__always) func deleting(
    _ access: ModelAccess, selectedBy selection: @autoclosure () -> SQLText,
    _ statement: () throws -> Void
  ) throws {
    try followingChains(of: access, statement) { try $0.delete(selection()) }
  }

  /// Runs a statement that takes embedded objects of a model out of their place, in the same way.
  ///
  /// - Parameter selection: a query for the rows of these objects.
  @inline(__always) func takingOut(
    _ access: ModelAccess?, selectedBy selection: @autoclosure () -> SQLText,
    _ statement: () throws -> Void
  ) throws {
    guard let access, access.isEmbedded, access.isDeletedInChains else { return try statement() }
    try followingChains(of: access, statement) {
      try $0.deleteFollowers(of: selection())
      try statement()
    }
  }

  private func followingChains(
    of access: ModelAccess, _ statement: () throws -> Void,
    otherwise: (ChainDeletion) throws -> Void
  ) throws {
    guard access.isDeletedInChains else { return try statement() }
    // What the statement has deleted before it fails is there again, for a caller that catches the error and commits.
    let savepoint = try database.beginSavepoint("strata_delete")
    do {
      do {
        try database.following(atMost: ChainDeletion.followedBySQLite, statement)
      } catch let error as SQLiteError where error.isOfTooLongChain {
        suspendCursors()
        try database.rollBack(to: savepoint)
        try otherwise(ChainDeletion(of: access.model, database, definition.schema))
      }
      try database.release(savepoint)
    } catch {
      suspendCursors()
      // The first error is the one to tell.
      try? database.takeBack(savepoint)
      throw error
    }
  }
}
