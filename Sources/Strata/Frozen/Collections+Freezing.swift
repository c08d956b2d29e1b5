extension List {
  /// Whether the list belongs to a frozen store and never changes.
  public var isFrozen: Bool { core.isFrozen }

  /// The list as it is now, for ever. It may be used on any thread; see ``Store/freeze(isolation:file:line:)``.
  ///
  /// - Precondition: of a managed object, and not within a write transaction.
  public func freeze(
    isolation: isolated (any Actor)? = #isolation, file: StaticString = #fileID, line: UInt = #line
  ) -> sending List {
    // The new list is disconnected: it has no other reference yet, and the frozen store behind it is `Sendable`.
    nonisolated(unsafe) let frozen = List(
      core: core.frozen(SourceLocation(file: file, line: line), for: isolation))
    return frozen
  }

  /// The list as it can be changed, in the live store as ``Store/thaw(isolation:)`` finds it; nil when its owner was deleted.
  public func thaw(
    isolation: isolated (any Actor)? = #isolation
  ) -> List? { core.thawed(for: isolation).map { List(core: $0) } }

  /// The same for no actor, as a function without parameters: for protocols, and as a value.
  @_disfavoredOverload
  public func thaw() -> List? { core.thawed(for: nil).map { List(core: $0) } }

  /// The list in another store of the same file; nil when its owner is not there.
  public func thaw(in store: Store) -> List? { core.thawed(in: store).map { List(core: $0) } }
}

extension MutableSet {
  /// Whether the set belongs to a frozen store and never changes.
  public var isFrozen: Bool { core.isFrozen }

  /// The set as it is now, for ever. It may be used on any thread, as a store's `freeze()` says.
  ///
  /// - Precondition: of a managed object, and not within a write transaction.
  public func freeze(
    isolation: isolated (any Actor)? = #isolation, file: StaticString = #fileID, line: UInt = #line
  ) -> sending MutableSet {
    // The new set is disconnected: it has no other reference yet, and the frozen store behind it is `Sendable`.
    nonisolated(unsafe) let frozen = MutableSet(
      core: core.frozen(SourceLocation(file: file, line: line), for: isolation))
    return frozen
  }

  /// The set as it can be changed, in the live store as ``Store/thaw(isolation:)`` finds it; nil when its owner was deleted.
  public func thaw(
    isolation: isolated (any Actor)? = #isolation
  ) -> MutableSet? { core.thawed(for: isolation).map { MutableSet(core: $0) } }

  /// The same for no actor, as a function without parameters: for protocols, and as a value.
  @_disfavoredOverload
  public func thaw() -> MutableSet? { core.thawed(for: nil).map { MutableSet(core: $0) } }

  /// The set in another store of the same file; nil when its owner is not there.
  public func thaw(in store: Store) -> MutableSet? {
    core.thawed(in: store).map { MutableSet(core: $0) }
  }
}

extension Map {
  /// Whether the map belongs to a frozen store and never changes.
  public var isFrozen: Bool { core.isFrozen }

  /// The map as it is now, for ever. It may be used on any thread; see ``Store/freeze(isolation:file:line:)``.
  ///
  /// - Precondition: of a managed object, and not within a write transaction.
  public func freeze(
    isolation: isolated (any Actor)? = #isolation, file: StaticString = #fileID, line: UInt = #line
  ) -> sending Map {
    // The new map is disconnected: it has no other reference yet, and the frozen store behind it is `Sendable`.
    nonisolated(unsafe) let frozen = Map(
      core: core.frozen(SourceLocation(file: file, line: line), for: isolation))
    return frozen
  }

  /// The map as it can be changed, in the live store as ``Store/thaw(isolation:)`` finds it; nil when its owner was deleted.
  public func thaw(
    isolation: isolated (any Actor)? = #isolation
  ) -> Map? { core.thawed(for: isolation).map { Map(core: $0) } }

  /// The same for no actor, as a function without parameters: for protocols, and as a value.
  @_disfavoredOverload
  public func thaw() -> Map? { core.thawed(for: nil).map { Map(core: $0) } }

  /// The map in another store of the same file; nil when its owner is not there.
  public func thaw(in store: Store) -> Map? { core.thawed(in: store).map { Map(core: $0) } }
}
