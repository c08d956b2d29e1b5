import StrataSchema

/// Which object a detached copy was made of. With the properties that were set in the copy since, it says what saving the copy has
/// to write.
struct ObjectOrigin {
  let file: FileIdentity
  let row: Int64
  /// How the transaction ended that added the object; nil for one that was there before.
  let outcome: WriteOutcome?
  /// The properties that were set in the copy.
  var changes: Set<Int> = []
}

extension Object {
  /// Whether nothing but the object's primary key is known: it names an object that stands elsewhere.
  final var isNameAlone: Bool { manager == nil && givesNothing }

  /// The same, also of an object whose addition has begun.
  final var givesNothing: Bool {
    guard let standalone, standalone.setBesidesKey?.isEmpty == true else { return false }
    return standalone.values.allSatisfy {
      if case .collection(let core) = $0 { !core.isChanged } else { true }
    }
  }

  /// Whether the object is a copy of one in the store's file.
  final func isCopy(in store: Store) -> Bool {
    manager == nil && standalone?.origin?.file == store.fileIdentity
  }

  /// What is set in an embedded object that stands somewhere else already, or is being added there: a copy that links to the same
  /// objects, or, of another file, to copies of them.
  ///
  /// - Throws: `StoreError.invalidated` for a deleted one that embeds objects or has collections: what was in them is gone.
  final func embeddedCopy(for store: Store) throws -> Object {
    if manager != nil, !isWaitingForRow, !model.holdsSingleValues, lastCopy == nil, isInvalidated {
      throw StoreError.invalidated(model: model.model.name)
    }
    return Detachment(
      depth: nil, keeps: { $0.manager.map(store.isSameFile) ?? true }, remembersOrigin: false
    ).copy(self)
  }

  /// Whether an embedded object that is being added leads to itself by way of embedded ones, so that no place would be its own.
  final var isEmbeddedInItself: Bool {
    guard isWaitingForRow else { return false }
    var found: Set<ObjectIdentifier> = []
    var rest = embeddedStandaloneObjects
    while let next = rest.popLast() {
      if next === self { return true }
      if found.insert(ObjectIdentifier(next)).inserted { rest += next.embeddedStandaloneObjects }
    }
    return false
  }

  private var embeddedStandaloneObjects: [Object] {
    guard let standalone else { return [] }
    return standalone.values.flatMap(\.objects).filter(\.model.model.isEmbedded)
  }

  /// What `create` and `init(value:)` make of an object: a copy that links to the same objects of a store.
  /// - Parameters:
  ///   - store: which objects to link to; nil for those of any store.
  ///   - new: a new object, which becomes the copy.
  final func valueCopy(for store: Store?, into new: Object) -> Object {
    Detachment(
      depth: nil,
      keeps: { object in
        guard let manager = object.manager else { return false }
        return store.map { $0.isSameFile(as: manager) } ?? true
      }, remembersOrigin: false
    ).copy(self, into: new)
  }

  /// The rows to which a collection of links leads.
  final func linkedRows(at property: Int) -> Set<Int64> {
    let values: [Value] =
      switch model.model.properties[property].type {
      case .list: collection(at: property, as: ListCore.self).storedValues
      case .set: collection(at: property, as: SetCore.self).storedValues
      case .map: collection(at: property, as: MapCore.self).storedEntries.map(\.value)
      case .value, .inverse: []
      }
    return Set(values.compactMap { if case .link(let row) = $0 { row } else { nil } })
  }
}
