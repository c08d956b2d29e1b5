import StrataSQLite
import StrataSchema

/// Values that have to be unique when all lines are stored, and not after each.
extension ObjectImporter {
  /// Stores one object, also where another one still has its unique values: a later line may change that.
  func storeUntilUnique(
    _ members: [String: JSON], as model: ImportedModel, known: Int64?
  ) throws -> Int64 {
    let firstNew = store.writing.nextRow
    guard model.mayConflict else {
      let identity = try store(members, as: model, known: known)
      if hasRules { try note(identity, members, model, firstNew: firstNew) }
      return identity
    }
    let counts = (created, updated)
    var met: [(key: [String], reason: any Error)] = []
    // One round for each model of the line's objects.
    for _ in 0...schema.models.count {
      let start = store.changeMark
      let savepoint = try store.database.beginSavepoint("line")
      do {
        let identity = try store(members, as: model, known: known)
        try store.database.release(savepoint)
        for (key, reason) in met where conflicts[key] == nil { conflicts[key] = (identity, reason) }
        try note(identity, members, model, firstNew: firstNew)
        return identity
      } catch {
        let reason = store.storeError(error)
        guard case .notUnique(let name, let properties) = reason,
          let other = schema.model(named: name)
        else {
          throw error
        }
        try takeBack(savepoint, start)
        guard try uniqueness.takeOff(of: other) else { throw error }
        (created, updated) = counts
        if name == model.name {
          met.append(([name] + properties, self.error(reason.reasonOfLine)))
        }
      }
    }
    return try store(members, as: model, known: known)
  }

  /// Whether an object that is stored may turn out to break a rule.
  private var hasRules: Bool { store.writing.rules != nil }

  /// Notes where values came from that may turn out not to be unique, or to break a rule.
  private func note(
    _ identity: Int64, _ members: [String: JSON], _ model: ImportedModel, firstNew: Int64
  ) throws {
    guard let rows, hasRules || !uniqueness.isWhole else { return }
    if identity < firstNew {
      let given = Set(model.access.model.uniqueKeys.joined()).filter { members[$0] != nil }
      if hasRules || !given.isEmpty {
        try rows.add(identity, identity, line: line, given: given.sorted())
      }
    }
    let next = store.writing.nextRow
    if next > firstNew { try rows.add(firstNew, next - 1, line: line) }
  }

  /// Names the line of an object that breaks a rule, while the transaction that has stored it is still there.
  func namingLine(ofCommit error: StoreError) -> any Error {
    guard case .ruleBroken(let broken) = error,
      let line = (try? rows?.line(of: broken.identity)) ?? nil
    else { return error }
    return ImportError(line: line, message: "\(broken)", code: error.code)
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

  /// - Throws: `ImportError` for a line whose values another object has, too; `MigrationError` where none is known.
  func putBackUniqueness() throws {
    try uniqueness.putBack { model, properties in
      conflicts[[model] + properties]
    } latest: { model, properties, values in
      try rows?.line(of: model, properties, values).map {
        let reason = StoreError.notUnique(model: model, properties: properties)
        return ImportError(line: $0, message: reason.reasonOfLine)
      }
    }
  }

  /// Takes back what was stored of a line, and what was made in the file's temporary tables for it.
  private func takeBack(_ savepoint: Savepoint, _ start: Store.ChangeMark) throws {
    store.suspendCursors()
    try store.database.takeBack(savepoint)
    store.following.watchedModels = []
    store.takenBack(since: start)
    links.forgetIndex()
  }
}
