import StrataSQLite
import StrataSchema

/// What holds objects of a store and can be asked as results can: lists, sets and maps of objects, and the objects that link to one.
///
/// What is asked is run by the database, and its answer is live and observable:
///
/// ```swift
/// let old = person.dogs.where { $0.age > 9 }.sorted(by: \.name)
/// let token = try old.observe { change in … }
/// ```
/// An object that a list holds twice is among the answers once, and so it is for `sum(of:)` and the other aggregates here. The aggregates
/// in conditions, as `dogs.@sum.age`, go over the elements: there it counts twice.
public protocol ObjectCollection<QueriedObject> {
  associatedtype QueriedObject: Object
  /// The objects as results, of a list in its order; nil for what belongs to no store. For Strata's own use: see
  /// ``results()``.
  var generatedResults: Results<QueriedObject>? { get }
  /// The objects that a collection of no store holds, also those that it holds twice. For Strata's own use.
  var _generatedObjects: [QueriedObject] { get }
}

extension ObjectCollection {
  public var _generatedObjects: [QueriedObject] { [] }
}

extension List: ObjectCollection where Element: Object {
  public var generatedResults: Results<Element>? {
    Query(elementsOf: core).map { Results($0) }
  }

  public var _generatedObjects: [Element] { Array(self) }
}

extension MutableSet: ObjectCollection where Element: Object {
  public var generatedResults: Results<Element>? {
    Query(elementsOf: core).map { Results($0) }
  }

  public var _generatedObjects: [Element] { Array(self) }
}

extension Map: ObjectCollection where Value: Object {
  public var generatedResults: Results<Value>? {
    Query(elementsOf: core).map { Results($0) }
  }

  public var _generatedObjects: [Value] { map(\.value) }
}

extension LinkingObjects: ObjectCollection {
  public var generatedResults: Results<Element>? { objects }
}

extension ObjectCollection {
  /// The objects as results.
  ///
  /// - Throws: `StoreError.notManaged`
  public func results() throws(StoreError) -> Results<QueriedObject> {
    guard let generatedResults else {
      throw .notManaged(model: QueriedObject.className())
    }
    return generatedResults
  }

  private func asked(_ question: String) -> Results<QueriedObject> {
    guard let generatedResults else {
      misuse(
        "\(question) was asked of a collection of \(QueriedObject.className()) that belongs to no store: add its owner first."
      )
    }
    return generatedResults
  }

  /// Only the objects that fulfil a condition; see ``Results/filter(_:_:)``.
  ///
  /// - Throws: `StoreError.invalidQuery`, `.notManaged` where the collection belongs to no store
  public func filter(
    _ condition: String, _ arguments: Any?...
  ) throws(StoreError) -> Results<QueriedObject> {
    try results().filter(condition, arguments: arguments)
  }

  /// The same with the arguments in an array.
  public func filter(
    _ condition: String, arguments: [Any?]
  ) throws(StoreError) -> Results<QueriedObject> {
    try results().filter(condition, arguments: arguments)
  }

  /// Only the objects that fulfil a condition.
  ///
  /// - Precondition: the collection belongs to a store; so with `sorted` and `distinct` by a key path.
  public func `where`(
    _ condition: (QueryTerm<QueriedObject>) -> some QueryConditionConvertible
  ) -> Results<QueriedObject> { asked("where").where(condition) }

  /// Sorted by a key path, which may follow links.
  ///
  /// - Throws: `StoreError.invalidQuery`, `.notManaged`
  public func sorted(
    by keyPath: String, ascending: Bool = true
  ) throws(StoreError) -> Results<QueriedObject> {
    try results().sorted(by: keyPath, ascending: ascending)
  }

  /// Sorted by several key paths, the first one first.
  ///
  /// - Throws: `StoreError.invalidQuery`, `.notManaged`
  public func sorted(by keys: [SortKey]) throws(StoreError) -> Results<QueriedObject> {
    try results().sorted(by: keys)
  }

  /// Sorted by one key.
  ///
  /// - Throws: `StoreError.invalidQuery`, `.notManaged`
  public func sorted(by key: SortKey) throws(StoreError) -> Results<QueriedObject> {
    try results().sorted(by: key)
  }

  /// Sorted by a property.
  public func sorted<Value: StoredValue>(
    by keyPath: KeyPath<QueriedObject, Value>, ascending: Bool = true
  ) -> Results<QueriedObject> { asked("sorted").sorted(by: keyPath, ascending: ascending) }

  /// Of objects that agree in these key paths only the first one.
  ///
  /// - Throws: `StoreError.invalidQuery`, `.notManaged`
  public func distinct(by keyPaths: [String]) throws(StoreError) -> Results<QueriedObject> {
    try results().distinct(by: keyPaths)
  }

  /// Of objects that agree in a property only the first one.
  public func distinct<Value: StoredValue>(
    by keyPath: KeyPath<QueriedObject, Value>
  ) -> Results<QueriedObject> { asked("distinct").distinct(by: keyPath) }

  /// The first position, among the results, of an object that fulfils a condition.
  ///
  /// - Throws: `StoreError.invalidQuery`, `.notManaged`, `.closed`
  public func index(matching condition: String, _ arguments: Any?...) throws(StoreError) -> Int? {
    let results = try results()
    if results.query.store.isClosed { throw .closed }
    guard let first = try results.filter(condition, arguments: arguments).first else { return nil }
    return results.index(of: first)
  }

  /// Sets a property of all objects, by name.
  ///
  /// - Throws: as ``Results/setValue(_:forKey:)``, and `StoreError.notManaged` where the collection belongs to no store
  public func setValue(_ value: Any?, forKey name: String) throws(StoreError) {
    try results().setValue(value, forKey: name)
  }

  // MARK: - Aggregates by name; those by key path are in ObjectCollection+Aggregates.swift.

  /// The smallest value of a key path by name.
  ///
  /// - Throws: `StoreError.invalidQuery`, `.notManaged`
  public func min(ofProperty keyPath: String) throws(StoreError) -> AnyValue? {
    try results().min(ofProperty: keyPath)
  }

  /// The greatest value of a key path by name.
  ///
  /// - Throws: `StoreError.invalidQuery`, `.notManaged`
  public func max(ofProperty keyPath: String) throws(StoreError) -> AnyValue? {
    try results().max(ofProperty: keyPath)
  }

  /// The sum of the values of a key path by name.
  ///
  /// - Throws: `StoreError.invalidQuery`, `.notManaged`
  public func sum(ofProperty keyPath: String) throws(StoreError) -> AnyValue {
    try results().sum(ofProperty: keyPath)
  }

  /// The mean of the values of a key path by name.
  ///
  /// - Throws: `StoreError.invalidQuery`, `.notManaged`
  public func average(ofProperty keyPath: String) throws(StoreError) -> AnyValue? {
    try results().average(ofProperty: keyPath)
  }
}

extension Query {
  /// The objects of a list, set or map, each once, of a list in its order; nil when it belongs to no store or holds values.
  init?(elementsOf core: CollectionCore) {
    guard let owner = core.access, let target = core.elementAccess,
      let questions = core.table?.questions
    else { return nil }
    let query = Query(target).filtered(
      by: AskedCollection(
        questions: questions, model: owner.index, property: core.property,
        owner: core.owner, isList: core is ListCore))
    self = query.ifCommitted(core.outcome)
  }
}

extension RandomAccessCollection where Self: ObjectCollection, Index == Int {
  /// The elements at these positions, in their order.
  ///
  /// - Precondition: each is a position of the collection.
  public func objects(at indexes: some Sequence<Int>) -> [Element] { indexes.map { self[$0] } }
}
