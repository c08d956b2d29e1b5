/// Writes the rows of the collections of new objects.
extension Addition {
  func insertCollections(
    of object: Object, _ storage: StandaloneStorage, _ access: ModelAccess
  ) throws {
    for property in access.collectionProperties {
      guard case .collection(var core) = storage.values[property], !core.isSharedEmpty else {
        continue
      }
      // One of a copy that was emptied says so still, should the object not be added after all.
      if core.isEmptyStandalone && !core.isChanged {
        // It has no other owner: the managed object makes a new one on first use.
        storage.values[property] = .collection(core.sharedEmpty)
        if !core.isTracked, isKnownUniquelyReferenced(&core) { continue }
        storage.values[property] = .collection(core)
      }
      try insert(core, of: object, access, property)
    }
  }

  private func insert(
    _ core: CollectionCore, of object: Object, _ access: ModelAccess, _ property: Int
  ) throws {
    guard access.collectionTables[property] != nil else {
      return
    }
    if try !postpones(core, of: object, access, property) {
      try insertRows(of: core, object, access, property)
    }
  }

  private func insertRows(
    of core: CollectionCore, _ object: Object, _ access: ModelAccess, _ property: Int
  ) throws {
    core.attach(to: store, access, property: property, owner: object.row)
    cores.append(core)
    try core.insertStandaloneElements()
    object.keep(core, at: property)
  }

  /// A collection that holds objects whose rows are still to come.
  struct PostponedCollection {
    let core: CollectionCore
    let object: Object
    let access: ModelAccess
    let property: Int
  }

  /// A collection of an object, of whose views there may be several.
  struct RewrittenCollection: Hashable {
    let model: Int
    let row: Int64
    let property: Int
  }

  /// Gives the objects in a collection their identities. Its rows come after theirs where one is new, because a link whose object
  /// is not there yet makes SQLite look for links to each object that is inserted until the link leads somewhere.
  ///
  /// What is embedded waits for nothing: it becomes a copy when it has a place already.
  private func postpones(
    _ core: CollectionCore, of object: Object, _ access: ModelAccess, _ property: Int
  ) throws -> Bool {
    guard let target = access.targets[property], !target.isEmbedded, !isWritingCopy else {
      return false
    }
    let known = countOfWaiting
    for element in core.standaloneObjects {
      _ = try store.link(to: element, from: access, property: property)
    }
    if countOfWaiting == known { return false }
    postponed.append(
      PostponedCollection(core: core, object: object, access: access, property: property))
    return true
  }

  func insertPostponed() throws {
    isWritingCopy = false
    ownedRows = []
    for collection in postponed where collection.object.manager != nil {
      let (core, object, access) = (collection.core, collection.object, collection.access)
      let place = RewrittenCollection(
        model: access.index, row: object.row, property: collection.property)
      // Its object was given again, with the elements that are there now.
      if rewritten.contains(place) {
        attach(core, to: object, access, collection.property)
      } else {
        try insertRows(of: core, object, access, collection.property)
      }
    }
  }
}
