import StrataSchema

extension Object {
  /// Whether the object belongs to a frozen store and never changes.
  public final var isFrozen: Bool { manager?.isFrozen == true }

  /// The object as it is now, for ever. It may be used on any thread; see ``Store/freeze(isolation:file:line:)``.
  ///
  /// ```swift
  /// let frozen = person.freeze()
  /// Task.detached { print(frozen.fullName) }
  /// ```
  /// - Precondition: managed, and not within a write transaction.
  public final func freeze(
    isolation: isolated (any Actor)? = #isolation, file: StaticString = #fileID, line: UInt = #line
  ) -> sending Self {
    // The new object is disconnected: it has no other reference yet, and the frozen store behind it is `Sendable`.
    nonisolated(unsafe) let frozen = frozenObject(
      SourceLocation(file: file, line: line), for: isolation)
    return frozen
  }

  /// The object as it can be changed, in the live store as ``Store/thaw(isolation:)`` finds it; nil when it was deleted, and where
  /// that store cannot be opened. A live object is its own.
  public final func thaw(
    isolation: isolated (any Actor)? = #isolation
  ) -> Self? { thawed(for: isolation) }

  /// The same for no actor, as a function without parameters: for protocols, and as a value.
  @_disfavoredOverload
  public final func thaw() -> Self? { thawed(for: nil) }

  private func thawed(for isolation: (any Actor)?) -> Self? {
    guard let manager, manager.isFrozen else { return isInvalidated ? nil : self }
    guard let store = try? manager.liveStore(for: isolation) else { return nil }
    return thaw(in: store)
  }

  /// The same object in another store of the same file; nil when it is not there.
  public final func thaw(in store: Store) -> Self? {
    if manager === store { return isInvalidated ? nil : self }
    guard let manager, manager.isSameFile(as: store),
      let access = try? store.access(named: model.model.name)
    else { return nil }
    let object = access.object(row)
    return object.isInvalidated ? nil : object as? Self
  }

  private func frozenObject(_ location: SourceLocation, for isolation: (any Actor)?) -> Self {
    guard let manager else {
      misuse(
        "A \(model.model.name) that belongs to no store was frozen (\(location)): "
          + "add it first, or give a detached() copy away.")
    }
    if manager.isFrozen { return self }
    let frozen = manager.frozenStore(location, for: isolation)
    guard let access = try? frozen.access(named: model.model.name) else { return self }
    let object = unsafeDowncast(access.object(row), to: Self.self)
    // A deleted object keeps its last values, and so does one of a closed store.
    if object.isMissing || frozen.isClosed {
      object.buffer.copy(buffer)
      // What was added in a cancelled transaction is told apart, and found again, by the number that it had there.
      object.givenRow = givenRow
      object.outcome = outcome
    }
    return object
  }
}
