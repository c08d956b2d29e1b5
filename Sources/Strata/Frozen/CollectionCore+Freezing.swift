import StrataSchema

extension CollectionCore {
  final var isFrozen: Bool { store?.isFrozen == true }

  /// The same property of the same owner in a frozen store.
  final func frozen(_ location: SourceLocation, for isolation: (any Actor)?) -> Self {
    guard let store else {
      misuse(
        "A collection of an object that belongs to no store was frozen (\(location)): add the object first."
      )
    }
    return store.isFrozen ? self : moved(to: store.frozenStore(location, for: isolation))
  }

  /// The same property of the same owner in the live store; nil when the owner was deleted.
  final func thawed(for isolation: (any Actor)?) -> Self? {
    guard let store, store.isFrozen else { return isInvalidated ? nil : self }
    guard let live = try? store.liveStore(for: isolation) else { return nil }
    return thawed(in: live)
  }

  final func thawed(in other: Store) -> Self? {
    guard let store, store.isSameFile(as: other) else { return nil }
    let core = moved(to: other)
    return core.isInvalidated ? nil : core
  }

  final func moved(to store: Store) -> Self {
    guard let access, let target = try? store.access(named: access.model.name) else { return self }
    let core = Self()
    core.attach(to: store, target, property: property, owner: owner)
    return core
  }
}
