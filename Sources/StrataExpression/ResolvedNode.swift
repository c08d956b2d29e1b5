package import StrataSchema

// The tree that the type checker makes of an expression: names are positions in `schema.models` and
// `model.properties`, operations know what they work on, ANY stands where it was meant.

/// An expression with one value.
package indirect enum ResolvedNode: Hashable, Sendable {
  case constant(Value)
  /// A property that is no collection; nil where there is no object.
  case property(ResolvedObject, Int)
  /// The object as a link.
  case identity(ResolvedObject)
  /// What `quantified` or `filter` is at, by the slot's number.
  case variable(Int)
  case negate(ResolvedNode, NumberKind, range: Range<Int>)
  case arithmetic(BinaryOperator, NumberKind, ResolvedNode, ResolvedNode, range: Range<Int>)
  /// Texts one behind the other; nil where one is nil.
  case concatenation([ResolvedNode])
  case coalesce(ResolvedNode, ResolvedNode)
  case all([ResolvedNode])
  case any([ResolvedNode])
  case not(ResolvedNode)
  case comparison(ComparisonOperator, ResolvedNode, ResolvedNode)
  /// A comparison of texts (or of data) that looks inside, or has options.
  case text(ComparisonOperator, ResolvedNode, ResolvedNode, TextOptions)
  case between(ResolvedNode, lower: ResolvedNode, upper: ResolvedNode)
  case oneOf(ResolvedNode, [ResolvedNode])
  /// A text as `[c]` and `[d]` compare it; another value is itself.
  case folded(ResolvedNode, TextOptions)
  case quantified(Quantifier, ResolvedCollection, slot: Int, ResolvedNode)
  case membership(ResolvedNode, in: ResolvedCollection)
  case aggregate(Aggregate, ResolvedCollection, NumberKind, range: Range<Int>)
  case element(ResolvedCollection, at: ResolvedNode)
  case mapElement(ResolvedObject, Int, key: ResolvedNode)
  /// The object of a model with this primary key, as a link; nil where there is none, or a part of the key is nil.
  case lookup(model: Int, key: [ResolvedNode])
  case call(Function, [ResolvedNode], range: Range<Int>)
  case conditional(ResolvedNode, ResolvedNode, ResolvedNode)
  /// A conversion without loss that an assignment asked for.
  case conversion(ResolvedNode, ScalarType)
  /// A link with its model's name, for a property of type `any`.
  case linkInAny(ResolvedNode, model: String)
  /// A value of type `any` whose object's model has another name after the step.
  case renamedInAny(ResolvedNode, models: [String: String])
}

/// An object to read from, and its model as an index of `schema.models`.
package indirect enum ResolvedObject: Hashable, Sendable {
  case subject
  case variable(Int, model: Int)
  /// Where a link leads.
  case target(ResolvedNode, model: Int)
}

/// An expression with many values.
package indirect enum ResolvedCollection: Hashable, Sendable {
  /// A list, set, map or inverse of an object; of a map its values.
  case elements(ResolvedObject, Int)
  /// One property of each object.
  case values(ResolvedCollection, model: Int, Int)
  /// All elements of a collection of each object.
  case elementsOfEach(ResolvedCollection, model: Int, Int)
  case filter(ResolvedCollection, slot: Int, ResolvedNode)
  case list([ResolvedNode], omitsNil: Bool)
  /// All objects of a model.
  case all(model: Int)
  case conditional(ResolvedNode, ResolvedCollection, ResolvedCollection)
  /// What becomes of each element, which the slot stands for.
  case each(ResolvedCollection, slot: Int, ResolvedNode)
}

/// A map with its keys.
package indirect enum ResolvedMap: Hashable, Sendable {
  case entries(ResolvedObject, Int)
  case conditional(ResolvedNode, ResolvedMap, ResolvedMap)
  /// What becomes of each value, which the slot stands for.
  case each(ResolvedMap, slot: Int, ResolvedNode)
}

extension ResolvedMap {
  /// The values alone.
  package var values: ResolvedCollection {
    switch self {
    case .entries(let object, let property): .elements(object, property)
    case .conditional(let condition, let first, let second):
      .conditional(condition, first.values, second.values)
    case .each(let map, let slot, let node): .each(map.values, slot: slot, node)
    }
  }
}

/// What an arithmetic operation works on.
package enum NumberKind: Hashable, Sendable {
  case int
  case float
  case double
  case decimal
  /// A date and seconds.
  case dateAndSeconds
  /// Two dates, whose difference is seconds.
  case dates
  /// Of an aggregate that does not count: its values as they are.
  case other
}
