import StrataSchema

// What is true or false.

extension Resolver {
  mutating func resolveCondition(_ expression: Expression) -> ResolvedNode {
    switch expression.kind {
    case .binary(.and, _, _): return .all(chain(expression, .and).map { resolveCondition($0) })
    case .binary(.or, _, _): return .any(chain(expression, .or).map { resolveCondition($0) })
    case .unary(.not, let operand): return .not(resolveCondition(operand))
    case .comparison, .between, .oneOf: return resolveTest(expression, quantifier: nil)
    case .quantified(let quantifier, let condition):
      switch condition.kind {
      case .comparison, .between, .oneOf, .member, .element, .subquery:
        return resolveTest(condition, quantifier: quantifier)
      default:
        report(
          .quantifier, "\(quantifier.rawValue) stands before one comparison", expression.range,
          help: "for a condition of several parts write SUBQUERY(…, $x, …).@count > 0")
        return .constant(.bool(false))
      }
    default:
      let resolved = resolve(expression)
      if resolved.type.isCollection || !resolved.type.isUnknown && !isBool(resolved.type) {
        report(
          .notACondition,
          "a condition is expected, '\(expression.text)' is \(resolved.type.spelling)",
          expression.range)
      }
      return resolved.node
    }
  }

  /// `a AND b AND c` as a list, without a frame for each part.
  private func chain(_ expression: Expression, _ kind: BinaryOperator) -> [Expression] {
    var parts: [Expression] = []
    var rest = expression
    while case .binary(kind, let left, let right) = rest.kind {
      parts.append(right)
      rest = left
    }
    parts.append(rest)
    return parts.reversed()
  }

  private func isBool(_ type: ExpressionType) -> Bool {
    type.base == .scalar(.bool) || type.base == .null
  }

  /// A comparison, perhaps with a quantifier before it. A path through a collection without one means ANY.
  private mutating func resolveTest(_ expression: Expression, quantifier: Quantifier?)
    -> ResolvedNode
  {
    switch expression.kind {
    case .comparison(.search, let left, let right, let options):
      return resolveSearch(left, right, options, quantifier, expression)
    case .comparison(let comparison, let left, let right, let options):
      let (a, b) = (resolve(left), resolve(right))
      if comparison == .contains, quantifier == nil, a.type.isCollection, !b.type.isCollection,
        !isTextOfEach(a, b)
      {
        if options.isEmpty { return resolveMembership(of: b, in: a, expression.range) }
        return quantified(nil, a, expression) { resolver, element in
          resolver.compare(.equal, element, b, options, expression.range)
        }
      }
      if a.type.isCollection, b.type.isCollection {
        report(
          .quantifier, "both sides have many values", expression.range,
          help: "compare one value with many, or write a SUBQUERY")
        return .constant(.bool(false))
      }
      if b.type.isCollection {
        return quantified(quantifier, b, expression) { resolver, element in
          resolver.compare(comparison, a, element, options, expression.range)
        }
      }
      return quantified(quantifier, a, expression) { resolver, element in
        resolver.compare(comparison, element, b, options, expression.range)
      }
    case .between(let value, let lower, let upper):
      let resolved = resolve(value)
      let (low, high) = (resolveOne(lower), resolveOne(upper))
      return quantified(quantifier, resolved, expression) { resolver, element in
        let (first, last) = (
          resolver.unified(element, low, isOrder: true, lower.range),
          resolver.unified(element, high, isOrder: true, upper.range)
        )
        if first.0.node == last.0.node {
          return .between(first.0.node, lower: first.1.node, upper: last.1.node)
        }
        // Each bound has made something else of a literal.
        return .all([
          .comparison(.greaterOrEqual, first.0.node, first.1.node),
          .comparison(.lessOrEqual, last.0.node, last.1.node),
        ])
      }
    case .oneOf(let value, let items, let options):
      let resolved = resolve(value)
      let candidates = items.map { ($0.range, resolve($0)) }
      return quantified(quantifier, resolved, expression) { resolver, element in
        options.isEmpty
          ? resolver.oneOf(element, candidates)
          : resolver.oneOf(element, candidates, options, expression)
      }
    default:
      let resolved = resolve(expression)
      return quantified(quantifier, resolved, expression) { resolver, element in
        if !element.type.isUnknown, !resolver.isBool(element.type) {
          resolver.report(
            .notACondition, "'\(expression.text)' is \(resolved.type.spelling), no condition",
            expression.range)
        }
        return element.node
      }
    }
  }

  /// Whether CONTAINS looks into each value of a path, as the other text operators do, and does not ask for an element that is
  /// this one.
  private func isTextOfEach(_ path: Resolved, _ part: Resolved) -> Bool {
    guard path.collection.isPathToValues else { return false }
    return [path.type, part.type].allSatisfy { type in
      isOpen(type) || scalar(type.base) == .string || scalar(type.base) == .data
    }
  }

  mutating func quantified(
    _ quantifier: Quantifier?, _ many: Resolved, _ expression: Expression,
    _ test: (inout Resolver, Resolved) -> ResolvedNode
  ) -> ResolvedNode {
    guard many.type.isCollection else {
      if let quantifier, !many.type.isUnknown {
        report(
          .quantifier, "\(quantifier.rawValue) needs a path through a collection", expression.range)
      }
      return test(&self, many)
    }
    let slot = makeSlot()
    let element = Resolved(.variable(slot), many.type.element)
    return .quantified(quantifier ?? .any, many.collection, slot: slot, test(&self, element))
  }

  private mutating func oneOf(
    _ element: Resolved, _ candidates: [(Range<Int>, Resolved)]
  ) -> ResolvedNode {
    // A literal is another value to each type that it is compared with: 1.7 is not 1.7 as a float.
    var groups: [(value: ResolvedNode, items: [ResolvedNode])] = []
    var tests: [ResolvedNode] = []
    for (range, candidate) in candidates {
      if candidate.type.isCollection {
        tests.append(resolveMembership(of: element, in: candidate, range))
        continue
      }
      let (left, right) = unified(element, candidate, isOrder: false, range)
      if let place = groups.firstIndex(where: { $0.value == left.node }) {
        groups[place].items.append(right.node)
      } else {
        groups.append((left.node, [right.node]))
      }
    }
    tests += groups.map { .oneOf($0.value, $0.items) }
    if tests.isEmpty { return .oneOf(element.node, []) }
    return tests.count == 1 ? tests[0] : .any(tests)
  }

  /// With `[c]` and `[d]`: each is compared as `==` does, and known texts all at once.
  private mutating func oneOf(
    _ element: Resolved, _ candidates: [(Range<Int>, Resolved)], _ options: TextOptions,
    _ expression: Expression
  ) -> ResolvedNode {
    let tests = candidates.map { range, candidate in
      quantified(nil, candidate, expression) { resolver, candidate in
        resolver.compare(.equal, element, candidate, options, range)
      }
    }
    if tests.count == 1 { return tests[0] }
    var known: [ResolvedNode] = []
    var others: [ResolvedNode] = []
    for test in tests {
      if case .text(.equal, element.node, .constant(let value), options) = test {
        known.append(.constant(value.folded(options)))
      } else {
        others.append(test)
      }
    }
    if known.isEmpty { return .any(others) }
    let all = ResolvedNode.oneOf(.folded(element.node, options), known)
    return others.isEmpty ? all : .any([all] + others)
  }

  private mutating func resolveMembership(
    of value: Resolved, in collection: Resolved, _ range: Range<Int>
  ) -> ResolvedNode {
    let element = Resolved(.variable(-1), collection.type.element)
    let (_, unified) = unified(element, value, isOrder: false, range)
    // As IN does it, because known values are found all at once, and by an index.
    if case .list(let items, omitsNil: false) = collection.collection {
      return .oneOf(unified.node, items)
    }
    return .membership(unified.node, in: collection.collection)
  }

  // MARK: Comparable types

  private mutating func compare(
    _ comparison: ComparisonOperator, _ left: Resolved, _ right: Resolved, _ options: TextOptions,
    _ range: Range<Int>
  ) -> ResolvedNode {
    guard comparison.isTextual || !options.isEmpty else {
      let (a, b) = unified(left, right, isOrder: comparison.isOrder, range)
      return .comparison(comparison, a.node, b.node)
    }
    for side in [left, right] {
      let isText = isOpen(side.type) || scalar(side.type.base) == .string
      let isData =
        scalar(side.type.base) == .data && options.isEmpty && comparison != .like
      if !isText && !isData {
        report(
          .comparisonType,
          comparison.isTextual
            ? "\(comparison.rawValue) compares strings, not \(side.type.spelling)"
            : "[c] and [d] are for strings, not for \(side.type.spelling)", range)
        return .constant(.bool(false))
      }
    }
    if let a = scalar(left.type.base), let b = scalar(right.type.base), a != b, a != .any, b != .any
    {
      report(
        .comparisonType, "\(left.type.spelling) is compared with \(right.type.spelling)", range)
    }
    return .text(comparison, left.node, right.node, options)
  }

  private func isOpen(_ type: ExpressionType) -> Bool {
    type.isUnknown || type.base == .null || type.base == .scalar(.any)
  }

  /// Both sides of a comparison, where literals take the type of the other side.
  private mutating func unified(
    _ left: Resolved, _ right: Resolved, isOrder: Bool, _ range: Range<Int>
  ) -> (Resolved, Resolved) {
    if isOpen(left.type) || isOpen(right.type) { return (left, right) }
    if case .object(let a) = left.type.base, case .object(let b) = right.type.base {
      if isOrder {
        report(.comparisonType, "objects have no order", range)
      } else if a != b, !a.isEmpty, !b.isEmpty {
        report(.comparisonType, "an object of '\(a)' is never one of '\(b)'", range)
      }
      return (left, right)
    }
    checkCase(left, right, range)
    checkCase(right, left, range)
    let (left, right) = (rounded(left, for: right), rounded(right, for: left))
    let (a, b) = (scalar(left.type.base), scalar(right.type.base))
    if let a, let b {
      if a == .bool || b == .bool {
        if let bool = asBool(left), let other = asBool(right), !isOrder { return (bool, other) }
      } else if a == b || a.isNumeric && b.isNumeric {
        return (left, right)
      }
    }
    report(
      .comparisonType,
      isOrder && a == b
        ? "\(left.type.spelling) has no order"
        : "\(left.type.spelling) is compared with \(right.type.spelling)", range,
      help: help(comparing: left, right))
    return (left, right)
  }

  /// A literal that is compared with a float: the nearest float, because no float is 1.7. One beyond their range stays what it
  /// is.
  private func rounded(_ literal: Resolved, for side: Resolved) -> Resolved {
    guard scalar(side.type.base) == .float else { return literal }
    let nearest: Float? =
      switch literal.constant {
      case .double(let number): Float(number)
      case .decimal(let number): Float(number.text)
      default: nil
      }
    guard let nearest, nearest.isFinite else { return literal }
    return Resolved(.constant(.float(nearest)), .scalar(.float))
  }

  /// A bool, or a literal 0 or 1, which stands for one.
  private func asBool(_ resolved: Resolved) -> Resolved? {
    if resolved.type.base == .scalar(.bool) { return resolved }
    guard case .int(let number)? = resolved.constant, number == 0 || number == 1 else { return nil }
    return Resolved(.constant(.bool(number == 1)), .condition)
  }

  private mutating func checkCase(_ side: Resolved, _ literal: Resolved, _ range: Range<Int>) {
    guard case .enumeration(let name) = side.type.base, let value = literal.constant,
      let enumeration = schema.enumeration(named: name)
    else { return }
    checkRawValue(value, of: enumeration, range)
  }

  /// Reports a literal that no case of the enum has.
  mutating func checkRawValue(_ value: Value, of enumeration: EnumType, _ range: Range<Int>) {
    guard !value.isNull, Self.type(of: value).base == .scalar(enumeration.rawType.scalar),
      !enumeration.cases.contains(where: { $0.rawValue == value })
    else { return }
    var help = "it has \(enumeration.knownValues)"
    if case .string(let text) = value {
      let named = enumeration.cases.first { $0.name == text }?.rawValue
      let near = NearestName.find(
        text,
        among: enumeration.cases.compactMap {
          if case .string(let raw) = $0.rawValue { raw } else { nil }
        })
      if let meant = named ?? near.map(Value.string) {
        help = "did you mean \(LiteralSpelling.text(of: meant))?"
      }
    }
    report(
      .unknownEnumValue,
      "'\(enumeration.name)' has no case with the raw value \(LiteralSpelling.text(of: value))",
      range,
      help: help)
  }
}

extension ResolvedCollection {
  /// Whether the values are one property of each object, and no collection's elements.
  fileprivate var isPathToValues: Bool {
    switch self {
    case .values: true
    case .conditional(_, let first, let second): first.isPathToValues && second.isPathToValues
    case .elements, .elementsOfEach, .filter, .list, .all, .each: false
    }
  }
}
