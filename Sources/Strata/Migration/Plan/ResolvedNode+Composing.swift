import StrataExpression
import StrataSchema

/// How large an expression is.
struct NodeSize {
  var nodes: Int
  var depth: Int

  /// The size of a node around this one, with so many nodes of its own.
  func inside(_ more: Int) -> NodeSize {
    NodeSize(nodes: Swift.min(nodes + more, Self.most), depth: depth + 1)
  }

  /// Where counting ends: what is repeated in each version grows like a power.
  private static let most = 1 << 30

  fileprivate static func + (left: NodeSize, right: NodeSize) -> NodeSize {
    NodeSize(
      nodes: Swift.min(left.nodes + right.nodes, most), depth: Swift.max(left.depth, right.depth))
  }
}

extension ResolvedNode {
  var size: NodeSize { size(replacing: { _ in nil }) }

  /// The size after some nodes were replaced by ones of these sizes.
  func size(replacing replacement: (ResolvedNode) -> NodeSize?) -> NodeSize {
    if let size = replacement(self) { return size }
    return parts.reduce(NodeSize(nodes: 0, depth: 0)) { $0 + $1.size(replacing: replacement) }
      .inside(1)
  }

  /// The node with others in place of some of its parts.
  func replacing(_ replacement: (ResolvedNode) -> ResolvedNode?) -> ResolvedNode {
    replacement(self) ?? mapParts { $0.replacing(replacement) }
  }

  /// Whether the node is made of nothing but own properties, constants and what is worked out from them.
  var isComposable: Bool {
    switch self {
    case .constant, .property(.subject, _): true
    case .property, .identity, .variable, .quantified, .membership, .aggregate, .element,
      .mapElement, .lookup:
      false
    default: parts.allSatisfy(\.isComposable)
    }
  }

  /// Whether working it out may be an error rather than a value.
  var mayFail: Bool {
    switch self {
    case .negate(_, let number, _), .arithmetic(_, let number, _, _, _):
      number == .int || number == .decimal || parts.contains(where: \.mayFail)
        || isDivision
    // What a list literal holds is no part of the node.
    case .aggregate, .call, .quantified, .membership, .element, .mapElement, .lookup: true
    case .property(.target(let link, _), _), .identity(.target(let link, _)): link.mayFail
    default: parts.contains(where: \.mayFail)
    }
  }

  private var isDivision: Bool {
    if case .arithmetic(let operation, _, _, _, _) = self {
      return operation == .divide || operation == .remainder
    }
    return false
  }

  /// The node and those of its parts that are worked out whenever it is.
  func insertAlwaysEvaluated(into nodes: inout Set<ResolvedNode>) {
    nodes.insert(self)
    switch self {
    case .negate(let operand, _, _), .conversion(let operand, _), .folded(let operand, _),
      .not(let operand):
      operand.insertAlwaysEvaluated(into: &nodes)
    case .arithmetic(_, _, let left, let right, _), .comparison(_, let left, let right):
      left.insertAlwaysEvaluated(into: &nodes)
      right.insertAlwaysEvaluated(into: &nodes)
    case .coalesce(let first, _), .conditional(let first, _, _):
      first.insertAlwaysEvaluated(into: &nodes)
    case .call(_, let arguments, _):
      for argument in arguments { argument.insertAlwaysEvaluated(into: &nodes) }
    // One that is nil ends the others' turn.
    case .concatenation(let texts): texts.first?.insertAlwaysEvaluated(into: &nodes)
    default: break
    }
  }

  /// The same with sums of whole constants worked out: `a + 1 + 1` is `a + 2`.
  ///
  /// Only of constants with the same sign: then one overflows exactly when the other does.
  var folded: ResolvedNode {
    let node = mapParts(\.folded)
    guard let (base, added, range) = node.sumWithConstant,
      let (inner, more, _) = base.sumWithConstant, (added < 0) == (more < 0)
    else { return node }
    let sum = added.addingReportingOverflow(more)
    guard !sum.overflow else { return node }
    return .arithmetic(.add, .int, inner, .constant(.int(sum.partialValue)), range: range)
  }

  /// A whole number with a constant added to it.
  private var sumWithConstant: (node: ResolvedNode, constant: Int64, range: Range<Int>)? {
    guard case .arithmetic(let operation, .int, let left, let right, let range) = self else {
      return nil
    }
    switch (operation, left, right) {
    case (.add, let node, .constant(.int(let number))),
      (.add, .constant(.int(let number)), let node):
      return (node, number, range)
    case (.subtract, let node, .constant(.int(let number))) where number != .min:
      return (node, -number, range)
    default: return nil
    }
  }
}

extension ResolvedNode {
  /// The nodes that a local node is made of; of one that looks at other objects none.
  fileprivate var parts: [ResolvedNode] {
    switch self {
    case .negate(let node, _, _), .not(let node), .conversion(let node, _), .folded(let node, _),
      .linkInAny(let node, _), .renamedInAny(let node, _):
      [node]
    case .arithmetic(_, _, let a, let b, _), .coalesce(let a, let b), .comparison(_, let a, let b),
      .text(_, let a, let b, _):
      [a, b]
    case .between(let a, let b, let c), .conditional(let a, let b, let c): [a, b, c]
    case .concatenation(let nodes), .all(let nodes), .any(let nodes), .call(_, let nodes, _): nodes
    case .oneOf(let node, let items): [node] + items
    case .constant, .property, .identity, .variable, .quantified, .membership, .aggregate, .element,
      .mapElement, .lookup:
      []
    }
  }

  fileprivate func mapParts(_ change: (ResolvedNode) -> ResolvedNode) -> ResolvedNode {
    switch self {
    case .negate(let node, let number, let range): .negate(change(node), number, range: range)
    case .not(let node): .not(change(node))
    case .conversion(let node, let type): .conversion(change(node), type)
    case .folded(let node, let options): .folded(change(node), options)
    case .linkInAny(let node, let model): .linkInAny(change(node), model: model)
    case .renamedInAny(let node, let models): .renamedInAny(change(node), models: models)
    case .arithmetic(let operation, let number, let a, let b, let range):
      .arithmetic(operation, number, change(a), change(b), range: range)
    case .coalesce(let a, let b): .coalesce(change(a), change(b))
    case .comparison(let comparison, let a, let b): .comparison(comparison, change(a), change(b))
    case .text(let comparison, let a, let b, let options):
      .text(comparison, change(a), change(b), options)
    case .between(let a, let b, let c): .between(change(a), lower: change(b), upper: change(c))
    case .conditional(let a, let b, let c): .conditional(change(a), change(b), change(c))
    case .concatenation(let nodes): .concatenation(nodes.map(change))
    case .all(let nodes): .all(nodes.map(change))
    case .any(let nodes): .any(nodes.map(change))
    case .call(let function, let nodes, let range):
      .call(function, nodes.map(change), range: range)
    case .oneOf(let node, let items): .oneOf(change(node), items.map(change))
    case .constant, .property, .identity, .variable, .quantified, .membership, .aggregate, .element,
      .mapElement, .lookup:
      self
    }
  }
}
