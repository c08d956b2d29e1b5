import StrataExpression
import StrataSQLite
import StrataSchema

/// A question about the objects of one model. It is a value: asking more makes another one.
struct Query {
  private(set) var store: Store
  // The store owns it.
  private(set) unowned(unsafe) var access: ModelAccess
  private(set) var filters: [Filter] = []
  /// Conditions of the layout: over the table's own columns, or where a collection leads to an object.
  private(set) var conditions: [Condition] = []
  /// The properties that these read.
  private(set) var conditionProperties: Set<Int> = []
  private(set) var sorts: [Sort] = []
  /// The collection whose objects are asked about.
  private(set) var collection: AskedCollection?
  /// Only the first object of each that agree in these.
  private(set) var distinct: [ResolvedNode] = []
  private(set) var limit: Int?
  /// The question whose answers are asked about further.
  var base: Base?
  /// Of objects that link to one that was added in a transaction: how that ended.
  private(set) var outcome: WriteOutcome?
  /// Of objects that link to one: which that is.
  private(set) var linked: LinkedObject?
  var baseQuery: Query? { base?.query }
  /// Made when it is needed, and anew when the question changes.
  var cache = Cache()

  struct Filter: Sendable {
    let condition: ResolvedExpression
    /// As it was asked, for messages.
    let text: String
    let measure: NodeMeasure

    init(_ condition: ResolvedExpression, text: String, in schema: Schema) {
      self.condition = condition
      self.text = text
      if case .one(let node) = condition.content {
        measure = NodeMeasure(node, in: schema)
      } else {
        measure = NodeMeasure(nil, in: schema)
      }
    }

    /// Nil for a condition that is none of single objects.
    var node: ResolvedNode? { if case .one(let node) = condition.content { node } else { nil } }
  }

  struct Sort: Sendable {
    var node: ResolvedNode
    var isAscending: Bool
    /// As it was asked, for messages; nil where it names a property.
    var text: String?
    /// Whether the node is a search, or several, whose best answers come first.
    var isRank = false
  }

  struct Condition: Sendable {
    /// As all objects are asked for: a list of their identities may be found first.
    let text: SQLText
    /// As one object is asked about.
    let ofOneRow: SQLText
  }

  /// A question without a store, to be asked in another isolation.
  struct Plan: Sendable {
    let model: String
    let filters: [Filter]
    let conditions: [Condition]
    let conditionProperties: Set<Int>
    let sorts: [Sort]
    let collection: AskedCollection?
    let distinct: [ResolvedNode]
    let limit: Int?
    let base: [Plan]
    let outcome: WriteOutcome?
    let linked: LinkedObject?
  }

  /// An object without its store.
  struct LinkedObject: Sendable {
    let model: String
    let row: Int64

    func isThere(in store: Store) -> Bool {
      (try? store.access(named: model))?.object(row).isInvalidated == false
    }
  }

  var plan: Plan {
    Plan(
      model: access.model.name, filters: filters, conditions: conditions,
      conditionProperties: conditionProperties, sorts: sorts,
      collection: collection, distinct: distinct,
      limit: limit, base: base.map { [$0.query.plan] } ?? [], outcome: outcome,
      linked: linked)
  }

  /// The question of a plan to a store; nil when its schema has no such model.
  init?(_ plan: Plan, in store: Store) {
    guard let access = try? store.access(named: plan.model) else { return nil }
    self.init(access)
    filters = plan.filters
    conditions = plan.conditions
    conditionProperties = plan.conditionProperties
    sorts = plan.sorts
    collection = plan.collection
    distinct = plan.distinct
    limit = plan.limit
    outcome = plan.outcome
    linked = plan.linked
    base = plan.base.first.flatMap { Query($0, in: store) }.map(Base.init)
  }

  final class Base {
    let query: Query
    /// How many questions stand behind each other.
    let depth: Int
    /// From here on they are joined and no more looked up with IN, whose depth SQLite bounds.
    static let maximumNested = 60
    var isJoined: Bool { depth > Self.maximumNested }
    /// Whether it needs more of SQLite's parser than there is in any case.
    let isDeep: Bool

    init(_ query: Query) {
      self.query = query
      isDeep = query.isDeep
      depth = (query.base?.depth ?? 0) + 1
    }

    /// No model has such a name.
    var name: String { "base \(depth)" }
  }

  final class Cache {
    var source: SQLText?
    /// The same with what ranks of searches are read from.
    var rankedSource: SQLText?
    /// FROM, WHERE and ORDER BY of a list's objects in its order.
    var inOrderOfList: SQLText?
    var order: SQLText?
    /// The tests behind WHERE.
    var tests: SQLText?
    /// The question whether an object is among the answers, but for its identity.
    var match: SQLText?
    /// What the store's count of changes was when they were made, for those that depend on what is stored.
    var generation: UInt64 = 0
    var dependencies: QueryDependencies?
    /// The store's count of changes when what may be impossible to work out was worked out for all objects; 0 for never.
    var computed: UInt64 = 0
  }

  init(_ access: ModelAccess) {
    self.access = access
    store = access.store
  }

  // MARK: - Asking more

  /// A query that can be narrowed: what was cut to its first objects, or to different ones, is asked about as it is.
  var narrowable: Query {
    guard limit != nil || !distinct.isEmpty else {
      var query = self
      query.cache = Cache()
      return query
    }
    var query = Query(access)
    query.base = Base(self)
    query.sorts = sorts
    query.collection = collection
    query.collection?.isKnown = true
    return query
  }

  /// Questions behind each other that are surely answered.
  static let maximumDepth = 1000

  /// - Throws: `StoreError.invalidQuery` for too many questions about what other questions cut off.
  func checkBaseDepth(_ text: String) throws(StoreError) {
    if let base, base.depth > Self.maximumDepth {
      throw .invalidQuery(
        text: text,
        problem: "it asks about more than \(Self.maximumDepth) results that limit or distinct cut")
    }
  }

  /// - Parameter text: the condition as it was asked.
  func filtered(by condition: ResolvedExpression, text: String) -> Query {
    filtered(by: Filter(condition, text: text, in: access.generated.schema))
  }

  func filtered(by filter: Filter) -> Query {
    var query = narrowable
    query.filters.append(filter)
    return query
  }

  /// Whether one condition is asked about all objects, or about those of a collection, and nothing else.
  var isOfOneFilter: Bool {
    filters.count == 1 && conditions.isEmpty && sorts.isEmpty && distinct.isEmpty && limit == nil
      && base == nil
  }

  /// Nothing once the transaction of this outcome was cancelled.
  func ifCommitted(_ outcome: WriteOutcome?) -> Query {
    var query = self
    query.outcome = outcome
    return query
  }

  /// The same question, whose answers link to an object.
  func linked(to object: LinkedObject) -> Query {
    var query = self
    query.linked = object
    return query
  }

  /// - Parameters:
  ///   - ofOneRow: what is asked about one object; nil for the same.
  ///   - property: the one that the condition reads.
  func filtered(
    by condition: SQLText, ofOneRow: SQLText? = nil, reading property: Int? = nil
  ) -> Query {
    var query = narrowable
    query.conditions.append(Condition(text: condition, ofOneRow: ofOneRow ?? condition))
    if let property { query.conditionProperties.insert(property) }
    return query
  }

  /// Earlier sorts decide among what these leave equal.
  func sorted(by sorts: [Sort]) -> Query {
    var query = narrowable
    query.sorts = sorts + query.sorts
    // The objects are the same. Several threads may ask a frozen store.
    store.lockIfShared()
    defer { store.unlockIfShared() }
    if query.streamedKeys.isEmpty { query.cache.computed = cache.computed }
    return query
  }

  /// Only the objects of a collection, of a list in its order.
  func filtered(by collection: AskedCollection) -> Query {
    var query = narrowable
    query.collection = collection
    return query
  }

  func distinct(by nodes: [ResolvedNode]) -> Query {
    var query = narrowable
    query.distinct = nodes
    return query
  }

  func limited(to count: Int) -> Query {
    var query = self
    query.cache = Cache()
    query.limit = min(limit ?? .max, max(0, count))
    return query
  }

  /// The same question to another store of the same schema.
  func moved(to store: Store) -> Query {
    guard let access = try? store.access(named: access.model.name) else { return self }
    var query = self
    query.store = store
    query.access = access
    query.base = base.map { Base($0.query.moved(to: store)) }
    query.cache = Cache()
    return query
  }
}
