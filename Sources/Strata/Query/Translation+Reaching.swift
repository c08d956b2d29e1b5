import StrataExpression
import StrataSQLite
import StrataSchema

/// Which elements are few for each object outside, because they are found from it.
extension Translation {
  /// Those of an object's collections, and those of a model that an index finds for the object.
  func isReached(_ collection: ResolvedCollection) -> Bool {
    switch collection {
    case .elements, .list: true
    case .all: false
    case .values(let inner, _, _), .elementsOfEach(let inner, _, _), .each(let inner, _, _):
      isReached(inner)
    case .filter(.all(let model), let slot, let condition):
      condition.conjuncts.contains { isFound(slot, of: model, by: $0) }
    case .filter(let inner, _, _): isReached(inner)
    case .conditional(_, let first, let second): isReached(first) && isReached(second)
    }
  }

  func isReached(_ object: ResolvedObject) -> Bool {
    switch object {
    case .subject: false
    case .variable(let slot, _): slots[slot]?.isReached == true
    case .target(.property(let object, _), _): isReached(object)
    case .target: false
    }
  }

  /// Whether a condition is equality with something outside by which an index finds the objects.
  private func isFound(_ slot: Int, of model: Int, by condition: ResolvedNode) -> Bool {
    guard case .comparison(.equal, let left, let right) = condition else { return false }
    return [(left, right), (right, left)].contains { own, other in
      guard !other.readsOnly(slot: slot), kind(of: own) == kind(of: other) else { return false }
      switch own {
      case .identity(.variable(slot, _)): return true
      case .property(.variable(slot, _), let property): return hasIndex(property, of: model)
      default: return false
      }
    }
  }

  /// Whether an index that finds equal values begins with a property.
  private func hasIndex(_ property: Int, of model: Int) -> Bool {
    let kind = kind(ofProperty: property, of: model)
    guard !kind.isFloating, kind != .any,
      let stored = layout.model(named: schema.models[model].name)
    else { return false }
    let name = SQL.identifier(schema.models[model].properties[property].name)
    return stored.indexes.contains {
      $0.table == stored.table.name && $0.condition == nil && $0.terms.first == name
    }
  }
}
