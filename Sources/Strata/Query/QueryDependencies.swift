import StrataExpression
import StrataSchema

/// What the answers of a query depend on: when none of it has changed, they are what they were.
final class QueryDependencies {
  /// The marks of all that the query reads.
  private var marks: Set<UnsafeMutablePointer<UInt64>> = []
  /// Those of them that are not of the objects that are asked about alone: one change may decide about many.
  private var marksElsewhere: Set<UnsafeMutablePointer<UInt64>> = []
  /// Own properties that decide which objects are among the answers.
  private(set) var filtering: Set<Int> = []
  /// Own properties that decide their order.
  private(set) var sorting: Set<Int> = []
  /// Whether a change of one object touches no other one's place among the answers, so that they can be brought up to date
  /// row by row.
  private(set) var isByRow: Bool
  /// Whether a change of one object's own row decides about that object alone, apart from what is read elsewhere.
  let followsRows: Bool
  /// What is read of other objects than the one that is asked about: properties by model.
  private var elsewhere: [Int: Set<Int>] = [:]
  /// The collection whose objects are asked about.
  private var collection: (clock: CollectionClock, owner: Int64)?
  /// Models whose objects decide by coming and going.
  private var membersElsewhere: Set<Int> = []
  private let base: QueryDependencies?
  private let models: [ModelClock]
  private let schema: Schema
  private let subject: Int
  private var isSorting = false

  init(_ query: Query) {
    models = query.store.clock.models
    schema = query.store.definition.schema
    subject = query.access.index
    // The rank of one text depends on all the others.
    followsRows =
      query.limit == nil && query.distinct.isEmpty && query.baseQuery == nil
      && !query.sorts.contains(where: \.isRank)
    isByRow = followsRows
    base = query.baseQuery?.dependencies
    marks.insert(models[subject].membership)
    if let collection = query.collection, !collection.isKnown { add(collection) }
    for property in query.conditionProperties { add(.subject, property) }
    for filter in query.filters {
      switch filter.condition.content {
      case .one(let node): add(node)
      case .many(let collection): add(collection)
      case .map(let map): add(map.values)
      }
    }
    for node in query.distinct { add(node) }
    if let base {
      marks.formUnion(base.marks)
      marksElsewhere.formUnion(base.marks)
    }
    isSorting = true
    for sort in query.sorts { add(sort.node) }
  }

  /// The newest change of any of them.
  var newestChange: UInt64 { Self.newest(of: marks) }

  /// Whether what has changed since is of the objects alone that are asked about, so that the answers can be brought up to date row by row.
  func isByRow(since mark: UInt64) -> Bool {
    isByRow
      || followsRows && Self.newest(of: marksElsewhere) <= mark
        && collection.map { !$0.clock.isChanged($0.owner, after: mark) } ?? true
  }

  private static func newest(of marks: Set<UnsafeMutablePointer<UInt64>>) -> UInt64 {
    var newest: UInt64 = 0
    for mark in marks where mark.pointee > newest { newest = mark.pointee }
    return newest
  }

  // MARK: - Records

  /// The models whose changes may matter.
  var readModels: Set<Int> {
    var found = Set(elsewhere.keys).union(membersElsewhere)
    found.insert(subject)
    if let base { found.formUnion(base.readModels) }
    return found
  }

  /// All that the query reads: properties of models, and models whose objects matter by coming and going.
  func forEachSource(_ body: (_ model: Int, _ property: Int?) -> Void) {
    for model in membersElsewhere.union([subject]) { body(model, nil) }
    for property in filtering.union(sorting) { body(subject, property) }
    for (model, properties) in elsewhere { for property in properties { body(model, property) } }
    base?.forEachSource(body)
  }

  /// Whether anything has happened that may change the answers.
  func isTouched(by record: ChangeRecord) -> Bool {
    if isTouchedElsewhere(by: record) { return true }
    guard let own = record.models[subject] else { return false }
    return own.hasOthers || own.updates.contains { decides($0.properties) }
  }

  /// Whether something has happened to other objects, which may change the answers.
  func isTouchedElsewhere(by record: ChangeRecord) -> Bool {
    for (model, changes) in record.models {
      if membersElsewhere.contains(model), changes.hasOthers { return true }
      guard let properties = elsewhere[model] else { continue }
      if changes.isEverything { return true }
      for update in changes.updates
      where properties.contains(where: { update.properties.contains($0) }) {
        return true
      }
    }
    return base?.isTouched(by: record) ?? false
  }

  /// Whether own properties of a set decide which objects are among the answers, or where.
  func decides(_ properties: PropertySet) -> Bool {
    filtering.contains { properties.contains($0) } || decidesOrder(properties)
  }

  func decidesOrder(_ properties: PropertySet) -> Bool {
    sorting.contains { properties.contains($0) }
  }

  // MARK: - Collecting

  private func add(_ object: ResolvedObject, _ property: Int) {
    let model: Int
    switch object {
    case .subject:
      mark(property, of: subject)
      if isSorting { sorting.insert(property) } else { filtering.insert(property) }
      return
    case .variable(_, let other): model = other
    case .target(let node, let other):
      add(node)
      model = other
    }
    // Another object's: that of one row may decide about many.
    isByRow = false
    add(property, of: model)
  }

  /// A property of other objects.
  private func add(_ property: Int, of model: Int) {
    read(property, of: model)
    markElsewhere(models[model].values(of: property))
    markElsewhere(models[model].membership)
  }

  /// A collection of one object. What leaves it because it is deleted is told of by its own model.
  private func add(_ asked: AskedCollection) {
    read(asked.property, of: asked.model)
    collection = (models[asked.model].collection(asked.property), asked.owner)
  }

  private func read(_ property: Int, of model: Int) {
    isByRow = false
    elsewhere[model, default: []].insert(property)
    membersElsewhere.insert(model)
    mark(property, of: model)
  }

  private func markElsewhere(_ mark: UnsafeMutablePointer<UInt64>) {
    marks.insert(mark)
    marksElsewhere.insert(mark)
  }

  private func mark(_ property: Int, of model: Int) {
    marks.insert(models[model].values(of: property))
    marks.insert(models[model].membership)
    let declared = schema.models[model].properties[property]
    if case .inverse(let source, let name) = declared.type {
      isByRow = false
      guard let index = schema.models.firstIndex(where: { $0.name == source }) else { return }
      markElsewhere(models[index].membership)
      membersElsewhere.insert(index)
      if let link = schema.models[index].indexOfProperty(named: name) {
        markElsewhere(models[index].values(of: link))
        elsewhere[index, default: []].insert(link)
      }
    } else if declared.type.valueType?.base.scalar == .any {
      // It may lead to an object of any model, which may go.
      isByRow = false
      for model in models { markElsewhere(model.membership) }
      membersElsewhere.formUnion(models.indices)
    }
  }

  private func add(_ nodes: [ResolvedNode]) { for node in nodes { add(node) } }

  private func add(_ node: ResolvedNode) {
    switch node {
    case .constant, .variable: break
    case .property(let object, let property): add(object, property)
    case .identity(let object): add(object)
    case .negate(let inner, _, _), .not(let inner), .conversion(let inner, _),
      .folded(let inner, _),
      .linkInAny(let inner, _), .renamedInAny(let inner, _):
      add(inner)
    case .arithmetic:
      var rest = node
      while case .arithmetic(_, _, let left, let right, _) = rest {
        add(right)
        rest = left
      }
      add(rest)
    case .coalesce(let a, let b), .comparison(_, let a, let b), .text(_, let a, let b, _):
      add([a, b])
    case .concatenation(let nodes), .all(let nodes), .any(let nodes), .call(_, let nodes, _):
      add(nodes)
    case .between(let a, let b, let c), .conditional(let a, let b, let c): add([a, b, c])
    case .oneOf(let inner, let nodes): add([inner] + nodes)
    case .quantified(_, let collection, _, let condition):
      add(collection)
      add(condition)
    case .membership(let inner, let collection):
      add(inner)
      add(collection)
    case .aggregate(_, let collection, _, _): add(collection)
    case .lookup(let model, let key):
      for name in schema.models[model].primaryKey {
        if let property = schema.models[model].indexOfProperty(named: name) {
          add(property, of: model)
        }
      }
      add(key)
    case .element(let collection, let place):
      add(collection)
      add(place)
    case .mapElement(let object, let property, let key):
      add(object, property)
      add(key)
    }
  }

  private func add(_ object: ResolvedObject) {
    guard case .target(let node, let model) = object else { return }
    isByRow = false
    markElsewhere(models[model].membership)
    membersElsewhere.insert(model)
    add(node)
  }

  private func add(_ collection: ResolvedCollection) {
    switch collection {
    case .elements(let object, let property): add(object, property)
    case .values(let objects, let model, let property),
      .elementsOfEach(let objects, let model, let property):
      isByRow = false
      add(objects)
      add(property, of: model)
    case .filter(let objects, _, let condition):
      add(objects)
      add(condition)
    case .list(let nodes, _): add(nodes)
    case .all(let model):
      isByRow = false
      markElsewhere(models[model].membership)
      membersElsewhere.insert(model)
    case .conditional(let condition, let a, let b):
      add(condition)
      add(a)
      add(b)
    case .each(let inner, _, let node):
      add(inner)
      add(node)
    }
  }
}
