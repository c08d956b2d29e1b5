import StrataExpression
import StrataSchema

/// A model's way through all versions of a fused pass as expressions over the source object: each version's expressions
/// are put into the next one's, so that one SQL statement makes all of them.
struct ComposedModel {
  /// Why a model is not composed.
  enum Refusal: Error {
    /// A version does what SQL cannot say: a block, a generated value.
    case unsupported
    /// The expressions have grown beyond a bound: fewer versions at once can be composed.
    case tooLarge
  }

  /// The value of each of the target's `columnProperties`.
  private(set) var columns: [ResolvedNode] = []
  /// What an earlier version would refuse to be nil, and what may fail there though no column contains it.
  private(set) var checks: [Check] = []

  enum Check {
    case isNotNil(ResolvedNode)
    case doesNotFail(ResolvedNode)
  }

  /// Nodes of one expression: SQLite's parser keeps a stack, and what is said twice is worked out twice.
  private static let maximumNodes = 600
  /// Levels of one expression: SQLite's own bound is 1,000.
  private static let maximumDepth = 120

  /// An expression with what it has grown to.
  private struct Term {
    var node: ResolvedNode
    var size: NodeSize

    init(_ node: ResolvedNode, _ size: NodeSize) throws(Refusal) {
      guard size.nodes <= ComposedModel.maximumNodes, size.depth <= ComposedModel.maximumDepth
      else { throw .tooLarge }
      self.node = node
      self.size = size
    }

    init(_ node: ResolvedNode) throws(Refusal) { try self.init(node, node.size) }
  }

  init(_ pipeline: ModelPipeline) throws(Refusal) {
    guard let source = pipeline.source else { throw .unsupported }
    var values: [String: Term] = [:]
    for property in source.columnProperties {
      guard let index = source.indexOfProperty(named: property.name) else { continue }
      values[property.name] = try Term(.property(.subject, index))
    }
    var fallible: [ResolvedNode] = []
    for (position, stage) in pipeline.stages.enumerated() {
      guard stage.mapping == nil else { throw .unsupported }
      let isLast = position == pipeline.stages.count - 1
      var next: [String: Term] = [:]
      for property in stage.model.properties where !property.property.type.isCollection {
        let term = try Self.term(of: property, in: stage, values: values)
        if property.mayBeNull && property.isRequired && !isLast {
          checks.append(.isNotNil(term.node))
        }
        if case .expression = property.origin, term.node.mayFail { fallible.append(term.node) }
        next[property.property.name] = term
      }
      values = next
    }
    var contained: Set<ResolvedNode> = []
    for property in pipeline.target.columnProperties {
      guard let term = values[property.name] else { throw .unsupported }
      term.node.insertAlwaysEvaluated(into: &contained)
      columns.append(term.node.folded)
    }
    checks += fallible.filter { !contained.contains($0) }.map { .doesNotFail($0.folded) }
    checks = checks.map { check in
      if case .isNotNil(let node) = check { return .isNotNil(node.folded) }
      return check
    }
  }

  private static func term(
    of property: PropertyTransition, in stage: ModelPipeline.Stage, values: [String: Term]
  ) throws(Refusal) -> Term {
    var term: Term
    var replacement = property.valueForNull
    switch property.origin {
    case .copied(let old, let conversion):
      guard !old.type.isCollection, let value = values[old.name] else { throw .unsupported }
      term = value
      switch conversion {
      case .none: if old.isRequiredColumn { replacement = nil }
      case .scalar(let type): term = try Term(.conversion(value.node, type), value.size.inside(1))
      case .renamedModels(let names):
        term = try Term(.renamedInAny(value.node, models: names), value.size.inside(1))
      case .elements, .wrapped, .recollected: throw .unsupported
      }
    case .constant(let value):
      if value.isNull && property.isRequired { throw .unsupported }
      return try Term(.constant(value))
    case .generated(.now): return try Term(.constant(.date(stage.transition.environment.date)))
    // Made from what each object is.
    case .generated: throw .unsupported
    case .expression(let expression):
      guard expression.isLocal, case .one(let node) = expression.content, node.isComposable else {
        throw .unsupported
      }
      let terms: [ResolvedNode: Term] = Dictionary(
        uniqueKeysWithValues: expression.readProperties.compactMap { index in
          stage.model.source.flatMap { values[$0.properties[index].name] }.map {
            (.property(.subject, index), $0)
          }
        })
      let size = node.size { terms[$0]?.size }
      guard size.nodes <= maximumNodes, size.depth <= maximumDepth else { throw .tooLarge }
      term = try Term(node.replacing { terms[$0]?.node }, size)
      replacement = expression.type.isOptional ? property.property.defaultValue : nil
    }
    guard property.isRequired, let replacement, !replacement.isNull else { return term }
    return try Term(.coalesce(term.node, .constant(replacement)), term.size.inside(1))
  }
}
