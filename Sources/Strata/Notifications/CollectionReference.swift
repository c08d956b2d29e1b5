import StrataExpression
import StrataSchema

/// Which collection of which file: what a thread can give another instead of the collection.
///
/// ```swift
/// let reference = CollectionReference(people)
/// Task.detached {
///   let store = try Store()
///   print(store.resolve(reference)?.count ?? 0)
/// }
/// ```
public struct CollectionReference<Collection: ObservedCollection>: Sendable {
  let file: FileIdentity?
  let find: @Sendable (Store) -> Collection?

  init(file: FileIdentity?, find: @escaping @Sendable (Store) -> Collection?) {
    self.file = file
    self.find = find
  }
}

extension Store {
  /// The collection of a reference as this store sees it; nil when its owner is not there, or it is of another file.
  public func resolve<Collection>(_ reference: CollectionReference<Collection>) -> Collection? {
    reference.file == fileIdentity ? reference.find(self) : nil
  }
}

extension CollectionReference {
  public init<Element>(_ results: Results<Element>) where Collection == Results<Element> {
    let plan = results.query.plan
    self.init(file: results.query.store.fileIdentity) { store in
      Query(plan, in: store).map { Results<Element>($0) }
    }
  }

  public init<Element>(_ objects: LinkingObjects<Element>)
  where Collection == LinkingObjects<Element> {
    let plan = objects.objects?.query.plan
    self.init(file: objects.store?.fileIdentity) { store in
      guard let plan, plan.outcome?.isCancelled != true, plan.linked?.isThere(in: store) == true
      else { return nil }
      return Query(plan, in: store)
        .map { LinkingObjects<Element>(results: Results<Element>($0)) }
    }
  }

  public init<Element>(_ list: List<Element>) where Collection == List<Element> {
    let place = CollectionPlace(list.core)
    self.init(file: list.store?.fileIdentity) { store in
      place?.core(in: store, as: ListCore.self).map { List<Element>(core: $0) }
    }
  }

  public init<Element>(_ set: MutableSet<Element>) where Collection == MutableSet<Element> {
    let place = CollectionPlace(set.core)
    self.init(file: set.store?.fileIdentity) { store in
      place?.core(in: store, as: SetCore.self).map { MutableSet<Element>(core: $0) }
    }
  }

  public init<Value>(_ map: Map<Value>) where Collection == Map<Value> {
    let place = CollectionPlace(map.core)
    self.init(file: map.store?.fileIdentity) { store in
      place?.core(in: store, as: MapCore.self).map { Map<Value>(core: $0) }
    }
  }
}

/// Where a collection stands, without its store.
private struct CollectionPlace: Sendable {
  let model: String
  let property: Int
  let owner: Int64
  /// How the transaction ended that added the owner.
  let outcome: WriteOutcome?

  init?(_ core: CollectionCore) {
    guard let access = core.access else { return nil }
    model = access.model.name
    property = core.property
    owner = core.givenOwner
    outcome = core.outcome
  }

  func core<Core: CollectionCore>(in store: Store, as type: Core.Type) -> Core? {
    guard outcome?.isCancelled != true, let access = try? store.access(named: model) else {
      return nil
    }
    let core = Core()
    core.attach(to: store, access, property: property, owner: owner)
    return core.isInvalidated ? nil : core
  }
}
