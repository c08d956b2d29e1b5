import StrataSQLite
import StrataSchema

/// What happens when an object with the same primary key is there already.
public enum UpdatePolicy: Sendable {
  /// It is an error.
  case error
  /// The object there gets all values of the new one.
  case all
  /// The object there gets those values of the new one that are different, so that observers hear of these only. Of a
  /// `detached()` copy those that were set in it: what was written to the original meanwhile stays.
  case modified
}

extension Store {
  /// Adds an object, and every object that it leads to, and makes them managed. An object of this store stays as it is.
  ///
  /// - Parameters:
  ///   - object: a standalone object; one that belongs to another store is refused.
  ///   - update: what happens when an object with the same primary key is there already, or, of a `detached()` copy
  ///     without one, the original. With `.all` and `.modified` the given object becomes a view of that one.
  /// - Throws: `StoreError.notInWriteTransaction`, `.duplicatePrimaryKey`, `.belongsToAnotherStore`,
  ///   `.missingRequired`, `.notUnique`, `.embeddedWithoutOwner`; nothing was added then.
  public func add(_ object: Object, update: UpdatePolicy = .error) throws(StoreError) {
    try checkInWriteTransaction()
    try translatingErrors {
      guard object.manager == nil else {
        _ = try Addition.add(object, to: self, update: update)
        return
      }
      let access = try access(of: object)
      if access.isEmbedded { throw StoreError.embeddedWithoutOwner(model: access.model.name) }
      try Addition.add(object, .passUnretained(access), to: self, update: update)
    }
  }

  /// Adds objects one after the other.
  ///
  /// - Throws: as ``add(_:update:)``; the objects before the one that failed were added.
  public func add<Element: Object>(
    _ objects: some Sequence<Element>, update: UpdatePolicy = .error
  ) throws(StoreError) {
    for object in objects { try add(object, update: update) }
  }

  /// All objects of a class, as they are whenever they are looked at.
  public func objects<Element: Object>(_ type: Element.Type) -> Results<Element> {
    do {
      return Results(try access(type))
    } catch {
      misuse(error.description)
    }
  }

  /// All objects of a model by its name.
  ///
  /// - Throws: `StoreError.unknownModel`
  public func objects(named model: String) throws(StoreError) -> Results<Object> {
    Results(try access(named: model))
  }

  /// The object with this primary key.
  ///
  /// - Throws: `StoreError.noPrimaryKey`, `.wrongType`
  @inlinable public func object<Element: Object>(
    ofType type: Element.Type, forPrimaryKey key: some StoredValue
  ) throws(StoreError) -> Element? {
    let object = try anyObject(ofType: type, forPrimaryKey: key._generatedCell)
    guard let object else { return nil }
    // It was made by the class's own model.
    return unsafeDowncast(object, to: Element.self)
  }

  /// Not generic: a lookup would spend a third of its time on asking the run time for its types.
  @usableFromInline func anyObject(
    ofType type: Object.Type, forPrimaryKey key: _GeneratedCell
  ) throws(StoreError) -> Object? {
    let access = try access(type)
    guard access.keyProperties.count == 1 else { return try object(access, [key]) }
    try beginLookup()
    let reads = trackedReadsOfLookup()
    do {
      let found = try access.object(forSingleKey: key.value ?? .null)
      reads?.noteLookup(of: found, access)
      return found
    } catch {
      throw lookupError(error, access)
    }
  }

  /// The object with this compound primary key, its values in the declared order.
  public func object<Element: Object>(
    ofType type: Element.Type, forPrimaryKey first: some StoredValue, _ second: some StoredValue,
    _ others: any StoredValue...
  ) throws(StoreError) -> Element? {
    let key = [first._generatedCell, second._generatedCell] + others.map(\._generatedCell)
    return try object(try access(type), key) as? Element
  }

  private func object(
    _ access: ModelAccess, _ key: [_GeneratedCell]
  ) throws(StoreError) -> Object? {
    let model = access.model
    if model.primaryKey.isEmpty { throw .noPrimaryKey(model: model.name) }
    guard key.count == model.primaryKey.count else {
      throw .wrongType(
        model: model.name, property: model.primaryKey.joined(separator: ", "),
        expected: "\(model.primaryKey.count) values", found: "\(key.count)")
    }
    try beginLookup()
    let reads = trackedReadsOfLookup()
    do {
      let found = try access.object(forKey: key.map { $0.value ?? .null })
      reads?.noteLookup(of: found, access)
      return found
    } catch {
      throw lookupError(error, access)
    }
  }

  @inline(__always) private func beginLookup() throws(StoreError) {
    if prepareToRead() { return }
    try throwPendingError()
    throw .closed
  }

  private func lookupError(_ error: any Error, _ access: ModelAccess) -> StoreError {
    guard let error = error as? ColumnError else { return storeError(error) }
    return .wrongType(
      model: access.model.name, property: access.model.primaryKey.joined(separator: ", "),
      expected: error.expected, found: error.found)
  }
}
