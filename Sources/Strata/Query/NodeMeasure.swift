import StrataExpression
import StrataSchema

/// How many symbols a condition keeps open in SQLite's parser, at most, how often a part of it stands in its SQL, and whether some value
/// may be impossible to compute.
///
/// The numbers are the symbols of what ``Translation`` writes around a part: `SELECT 1 FROM (` are six, `strata_call(1, ` are five.
struct NodeMeasure: Sendable {
  private(set) var depth = 0
  /// About: what decides is how much is written in the end.
  private(set) var copies = 1
  private(set) var mayFail = false
  private(set) var searches: [Search] = []
  private let schema: Schema
  /// How often the part that is measured stands in the SQL.
  private var factor = 1
  /// More are as many.
  private static let maximumCopies = 1 << 20

  /// `t."name"`
  private static let column = 3
  /// `(SELECT x."name" FROM "Model" x WHERE x."_row" = `
  private static let row = 8

  init(_ node: ResolvedNode?, in schema: Schema) {
    self.schema = schema
    if let node { measure(node, 0) }
  }

  private mutating func measure(_ node: ResolvedNode, _ level: Int) {
    reach(level + Self.column)
    // A condition is a value in brackets of its own: `((…) IS TRUE)`.
    let test = level + 2
    switch node {
    case .constant, .variable: break
    case .property(let object, _): measure(propertyOf: object, level)
    case .identity(let object): measure(object, level)
    case .negate(let node, _, _):
      mayFail = true
      measure(node, level + 5)
    case .not: measure(node.withoutNegations, test + 2)
    case .conversion(let node, _), .folded(let node, _), .linkInAny(let node, _),
      .renamedInAny(let node, _):
      measure(node, level + 5)
    case .arithmetic: measure(calculation: node, level)
    case .text(.search, let property, _, _):
      measure(property, test + 7)
      if let search = Search(node) { searches.append(search) }
    // A fraction is tested for NaN, too.
    case .comparison(_, let a, let b): copied(2) { $0.measure([a, b], test + 5) }
    case .text(_, let a, let b, _): measure([a, b], test + 6)
    case .coalesce(let a, let b): measure(branches: [a, b], level)
    case .conditional(let condition, let a, let b):
      measure(condition, level + 5)
      measure(branches: [a, b], level)
    case .concatenation(let nodes): measure(nodes, level + 3 + Self.groups(nodes))
    case .all(let nodes), .any(let nodes): measure(row: nodes, test)
    case .lookup(_, let nodes): measure(nodes, level + 10)
    case .call(let function, let nodes, _):
      if function.conversionTarget == nil { mayFail = true }
      measure(nodes, level + 5)
    case .between(let a, let b, let c): copied(4) { $0.measure([a, b, c], test + 8) }
    case .oneOf(let node, let items):
      let inner = test + 11 + Self.groups(items)
      let count = items.count { !$0.isConstant }
      copied(1 + count) { $0.measure(node, inner) }
      measure(items, inner)
    case .quantified(_, let collection, _, let condition):
      measure(collection, test + 9)
      measure(condition, test + 9)
    case .membership(let node, let collection):
      measure(collection, test + 9)
      measure(node, test + 14)
    case .element(let collection, let position): measure(element: position, of: collection, level)
    case .aggregate(let aggregate, let collection, _, _):
      if aggregate == .sum || aggregate == .average { mayFail = true }
      measure(collection, level + 7)
    case .mapElement(let object, _, let key):
      measure(object, level + 10)
      measure(key, level + 10)
    }
  }

  private mutating func copied(_ count: Int, _ measure: (inout NodeMeasure) -> Void) {
    let outside = factor
    factor = min(factor * min(count, Self.maximumCopies), Self.maximumCopies)
    copies = max(copies, factor)
    measure(&self)
    factor = outside
  }

  private mutating func reach(_ level: Int) { depth = max(depth, level) }

  private mutating func measure(_ nodes: [ResolvedNode], _ level: Int) {
    for node in nodes { measure(node, level) }
  }

  /// Brackets around each two hundred parts of a row.
  private static func groups(_ nodes: [ResolvedNode]) -> Int { nodes.count > 200 ? 2 : 0 }

  /// `(a AND b)`, or CASE and behind it what an index finds, where a part may be impossible to work out.
  private mutating func measure(row nodes: [ResolvedNode], _ level: Int) {
    let before = (depth, mayFail)
    (depth, mayFail) = (0, false)
    measure(nodes, level + 3 + Self.groups(nodes))
    if mayFail { depth += 6 }
    (depth, mayFail) = (max(depth, before.0), mayFail || before.1)
  }

  /// `ifnull(a, b)`, where each may have to be converted.
  private mutating func measure(branches nodes: [ResolvedNode], _ level: Int) {
    for node in nodes {
      switch node {
      case .coalesce, .conditional: measure(node, level + 5)
      default: measure(node, level + 10)
      }
    }
  }

  /// What is worked out one after the other is one call, or a bracket.
  private mutating func measure(calculation node: ResolvedNode, _ level: Int) {
    var (rest, level) = (node, level)
    while case .arithmetic(_, let number, let left, let right, _) = rest {
      mayFail = true
      // `iif(a > 5, strata_call(1, a, b), a + b)`
      reach(level + 10 + Self.column)
      measure(right, level + 5)
      if case .arithmetic(_, number, _, _, _) = left { level += 1 } else { level += 5 }
      rest = left
    }
    measure(rest, level)
  }

  /// Links behind each other are questions in each other, or one join.
  private mutating func measure(propertyOf object: ResolvedObject, _ level: Int) {
    guard case .target(var node, _) = object else {
      if case .variable = object { reach(level + Self.row + Self.column) }
      return
    }
    var links = 1
    while case .property(.target(let previous, _), _) = node {
      links += 1
      node = previous
    }
    let questions = min(links, LinkPath.maximumNested) + links / LinkPath.maximumJoined
    let level = level + questions * Self.row
    if links > LinkPath.maximumNested { reach(level + 6 + Self.column) }
    measure(node, level)
  }

  private mutating func measure(_ object: ResolvedObject, _ level: Int) {
    if case .target(let node, _) = object { measure(node, level) }
  }

  /// From the end the elements are numbered, and counted in the place's own condition.
  private mutating func measure(
    element position: ResolvedNode, of collection: ResolvedCollection, _ level: Int
  ) {
    if case .constant(.int(let place)) = position, place >= 0 {
      return measure(collection, level + 7)
    }
    copied(2) { $0.measure(collection, level + 24) }
    copied(3) { $0.measure(position, level + 17) }
  }

  private mutating func measure(_ collection: ResolvedCollection, _ level: Int) {
    reach(level + 5 + Self.column)
    switch collection {
    case .elements(let object, _): measure(object, level + 7)
    case .values(let inner, _, _): measure(inner, level + 6)
    case .elementsOfEach(let inner, let model, let property):
      // Owners come in the order of the path, each once for each of its objects.
      measure(inner, level + (isInverse(property, of: model) ? 18 : 6))
    case .each(let inner, _, let node):
      measure(inner, level + 6)
      measure(node, level + 3)
    case .filter(let inner, _, let condition):
      measure(inner, level + 6)
      measure(condition, level + 5)
    case .list(let nodes, _): measure(nodes, level + 18)
    case .all: break
    case .conditional(let condition, let first, let second):
      measure(condition, level + 8)
      measure(first, level + 8)
      measure(second, level + 8)
    }
  }

  private func isInverse(_ property: Int, of model: Int) -> Bool {
    if case .inverse = schema.models[model].properties[property].type { return true }
    return false
  }
}

extension ResolvedNode {
  /// What is negated, however often.
  fileprivate var withoutNegations: ResolvedNode {
    var node = self
    while case .not(let operand) = node { node = operand }
    return node
  }

  fileprivate var isConstant: Bool {
    if case .constant = self { return true }
    return false
  }
}
