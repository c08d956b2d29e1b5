import StrataSQLite
import StrataSchema

/// The objects that a condition names, while its arguments are read or its closure runs: each has to be one of the store's file,
/// because a condition knows objects by their identities only.
final class NamedObjects {
  private static let running = ThreadValue<NamedObjects>()

  private let store: Store
  /// Why the first of them cannot be named; nil when all can.
  private(set) var problem: StoreError?

  private init(_ store: Store) { self.store = store }

  /// - Returns: what `body` returns, and why one of the objects in it cannot be named.
  static func reading<Result>(
    for store: Store, _ body: () -> Result
  ) -> (result: Result, problem: StoreError?) {
    let objects = NamedObjects(store)
    let result = running.with(objects, body)
    return (result, objects.problem)
  }

  /// The object as a value of an expression. One that cannot be named has the identity of no object, which equals nothing.
  static func value(of object: Object) -> Value {
    guard let objects = running.current else {
      return .object(model: object.model.model.name, identity: object.row)
    }
    let problem = objects.store.problem(naming: object)
    if objects.problem == nil { objects.problem = problem }
    return .object(
      model: object.model.model.name,
      identity: problem == nil ? object.row : WriteOutcome.noRow)
  }
}

extension Store {
  /// Why a condition cannot name an object; nil when it can.
  func problem(naming object: Object) -> StoreError? {
    let model = object.model.model.name
    guard let manager = object.manager else { return .notManaged(model: model) }
    guard isSameFile(as: manager) else { return .belongsToAnotherStore(model: model) }
    if manager.isClosed { return .closed }
    return object.isInvalidated ? .invalidated(model: model) : nil
  }
}
