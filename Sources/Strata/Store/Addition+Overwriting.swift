import StrataSchema

/// Gives objects that are there the values of those that were added with their keys, or as copies of them.
extension Addition {
  /// Gives an object that is there the values of one that was given.
  func overwrite(_ object: Object) throws {
    guard let access = object.managedAccess, let storage = object.standalone else { return }
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
      rowInPlace = isNewPart(value) ? ownedRows.first : nil
      let new = try storedValue(value, access, property)
      // An embedded object that stays is not taken out for a moment, which would delete it.
      if update == .modified || access.targets[property]?.isEmbedded == true,
        there.storedValue(at: property) == new
      {
        continue
      }
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

  private func attach(
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
    var places = rowsInPlaces(of: core, there, access, property).makeIterator()
    let elements = try core.standaloneStoredElements { element in
      rowInPlace = places.next()
      return try self.storedValue(element, access, property)
    }
    core.attach(to: store, access, property: property, owner: object.row)
    cores.append(core)
    core.refresh()
    if update == .all || !core.hasElements(elements) {
      if let target = access.targets[property], target.isEmbedded {
        try store.watchDeletions(of: target)
      }
      try core.replaceElements(elements)
      store.didChange(access, object.row, property: property)
    }
    core.forgetRows()
    object.keep(core, at: property)
  }

  /// Whether a value is a new embedded object of which only what is different is to be written into the one in its place.
  private func isNewPart(_ value: StandaloneValue) -> Bool {
    guard update == .modified, case .object(let object) = value else { return false }
    return object.model.model.isEmbedded && object.manager == nil
      && object.standalone?.origin == nil
  }

  /// The embedded objects of a collection that new ones give their values; none where the collection is to have others: all of its rows
  /// are written anew then.
  private func rowsInPlaces(
    of core: CollectionCore, _ there: Object, _ access: ModelAccess, _ property: Int
  ) -> [Int64] {
    let objects = core.standaloneObjects
    guard let target = access.targets[property], target.isEmbedded,
      objects.allSatisfy({ isNewPart(.object($0)) }),
      Set(objects.map(ObjectIdentifier.init)).count == objects.count,
      !store.definition.schema.hasUniqueValues(within: target.model)
    else { return [] }
    let rows: [Value]
    switch core {
    case is ListCore:
      rows = there.collection(at: property, as: ListCore.self).storedValues
    case let core as MapCore:
      let entries = there.collection(at: property, as: MapCore.self).storedEntries
      guard entries.map({ Value.string($0.key) }) == core.keys.map(Value.string) else { return [] }
      rows = entries.map(\.value)
    default: return []
    }
    guard rows.count == objects.count else { return [] }
    return rows.compactMap { if case .link(let row) = $0 { row } else { nil } }
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

extension Schema {
  /// Whether a model's objects, or those embedded in them, have values that no two may share: one that is changed in its place could
  /// get what the next one has still.
  func hasUniqueValues(within model: Model) -> Bool {
    var rest = [model]
    var seen: Set = [model.name]
    while let model = rest.popLast() {
      if !model.uniques.isEmpty || model.storedProperties.contains(where: \.isUnique) {
        return true
      }
      for property in model.storedProperties {
        guard let name = property.type.linkedModel, let target = self.model(named: name),
          target.isEmbedded, seen.insert(name).inserted
        else { continue }
        rest.append(target)
      }
    }
    return false
  }
}
