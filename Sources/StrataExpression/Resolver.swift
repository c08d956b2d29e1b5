import StrataSchema

/// A part that was checked.
struct Resolved {
  var content: ResolvedExpression.Content
  var type: ExpressionType

  init(_ content: ResolvedExpression.Content, _ type: ExpressionType) {
    self.content = content
    self.type = type
  }

  init(_ node: ResolvedNode, _ type: ExpressionType) {
    self.init(.one(node), type)
  }

  static let failed = Resolved(.constant(.null), .unknown)

  /// The one value; the caller has made sure that there is one.
  var node: ResolvedNode {
    if case .one(let node) = content { return node }
    return .constant(.null)
  }

  var collection: ResolvedCollection {
    switch content {
    case .many(let collection): collection
    case .map(let map): map.values
    case .one(let node): .list([node], omitsNil: false)
    }
  }

  var constant: Value? {
    if case .one(.constant(let value)) = content { return value }
    return nil
  }
}

/// Checks an expression against a schema and makes the tree that is evaluated. Goes on after an error with
/// an unknown type, which fits everywhere, so that all errors are reported.
struct Resolver {
  let schema: Schema
  let root: Model
  let use: ExpressionUse
  var allowsArguments = false
  var target: AssignmentTarget?
  /// Values that an expression cannot have where it stands: in `if(old.mood == 'angry', 'calm', old.mood)` the last
  /// `old.mood` is not 'angry'.
  var excluded: [Expression: Set<Value>] = [:]

  var errors: [ExpressionError] = []
  var slotCount = 0
  var readProperties: Set<Int> = []
  var readCollections: Set<Int> = []
  /// Whether something else than the row's own values is read.
  var leavesRow = false

  struct Variable {
    var name: String
    var slot: Int
    var model: String
  }
  var variables: [Variable] = []

  init(schema: Schema, root: Model, use: ExpressionUse) {
    self.schema = schema
    self.root = root
    self.use = use
  }

  var sortedErrors: [ExpressionError] {
    errors.enumerated().sorted {
      ($0.element.range.lowerBound, $0.offset) < ($1.element.range.lowerBound, $1.offset)
    }.map(\.element)
  }

  mutating func report(
    _ rule: ExpressionRule, _ message: String, _ range: Range<Int>, help: String? = nil
  ) {
    errors.append(ExpressionError(rule, message, range: range, help: help))
  }

  mutating func makeSlot() -> Int {
    defer { slotCount += 1 }
    return slotCount
  }

  func indexOfModel(_ name: String) -> Int {
    var (low, high) = (0, schema.models.count)
    while low < high {
      let middle = (low + high) / 2
      if schema.models[middle].name < name { low = middle + 1 } else { high = middle }
    }
    return low
  }

  // MARK: Any expression

  mutating func resolve(_ expression: Expression) -> Resolved {
    switch expression.kind {
    case .literal(let value): return Resolved(.constant(value), Self.type(of: value))
    case .argument(let number):
      if !allowsArguments {
        report(
          .unboundArgument, "argument \(number) has no value", expression.range,
          help: "give the arguments where the text is parsed")
      }
      return .failed
    case .object(let root): return resolveObject(root, expression.range)
    case .member(let base, let name): return resolveMember(base, name, expression.range)
    case .element(let base, let index): return resolveElement(base, index, expression.range)
    case .unary(.negate, let operand): return resolveNegation(operand, expression.range)
    case .unary(.not, _), .binary(.and, _, _), .binary(.or, _, _), .comparison, .between, .oneOf,
      .quantified:
      return Resolved(resolveCondition(expression), .condition)
    case .binary(.coalesce, let left, let right): return resolveCoalesce(left, right)
    case .binary: return resolveArithmetic(expression)
    case .aggregate(let aggregate, let collection):
      return resolveAggregate(aggregate, collection, expression.range)
    case .subquery(let collection, let variable, let condition):
      return resolveSubquery(collection, variable, condition)
    case .lookup(let model, let key): return resolveLookup(model, key, expression.range)
    case .call(let function, let arguments):
      return resolveCall(function, arguments, expression.range)
    case .conditional(let condition, let value, let other):
      return resolveConditional(condition, value, other)
    case .list(let items): return resolveList(items)
    }
  }

  /// An expression that has to have one value.
  mutating func resolveOne(_ expression: Expression) -> Resolved {
    let resolved = resolve(expression)
    guard resolved.type.isCollection else { return resolved }
    report(
      .needsOneValue, "one value is expected, '\(expression.text)' has \(resolved.type.spelling)",
      expression.range, help: "take an element, '[0]', or an aggregate such as '.@count'")
    return .failed
  }

  static func type(of value: Value) -> ExpressionType {
    switch value {
    case .null: ExpressionType(.null, isOptional: true)
    case .bool: .scalar(.bool)
    case .int: .scalar(.int)
    case .float: .scalar(.float)
    case .double: .scalar(.double)
    case .string: .scalar(.string)
    case .data: .scalar(.data)
    case .date: .scalar(.date)
    case .uuid: .scalar(.uuid)
    case .decimal: .scalar(.decimal)
    case .objectID: .scalar(.objectID)
    case .link: ExpressionType(.object(""))
    case .object(let model, _): ExpressionType(.object(model))
    }
  }

  // MARK: Branches

  private mutating func resolveCoalesce(_ left: Expression, _ right: Expression) -> Resolved {
    let a = resolve(left)
    if a.type.isCollection {
      return mapElements(of: a) { $0.coalesce($1, left, $0.resolveOne(right), right) }
    }
    return coalesce(a, left, resolveOne(right), right)
  }

  private mutating func coalesce(
    _ a: Resolved, _ left: Expression, _ b: Resolved, _ right: Expression
  ) -> Resolved {
    guard var type = join(a.type, b.type) else {
      report(
        .mixedTypes, "'??' between \(a.type.spelling) and \(b.type.spelling)",
        left.range.lowerBound..<right.range.upperBound)
      return .failed
    }
    type.isOptional = a.type.isOptional && b.type.isOptional
    return Resolved(
      .coalesce(converted(a, to: type).node, converted(b, to: type).node), type)
  }

  /// A collection of what becomes of each element, under the same keys where it is a map.
  mutating func mapElements(
    of collection: Resolved, _ body: (inout Resolver, Resolved) -> Resolved
  ) -> Resolved {
    let slot = makeSlot()
    let element = Resolved(.variable(slot), collection.type.element)
    let result = body(&self, element)
    if result.type.isUnknown { return .failed }
    var type = result.type
    type.cardinality = collection.type.cardinality
    if result.content == element.content { return Resolved(collection.content, type) }
    if case .map(let map) = collection.content {
      return Resolved(.map(.each(map, slot: slot, result.node)), type)
    }
    return Resolved(.many(.each(collection.collection, slot: slot, result.node)), type)
  }

  private mutating func resolveConditional(
    _ condition: Expression, _ value: Expression, _ other: Expression
  ) -> Resolved {
    let test = resolveCondition(condition)
    let (a, b) = (resolve(value), resolve(other))
    guard let type = join(a.type, b.type) else {
      report(
        .mixedTypes, "the branches are \(a.type.spelling) and \(b.type.spelling)",
        value.range.lowerBound..<other.range.upperBound)
      return .failed
    }
    if type.isCollection {
      let (first, second) = (convertedElements(a, to: type), convertedElements(b, to: type))
      return Resolved(.many(.conditional(test, first.collection, second.collection)), type)
    }
    return Resolved(
      .conditional(test, converted(a, to: type).node, converted(b, to: type).node), type)
  }

  private mutating func resolveList(_ items: [Expression]) -> Resolved {
    var type = ExpressionType(.null, cardinality: .list)
    var elements: [Resolved] = []
    for item in items {
      let resolved = resolveOne(item)
      guard let joined = join(type.element, resolved.type) else {
        report(
          .mixedTypes,
          "an element of \(resolved.type.spelling) in a list of \(type.element.spelling)",
          item.range)
        continue
      }
      type = ExpressionType(
        joined.base, isOptional: type.isOptional || resolved.type.isOptional, cardinality: .list)
      elements.append(resolved)
    }
    // Only now all are known: the last one may make doubles of the whole numbers before it.
    let nodes = elements.map { converted($0, to: type.element).node }
    return Resolved(.many(.list(nodes, omitsNil: false)), type)
  }

  /// The type that takes values of both.
  func join(_ a: ExpressionType, _ b: ExpressionType) -> ExpressionType? {
    if a.isUnknown || b.isUnknown { return a.isUnknown ? b : a }
    if a.isCollection || b.isCollection {
      guard a.isCollection, b.isCollection, a.cardinality != .map, b.cardinality != .map,
        let element = join(a.element, b.element)
      else { return nil }
      return ExpressionType(
        element.base, isOptional: element.isOptional,
        cardinality: a.cardinality == b.cardinality ? a.cardinality : .many)
    }
    let isOptional = a.isOptional || b.isOptional
    if a.base == .null {
      return ExpressionType(b.base, isOptional: b.base == .null || isOptional || a.isOptional)
    }
    if b.base == .null { return ExpressionType(a.base, isOptional: true) }
    if a.base == b.base { return ExpressionType(a.base, isOptional: isOptional) }
    if case .object = a.base, b.base == .object("") {
      return ExpressionType(a.base, isOptional: isOptional)
    }
    guard let left = scalar(a.base), let right = scalar(b.base) else { return nil }
    let joined: ScalarType? =
      if left == right {
        left
      } else if left.isInteger && right.isInteger {
        .int
      } else if left.isNumeric && right.isNumeric {
        left == .decimal || right == .decimal
          ? (left.isInteger || right.isInteger ? .decimal : nil) : .double
      } else if left == .any || right == .any {
        .any
      } else {
        nil
      }
    return joined.map { ExpressionType(.scalar($0), isOptional: isOptional) }
  }

  /// The scalar that values of the type are stored as.
  func scalar(_ base: ExpressionType.Base) -> ScalarType? {
    switch base {
    case .scalar(let type): type
    case .enumeration(let name): enumeration(named: name)?.rawType.scalar
    case .null, .unknown, .object: nil
    }
  }

  func enumeration(named name: String) -> EnumType? { schema.enumeration(named: name) }

  /// What a number of one type has to become where it was joined to another one; nil where it stays what it is.
  private func conversion(from type: ExpressionType, to joined: ExpressionType) -> ScalarType? {
    guard let from = scalar(type.base), let to = scalar(joined.base), from != to,
      to == .double || to == .decimal, from.isNumeric
    else { return nil }
    return to
  }

  /// A number as the type that it was joined to.
  private func converted(_ resolved: Resolved, to type: ExpressionType) -> Resolved {
    guard let to = conversion(from: resolved.type, to: type) else { return resolved }
    if let constant = resolved.constant {
      return Resolved(.constant(Conversion.convert(constant, to: to)), type)
    }
    return Resolved(.conversion(resolved.node, to), type)
  }

  /// A collection whose elements are of the type that it was joined to.
  private mutating func convertedElements(
    _ resolved: Resolved, to type: ExpressionType
  ) -> Resolved {
    guard conversion(from: resolved.type, to: type) != nil else { return resolved }
    return mapElements(of: resolved) { $0.converted($1, to: type.element) }
  }
}
