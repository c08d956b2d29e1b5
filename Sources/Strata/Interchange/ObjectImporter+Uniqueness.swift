import StrataSQLite
import StrataSchema

/// Values that have to be unique when all lines are stored, and not after each.
extension ObjectImporter {
  /// Stores one object, also where another one still has its unique values: a later line may change that.
  func storeUntilUnique(
    _ members: [String: JSON], as model: ImportedModel, known: Int64?
  ) throws -> Int64 {
    guard model.mayConflict else { return try store(members, as: model, known: known) }
    let counts = (created, updated)
    var met: [(key: [String], reason: any Error)] = []
    // One round for each model of the line's objects.
    for _ in 0...schema.models.count {
      let savepoint = try store.database.beginSavepoint("line")
      do {
        let identity = try store(members, as: model, known: known)
        try store.database.release(savepoint)
        for (key, reason) in met where conflicts[key] == nil { conflicts[key] = (identity, reason) }
        return identity
      } catch {
        let reason = store.storeError(error)
        guard case .notUnique(let name, let properties) = reason,
          let other = schema.model(named: name)
        else {
          throw error
        }
        try takeBack(savepoint)
        guard try uniqueness.takeOff(of: other) else { throw error }
        (created, updated) = counts
        if name == model.name {
          met.append(([name] + properties, self.error(reason.reasonOfLine)))
        }
      }
    }
    return try store(members, as: model, known: known)
  }

  /// Lets a link be made though another object still has it, or the same values beside it: a later link may change that.
  ///
  /// - Returns: false where the error is another one.
  func mayRepeatLink(of owner: Int64, after error: any Error) throws -> Bool {
    let reason = store.storeError(error)
    guard case .notUnique(let name, let properties) = reason,
      let model = schema.model(named: name)
    else { return false }
    store.suspendCursors()
    guard try uniqueness.takeOff(of: model) else { return false }
    let key = [name] + properties
    if conflicts[key] == nil { conflicts[key] = (owner, self.error(reason.reasonOfLine)) }
    return true
  }

  /// Takes back what was stored of a line, and what was made in the file's temporary tables for it.
  private func takeBack(_ savepoint: Savepoint) throws {
    store.suspendCursors()
    try store.database.takeBack(savepoint)
    store.following.watchedModels = []
    store.clock.changedEverything()
    links.forgetIndex()
  }
}
