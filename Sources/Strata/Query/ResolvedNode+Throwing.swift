import StrataExpression
import StrataSchema

extension ResolvedNode {
  /// Whether working it out may be an error: a division by zero, or a number that has no room. What it reads from other objects counts,
  /// too.
  var mayThrow: Bool {
    switch self {
    case .constant, .variable: false
    case .property(let object, _), .identity(let object): object.mayThrow
    case .negate(let node, let number, _): number == .int || node.mayThrow
    case .arithmetic: calculationMayThrow
    case .not(let node), .conversion(let node, _), .folded(let node, _), .linkInAny(let node, _),
      .renamedInAny(let node, _):
      node.mayThrow
    case .coalesce(let a, let b), .comparison(_, let a, let b), .text(_, let a, let b, _):
      a.mayThrow || b.mayThrow
    case .between(let a, let b, let c), .conditional(let a, let b, let c):
      a.mayThrow || b.mayThrow || c.mayThrow
    case .concatenation(let nodes), .all(let nodes), .any(let nodes), .lookup(_, let nodes):
      nodes.contains(where: \.mayThrow)
    // Of the least number of all.
    case .call(let function, let nodes, _): function == .abs || nodes.contains(where: \.mayThrow)
    case .oneOf(let node, let items): node.mayThrow || items.contains(where: \.mayThrow)
    case .quantified(_, let collection, _, let node), .membership(let node, let collection),
      .element(let collection, let node):
      collection.mayThrow || node.mayThrow
    case .aggregate(let aggregate, let collection, _, _):
      aggregate == .sum || aggregate == .average || collection.mayThrow
    case .mapElement(let object, _, let key): object.mayThrow || key.mayThrow
    }
  }

  /// A row of a thousand operations must not take a thousand frames.
  private var calculationMayThrow: Bool {
    var rest = self
    while case .arithmetic(let operation, let number, let left, let right, _) = rest {
      if Self.mayThrow(operation, number, right) || right.mayThrow { return true }
      rest = left
    }
    return rest.mayThrow
  }

  private static func mayThrow(
    _ operation: BinaryOperator, _ number: NumberKind, _ right: ResolvedNode
  ) -> Bool {
    if operation == .divide || operation == .remainder {
      return number == .decimal || !right.isSafeDivisor
    }
    return number == .int || number == .decimal
  }

  /// Whether everything can be divided by it: -1 has no room for the least whole number.
  private var isSafeDivisor: Bool {
    guard case .constant(let value) = self else { return false }
    switch value {
    case .int(let number): return number != 0 && number != -1
    case .float(let number): return number != 0
    case .double(let number): return number != 0
    default: return false
    }
  }
}

extension ResolvedObject {
  fileprivate var mayThrow: Bool {
    if case .target(let node, _) = self { return node.mayThrow }
    return false
  }
}

extension ResolvedCollection {
  fileprivate var mayThrow: Bool {
    switch self {
    case .elements(let object, _): object.mayThrow
    case .values(let inner, _, _), .elementsOfEach(let inner, _, _): inner.mayThrow
    case .filter(let inner, _, let node), .each(let inner, _, let node):
      inner.mayThrow || node.mayThrow
    case .list(let nodes, _): nodes.contains(where: \.mayThrow)
    case .all: false
    case .conditional(let condition, let first, let second):
      condition.mayThrow || first.mayThrow || second.mayThrow
    }
  }
}
