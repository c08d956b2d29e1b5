package import StrataSchema

/// All that is wrong with an expression's types, in the order of its text.
package struct ExpressionErrors: Error, Hashable, Sendable {
  package var errors: [ExpressionError]
}

/// An expression that was checked against a model once, to be evaluated for many objects.
package struct ResolvedExpression: Hashable, Sendable {
  package enum Content: Hashable, Sendable {
    case one(ResolvedNode)
    case many(ResolvedCollection)
    case map(ResolvedMap)
  }

  package let content: Content
  package let type: ExpressionType
  /// How many variables its subqueries and quantifiers have.
  package let slotCount: Int
  /// Positions of the own properties, no collections, that it reads, in order.
  package let readProperties: [Int]
  /// Positions of the own collections that it reads, in order.
  package let readCollections: [Int]
  /// Whether it reads nothing but own properties that are no collections: no link is followed, no identity
  /// is asked for. Such an expression is evaluated from the row alone.
  package let isLocal: Bool

  /// Checks an expression whose value may be of any type.
  package init(
    _ expression: Expression, in schema: Schema, of model: Model, for use: ExpressionUse
  ) throws(ExpressionErrors) {
    var resolver = Resolver(schema: schema, root: model, use: use)
    let resolved = resolver.resolve(expression)
    try self.init(resolved, resolver)
  }

  /// Checks an expression that is true or false.
  package init(
    condition expression: Expression, in schema: Schema, of model: Model, for use: ExpressionUse
  ) throws(ExpressionErrors) {
    var resolver = Resolver(schema: schema, root: model, use: use)
    let node = resolver.resolveCondition(expression)
    try self.init(Resolved(.one(node), .condition), resolver)
  }

  /// Checks an expression whose value a property takes, and converts the value to the property's type.
  package init(
    _ expression: Expression, in schema: Schema, of model: Model, for use: ExpressionUse,
    assignedTo target: AssignmentTarget
  ) throws(ExpressionErrors) {
    var resolver = Resolver(schema: schema, root: model, use: use)
    resolver.target = target
    let resolved = resolver.resolveAssigned(expression, to: target.property.type)
    try self.init(resolved, resolver)
  }

  private init(_ resolved: Resolved, _ resolver: Resolver) throws(ExpressionErrors) {
    guard resolver.errors.isEmpty else { throw ExpressionErrors(errors: resolver.sortedErrors) }
    content = resolved.content
    type = resolved.type
    slotCount = resolver.slotCount
    readProperties = resolver.readProperties.sorted()
    readCollections = resolver.readCollections.sorted()
    isLocal = !resolver.leavesRow && resolver.readCollections.isEmpty
  }
}

/// The property that takes an expression's value.
package struct AssignmentTarget: Sendable {
  package var property: Property
  /// The schema that the property stands in.
  package var schema: Schema
  /// Old model name → new one, where the schemas are those of two versions.
  package var renames: Renames
  /// The condition under which a step deletes the object, so that what it takes is never missing.
  package var deletion: Expression?

  package init(
    _ property: Property, in schema: Schema, renames: Renames = Renames(),
    deleting deletion: Expression? = nil
  ) {
    self.property = property
    self.schema = schema
    self.renames = renames
    self.deletion = deletion
  }
}

/// Checks expressions without keeping anything to evaluate.
package struct TypeChecker: Sendable {
  package let schema: Schema
  package let model: Model
  package let use: ExpressionUse
  /// Whether `%@` and `$0` may stay open.
  package let allowsArguments: Bool

  package init(
    schema: Schema, model: Model, use: ExpressionUse, allowsArguments: Bool = false
  ) {
    self.schema = schema
    self.model = model
    self.use = use
    self.allowsArguments = allowsArguments
  }

  private var resolver: Resolver {
    var resolver = Resolver(schema: schema, root: model, use: use)
    resolver.allowsArguments = allowsArguments
    return resolver
  }

  /// The expression's type, and all that is wrong with it.
  package func check(_ expression: Expression) -> (type: ExpressionType, errors: [ExpressionError])
  {
    var resolver = resolver
    let type = resolver.resolve(expression).type
    return (type, resolver.sortedErrors)
  }

  /// What is wrong with the expression as a condition.
  package func check(condition expression: Expression) -> [ExpressionError] {
    var resolver = resolver
    _ = resolver.resolveCondition(expression)
    return resolver.sortedErrors
  }

  /// What is wrong with the expression as the value of a property.
  package func check(
    _ expression: Expression, assignedTo target: AssignmentTarget
  ) -> [ExpressionError] {
    var resolver = resolver
    resolver.target = target
    _ = resolver.resolveAssigned(expression, to: target.property.type)
    return resolver.sortedErrors
  }
}

extension Expression {
  /// Whether the condition holds wherever the value is nil: it says so, perhaps beside others.
  package func holds(whereNil value: Expression) -> Bool {
    switch kind {
    case .binary(.or, let left, let right):
      left.holds(whereNil: value) || right.holds(whereNil: value)
    case .comparison(.equal, let left, let right, _):
      left == value && right.kind == .literal(.null)
        || right == value && left.kind == .literal(.null)
    default: false
    }
  }

  /// The property paths that the expression reads, as it spells them, with what they start from; sorted.
  package var readPaths: [ReadPath] {
    var paths: Set<ReadPath> = []
    collectPaths(into: &paths)
    return paths.sorted {
      ($0.names.joined(separator: "."), "\($0.root)") < (
        $1.names.joined(separator: "."), "\($1.root)"
      )
    }
  }

  package struct ReadPath: Hashable, Sendable {
    package var root: Root
    package var names: [String]
  }

  private func collectPaths(into paths: inout Set<ReadPath>) {
    if let path { paths.insert(path) }
    // A path's own parts are no paths of their own; what stands in its brackets is.
    var base = self
    while case .member(let next, _) = base.kind { base = next }
    if base.kind != kind, base.path == nil || base.path?.names.isEmpty == true {
      if case .object = base.kind { return }
      return base.collectPaths(into: &paths)
    }
    for child in children { child.collectPaths(into: &paths) }
  }

  private var path: ReadPath? {
    switch kind {
    case .object(let root): ReadPath(root: root, names: [])
    case .member(let base, let name):
      base.path.map { ReadPath(root: $0.root, names: $0.names + [name]) }
    default: nil
    }
  }

  /// The expressions that this one is made of.
  package var children: [Expression] {
    switch kind {
    case .literal, .argument, .object: []
    case .member(let base, _), .unary(_, let base), .quantified(_, let base),
      .aggregate(_, let base):
      [base]
    case .element(let a, let b), .binary(_, let a, let b), .comparison(_, let a, let b, _): [a, b]
    case .between(let a, let b, let c), .conditional(let a, let b, let c): [a, b, c]
    case .oneOf(let value, let items, _): [value] + items
    case .subquery(let collection, _, let condition): [collection, condition]
    // The model is no path: it stands for no value.
    case .lookup(_, let items), .call(_, let items), .list(let items): items
    }
  }
}
