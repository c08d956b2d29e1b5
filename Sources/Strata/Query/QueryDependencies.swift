import StrataExpression
import StrataSchema

/// What the answers of a query depend on: when none of it has changed, they are what they were.
final class QueryDependencies {
  /// The marks of all that the query reads.
  private var marks: Set<UnsafeMutablePointer<UInt64>> = []
  /// Own properties that decide which objects are among the answers.
  private(set) var filtering: Set<Int> = []
  /// Own properties that decide their order.
  private(set) var sorting: Set<Int> = []
  /// Whether a change of one object touches no other one's place among the answers, so that they can be brought up to date
  /// row by row.
  private(set) var isByRow: Bool
  private let models: [ModelClock]
  private let schema: Schema
  private let subject: Int
  private var isSorting = false

  init(_ query: Query) {
    models = query.store.clock.models
    schema = query.store.definition.schema
    subject = query.access.index
    isByRow = query.limit == nil && query.distinct.isEmpty && query.baseQuery == nil
    marks.insert(models[subject].membership)
    for property in query.conditionProperties { add(.subject, property) }
    for filter in query.filters {
      switch filter.content {
      case .one(let node): add(node)
      case .many(let collection): add(collection)
      case .map(let map): add(map.values)
      }
    }
    for node in query.distinct { add(node) }
    if let base = query.baseQuery { marks.formUnion(base.dependencies.marks) }
    isSorting = true
    for sort in query.sorts { add(sort.node) }
  }

  /// The newest change of any of them.
  var newestChange: UInt64 {
    var newest: UInt64 = 0
    for mark in marks where mark.pointee > newest { newest = mark.pointee }
    return newest
  }

  // MARK: - Collecting

  private func add(_ object: ResolvedObject, _ property: Int) {
    let model: Int
    switch object {
    case .subject:
      add(property, of: subject)
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

  private func add(_ property: Int, of model: Int) {
    marks.insert(models[model].values(of: property))
    marks.insert(models[model].membership)
    let declared = schema.models[model].properties[property]
    if case .inverse(let source, let name) = declared.type {
      isByRow = false
      guard let index = schema.models.firstIndex(where: { $0.name == source }) else { return }
      marks.insert(models[index].membership)
      if let link = schema.models[index].indexOfProperty(named: name) {
        marks.insert(models[index].values(of: link))
      }
    } else if declared.type.valueType?.base.scalar == .any {
      // It may lead to an object of any model, which may go.
      isByRow = false
      for model in models { marks.insert(model.membership) }
    }
  }

  private func add(_ nodes: [ResolvedNode]) { for node in nodes { add(node) } }

  private func add(_ node: ResolvedNode) {
    switch node {
    case .constant, .variable: break
    case .property(let object, let property): add(object, property)
    case .identity(let object): add(object)
    case .negate(let inner, _, _), .not(let inner), .conversion(let inner, _),
      .linkInAny(let inner, _), .renamedInAny(let inner, _):
      add(inner)
    case .arithmetic(_, _, let a, let b, _), .coalesce(let a, let b), .comparison(_, let a, let b),
      .text(_, let a, let b, _):
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
    marks.insert(models[model].membership)
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
