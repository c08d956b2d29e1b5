import StrataExpression
import StrataSchema

/// What an expression reads, as the condition of a rule, and on which way it gets there from its object: whose rule a change may
/// break is found by going back.
struct RuleReads {
  /// One link, list, set, map or inverse of a model.
  struct Hop: Hashable {
    let model: Int
    let property: Int
  }

  /// Objects that the object leads to.
  struct Reach: Hashable {
    var hops: [Hop] = []
    /// The model of the objects.
    let model: Int
  }

  /// More are not gone back: then every object is looked at.
  static let maximumHops = 8

  /// The properties that are read of the objects of each reach; those of the object itself have no hops.
  private(set) var reached: [Reach: Set<Int>] = [:]
  /// Properties, by model, of which a change may matter to any object.
  private(set) var anywhere: [Int: Set<Int>] = [:]
  /// Models whose objects matter to any object by coming and going.
  private(set) var members: Set<Int> = []

  private let schema: Schema
  private let subject: Int
  /// Where what a variable stands for comes from; nil where that is not known.
  private var slots: [Int: Reach] = [:]

  init(_ expression: ResolvedExpression, in schema: Schema, ofModel subject: Int) {
    self.schema = schema
    self.subject = subject
    switch expression.content {
    case .one(let node): add(node)
    case .many(let collection): add(collection)
    case .map(let map): add(map.values)
    }
  }

  /// The models of objects that are read beside the object itself.
  var modelsBeside: Set<Int> {
    Set(reached.keys.filter { !$0.hops.isEmpty }.map(\.model)).union(anywhere.keys).union(members)
  }

  /// Whether objects of a model matter at all.
  var models: Set<Int> {
    Set(reached.keys.map(\.model)).union(anywhere.keys).union(members).union([subject])
      .union(reached.keys.flatMap(\.hops).map(\.model))
  }

  /// By model, the properties of which a change matters at all.
  var properties: [Int: Set<Int>] {
    var result = anywhere
    for (reach, properties) in reached {
      result[reach.model, default: []].formUnion(properties)
      for hop in reach.hops {
        guard let link = Self.link(ofInverse: hop, in: schema) else { continue }
        result[link.model, default: []].insert(link.property)
      }
    }
    return result
  }

  /// The model and the link of an inverse.
  static func link(
    ofInverse hop: Hop, in schema: Schema
  ) -> (model: Int, property: Int)? {
    guard
      case .inverse(let source, let name) = schema.models[hop.model].properties[hop.property].type,
      let model = schema.indexOfModel(named: source),
      let property = schema.models[model].indexOfProperty(named: name)
    else { return nil }
    return (model, property)
  }

  // MARK: - Collecting

  private mutating func read(_ property: Int, at reach: Reach?, ofModel model: Int) {
    let hop = Hop(model: model, property: property)
    if let link = Self.link(ofInverse: hop, in: schema) {
      // What an object is linked from changes with the link, at the object that holds it: `advance` takes it as a hop, as far
      // as ways are gone back.
      if (reach?.hops.count ?? Self.maximumHops) >= Self.maximumHops {
        anywhere[link.model, default: []].insert(link.property)
        members.insert(link.model)
      }
      return
    }
    guard let reach else {
      anywhere[model, default: []].insert(property)
      return
    }
    reached[reach, default: []].insert(property)
  }

  /// Where a property of objects leads.
  private mutating func advance(_ reach: Reach?, _ property: Int, ofModel model: Int) -> Reach? {
    read(property, at: reach, ofModel: model)
    let declared = schema.models[model].properties[property].type
    var target = declared.linkedModel
    if case .inverse(let source, _) = declared { target = source }
    guard var next = reach, next.hops.count < Self.maximumHops,
      let index = target.flatMap({ name in schema.indexOfModel(named: name) })
    else { return nil }
    next = Reach(hops: next.hops + [Hop(model: model, property: property)], model: index)
    // A way is looked back also where nothing is read at its end: an object may come onto it.
    reached[next] = reached[next] ?? []
    return next
  }

  private mutating func reach(_ object: ResolvedObject) -> (reach: Reach?, model: Int) {
    switch object {
    case .subject: (Reach(model: subject), subject)
    case .variable(let slot, let model): (slots[slot], model)
    case .target(let node, let model): (add(node), model)
    }
  }

  /// - Returns: where the objects come from that the node leads to; nil where it leads to none, or it is not known.
  @discardableResult
  private mutating func add(_ node: ResolvedNode) -> Reach? {
    switch node {
    case .constant: return nil
    case .variable(let slot): return slots[slot]
    case .property(let object, let property):
      let (reach, model) = reach(object)
      return advance(reach, property, ofModel: model)
    case .identity(let object): return reach(object).reach
    case .negate(let inner, _, _), .not(let inner), .conversion(let inner, _),
      .folded(let inner, _),
      .linkInAny(let inner, _), .renamedInAny(let inner, _):
      add(inner)
    case .arithmetic(_, _, let a, let b, _), .coalesce(let a, let b), .comparison(_, let a, let b),
      .text(_, let a, let b, _):
      add(a)
      add(b)
    case .concatenation(let nodes), .all(let nodes), .any(let nodes), .call(_, let nodes, _):
      for node in nodes { add(node) }
    case .between(let a, let b, let c), .conditional(let a, let b, let c):
      for node in [a, b, c] { add(node) }
    case .oneOf(let inner, let nodes):
      for node in [inner] + nodes { add(node) }
    case .quantified(_, let collection, let slot, let condition):
      slots[slot] = add(collection)
      add(condition)
    case .membership(let inner, let collection):
      add(inner)
      add(collection)
    case .aggregate(_, let collection, _, _): add(collection)
    case .lookup(let model, let key):
      // Whichever object has the key, or comes to have it.
      for name in schema.models[model].primaryKey {
        if let property = schema.models[model].indexOfProperty(named: name) {
          anywhere[model, default: []].insert(property)
        }
      }
      members.insert(model)
      for node in key { add(node) }
    case .element(let collection, let place):
      add(place)
      return add(collection)
    case .mapElement(let object, let property, let key):
      add(key)
      let (reach, model) = reach(object)
      return advance(reach, property, ofModel: model)
    }
    return nil
  }

  @discardableResult
  private mutating func add(_ collection: ResolvedCollection) -> Reach? {
    switch collection {
    case .elements(let object, let property):
      let (reach, model) = reach(object)
      return advance(reach, property, ofModel: model)
    case .values(let objects, let model, let property),
      .elementsOfEach(let objects, let model, let property):
      return advance(add(objects), property, ofModel: model)
    case .filter(let inner, let slot, let condition):
      let reach = add(inner)
      slots[slot] = reach
      add(condition)
      return reach
    case .list(let nodes, _):
      for node in nodes { add(node) }
    case .all(let model): members.insert(model)
    case .conditional(let condition, let a, let b):
      add(condition)
      add(a)
      add(b)
    case .each(let inner, let slot, let node):
      slots[slot] = add(inner)
      add(node)
    }
    return nil
  }
}
