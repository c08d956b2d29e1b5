import StrataSQLite
import StrataSchema

/// Gives objects that are there the values of those that were added with their keys, or as copies of them.
extension Addition {
  /// Gives an object that is there the values of one that was given.
  func overwrite(_ object: Object) throws {
    guard let access = object.managedAccess, let storage = object.standalone else { return }
    // Its owner, which was given twice, has given its place to another one meanwhile.
    if access.isEmbedded, storage.origin == nil || givesSomeTwice, try !access.exists(object.row) {
      return object.detachFromStore()
    }
    // Embedded objects that others take the place of are deleted.
    for case let target? in access.targets where target.isEmbedded {
      try store.watchDeletions(of: target)
    }
    if access.targets.contains(where: { $0?.isEmbedded == true }) {
      try keepEmbedded(in: storage)
    }
    let there = access.object(object.row)
    isWritingCopy = storage.origin != nil
    let changes = changes(of: storage, object.row)
    for (property, value) in storage.values.enumerated() {
      if case .collection(let held) = value {
        let core = held.isSharedEmpty ? type(of: held).init() : held
        if let changes, !changes.contains(property), !core.isChanged,
          core.standaloneObjects.allSatisfy(keepsIdentity)
        {
          ownedRows = embeddedRows(of: there, access, property)
          for element in core.standaloneObjects { try saveCopy(element) }
          attach(core, to: object, access, property)
        } else {
          ownedRows = []
          try overwrite(core, of: object, there, access, property)
        }
        continue
      }
      guard access.layout.codecs[property] != nil else { continue }
      ownedRows = embeddedRows(of: there, access, property)
      if let changes, !changes.contains(property) {
        guard case .object(let target) = value else { continue }
        if keepsIdentity(target) {
          try saveCopy(target)
          continue
        }
      }
      rowInPlace = equalRow(to: value, access, property)
      let new = try storedValue(value, access, property)
      // An embedded object that stays is not taken out for a moment, which would delete it.
      if update == .modified || access.targets[property]?.isEmbedded == true,
        there.storedValue(at: property) == new
      {
        continue
      }
      store.willChange(access)
      try access.update(object.row, property, new)
      store.didChange(access, object.row, property: property)
    }
  }

  /// The properties that are to be written, of a copy and of an object that only names the one that is there; nil for all.
  private func changes(of storage: StandaloneStorage, _ row: Int64) -> Set<Int>? {
    if let properties = storage.setBesidesKey { return properties }
    guard update == .modified, let origin = storage.origin, origin.row == row,
      origin.file == store.fileIdentity
    else { return nil }
    return origin.changes
  }

  /// Whether an object that a copy leads to is still the one that it was when the copy was made.
  private func keepsIdentity(_ object: Object) -> Bool {
    guard object.isCopy(in: store), let origin = object.standalone?.origin else {
      return object.manager != nil
    }
    return object.model.model.primaryKey.allSatisfy { name in
      object.model.model.indexOfProperty(named: name).map { !origin.changes.contains($0) } ?? true
    }
  }

  /// What was set in a copy to which another copy's unchanged link leads. What was deleted meanwhile stays deleted.
  private func saveCopy(_ object: Object) throws {
    guard object.manager == nil, let origin = object.standalone?.origin else { return }
    let access = try store.access(of: object)
    if access.isEmbedded ? ownedRows.contains(origin.row) : try access.exists(origin.row) {
      _ = try row(of: object)
    }
  }

  private func embeddedRows(
    of object: Object, _ access: ModelAccess, _ property: Int
  ) -> Set<Int64> {
    guard access.targets[property]?.isEmbedded == true else { return [] }
    if access.collectionTables[property] == nil {
      guard case .link(let row)? = object.storedValue(at: property) else { return [] }
      return [row]
    }
    return object.linkedRows(at: property)
  }

  /// Makes a collection a view of the rows that are there.
  func attach(
    _ core: CollectionCore, to object: Object, _ access: ModelAccess, _ property: Int
  ) {
    core.attach(to: store, access, property: property, owner: object.row)
    cores.append(core)
    object.keep(core, at: property)
  }

  private func overwrite(
    _ core: CollectionCore, of object: Object, _ there: Object, _ access: ModelAccess,
    _ property: Int
  ) throws {
    guard access.collectionTables[property] != nil else {
      return
    }
    var places = equalRows(of: core, there, access, property).makeIterator()
    let elements = try core.standaloneStoredElements { element in
      rowInPlace = places.next()
      return try self.storedValue(element, access, property)
    }
    if isGivenAgain, !postponed.isEmpty {
      rewritten.insert(
        RewrittenCollection(model: access.index, row: object.row, property: property))
    }
    core.attach(to: store, access, property: property, owner: object.row)
    cores.append(core)
    core.refresh()
    if update == .all || !core.hasElements(elements) {
      if let target = access.targets[property], target.isEmbedded {
        try store.watchDeletions(of: target)
      }
      store.willChange(access)
      try core.replaceElements(elements)
      store.didChange(access, object.row, property: property)
    }
    core.forgetRows()
    object.keep(core, at: property)
  }

  /// Whether new embedded objects with the values of those in their places become views of these, for which nothing is to be written. An owner that is
  /// given again has new ones in its places that have no rows yet.
  private func comparesParts(_ access: ModelAccess, _ property: Int) -> Bool {
    update == .modified && !isGivenAgain && access.targets[property]?.isEmbedded == true
  }

  /// What the object in a property, which `ownedRows` has, becomes a view of.
  private func equalRow(
    to value: StandaloneValue, _ access: ModelAccess, _ property: Int
  ) -> Int64? {
    guard comparesParts(access, property), let row = ownedRows.first else { return nil }
    return isNew(value, likePart: row, access, property) ? row : nil
  }

  /// What the elements of a collection become views of; none where the collection is to have others: all of its rows are written anew then.
  private func equalRows(
    of core: CollectionCore, _ there: Object, _ access: ModelAccess, _ property: Int
  ) -> [Int64] {
    guard comparesParts(access, property) else { return [] }
    let (new, rows): ([StandaloneValue], [Value])
    switch core {
    case let core as ListCore:
      new = core.standaloneElements
      rows = there.collection(at: property, as: ListCore.self).storedValues
    case let core as MapCore:
      let entries = there.collection(at: property, as: MapCore.self).storedEntries
      guard core.standaloneElements.map({ Value.string($0.0) }) == entries.map({ .string($0.key) })
      else { return [] }
      new = core.standaloneElements.map(\.1)
      rows = entries.map(\.value)
    default: return []
    }
    // One object in several places is copied into each but the first.
    guard new.count == rows.count,
      Set(core.standaloneObjects.map(ObjectIdentifier.init)).count == new.count
    else { return [] }
    var equal: [Int64] = []
    for (value, row) in zip(new, rows) {
      guard case .link(let row) = row, isNew(value, likePart: row, access, property) else {
        return []
      }
      equal.append(row)
    }
    return equal
  }

  /// Whether a value is a new object with the values of an embedded one that is there. One that a damaged file does not have is like none.
  private func isNew(
    _ value: StandaloneValue, likePart row: Int64, _ access: ModelAccess, _ property: Int
  ) -> Bool {
    guard case .object(let object) = value, object.manager == nil, object.standalone?.origin == nil,
      let part = access.targets[property]?.object(row, isRead: true)
    else { return false }
    part.readRow(of: store)
    return !part.isMissing && value.isSame(as: .object(part))
  }

  /// Whether an embedded object that waits for its row stands in its place still. Its owner, which was given twice, may have given that to another one.
  func hasPlace(_ object: Object, _ access: ModelAccess) throws -> Bool {
    let questions =
      placeQuestions[access.index]
      ?? store.definition.schema.holders(of: access.model.name).map { holder in
        "SELECT 1 FROM \(SQL.identifier(holder.table)) WHERE \(SQL.identifier(holder.targetColumn)) = ?1 LIMIT 1"
      }
    placeQuestions[access.index] = questions
    return try questions.contains {
      try store.database.firstValue($0, .integer(object.row)) != nil
    }
  }

  /// Gives embedded objects that had rows until their owner was given again what they were added with: they belong to nothing.
  func detachWhatLostItsRow() throws {
    var lost: Set<Int64> = []
    try forEachWaiting { object in
      guard let access = object.managedAccess, access.isEmbedded, try !access.exists(object.row)
      else { return }
      lost.insert(object.row)
      object.detachFromStore()
    }
    cores.removeAll { core in
      guard core.access?.isEmbedded == true, lost.contains(core.owner) else { return false }
      core.detachFromStore()
      return true
    }
  }

  /// Keeps the embedded objects of a store to which new values lead as they are now.
  func keepEmbedded(in storage: StandaloneStorage) throws {
    var rest = storage.values.flatMap(\.objects)
    var found: Set<ObjectIdentifier> = []
    while let object = rest.popLast() {
      guard object.model.model.isEmbedded, !object.isWaitingForRow,
        found.insert(ObjectIdentifier(object)).inserted
      else { continue }
      if object.manager == nil {
        rest += object.standalone?.values.flatMap(\.objects) ?? []
      } else if embeddedCopies[ObjectIdentifier(object)] == nil {
        embeddedCopies[ObjectIdentifier(object)] = try object.embeddedCopy(for: store)
      }
    }
  }
}
