extension Results {
  /// Whether the objects belong to a frozen store, so that they never change and are always the same ones.
  public var isFrozen: Bool { query.store.isFrozen }

  /// The objects as they are now, for ever. They may be used on any thread; see ``Store/freeze(isolation:file:line:)``.
  public func freeze(
    isolation: isolated (any Actor)? = #isolation, file: StaticString = #fileID, line: UInt = #line
  ) -> sending Results {
    // The new result is disconnected: it has no other reference yet, and the frozen store behind it is `Sendable`.
    nonisolated(unsafe) let frozen = moved(
      to: query.store.frozenStore(SourceLocation(file: file, line: line), for: isolation))
    return frozen
  }

  /// The same question to the live store, as ``Store/thaw(isolation:)`` finds it; nil when it cannot be opened.
  public func thaw(
    isolation: isolated (any Actor)? = #isolation
  ) -> Results? { thawed(for: isolation) }

  /// The same for no actor, as a function without parameters: for protocols, and as a value.
  @_disfavoredOverload
  public func thaw() -> Results? { thawed(for: nil) }

  func thawed(for isolation: (any Actor)?) -> Results? {
    guard let store = try? query.store.liveStore(for: isolation) else { return nil }
    return moved(to: store)
  }

  /// The same question to another store of the same file.
  public func thaw(in store: Store) -> Results? {
    query.store.isSameFile(as: store) ? moved(to: store) : nil
  }

  func moved(to store: Store) -> Results { Results(query.moved(to: store)) }
}

extension LinkingObjects {
  /// Whether the objects belong to a frozen store.
  public var isFrozen: Bool { objects?.isFrozen == true }

  /// The store that the objects belong to; nil for those of a standalone object.
  public var store: Store? { objects?.store }

  /// The objects as they are now, for ever. They may be used on any thread, as a store's `freeze()` says.
  ///
  /// - Precondition: of a managed object
  public func freeze(
    isolation: isolated (any Actor)? = #isolation, file: StaticString = #fileID, line: UInt = #line
  ) -> sending LinkingObjects {
    guard let objects else {
      misuse("Nothing links to an object that belongs to no store.")
    }
    // The new result has no other reference yet, as above.
    nonisolated(unsafe) let frozen = LinkingObjects(
      results: objects.moved(
        to: objects.query.store.frozenStore(
          SourceLocation(file: file, line: line), for: isolation)))
    return frozen
  }

  /// The objects that link to the same one in the live store, as ``Store/thaw(isolation:)`` finds it.
  public func thaw(
    isolation: isolated (any Actor)? = #isolation
  ) -> LinkingObjects? { objects?.thawed(for: isolation).map { LinkingObjects(results: $0) } }

  /// The same for no actor, as a function without parameters: for protocols, and as a value.
  @_disfavoredOverload
  public func thaw() -> LinkingObjects? {
    objects?.thawed(for: nil).map { LinkingObjects(results: $0) }
  }

  /// The same in another store of the same file.
  public func thaw(in store: Store) -> LinkingObjects? {
    objects?.thaw(in: store).map { LinkingObjects(results: $0) }
  }
}
