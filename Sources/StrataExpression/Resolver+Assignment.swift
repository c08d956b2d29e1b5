import StrataSchema

// Whether a property takes a value, and what has to be made of the value for it.

extension Resolver {
  mutating func resolveAssigned(_ expression: Expression, to type: PropertyType) -> Resolved {
    guard let target, let element = type.valueType else {
      report(
        .notAssignable, "an inverse is computed and takes no value", expression.range)
      return .failed
    }
    switch expression.kind {
    case .conditional(let condition, let value, let other):
      let test = resolveCondition(condition)
      let outer = excluded
      exclude(Self.values(in: condition, inElse: false))
      let a = resolveAssigned(value, to: type)
      excluded = outer
      exclude(Self.values(in: condition, inElse: true))
      let b = resolveAssigned(other, to: type)
      excluded = outer
      let joined = ExpressionType(
        a.type.base == .null ? b.type.base : a.type.base,
        isOptional: a.type.isOptional || b.type.isOptional, cardinality: a.type.cardinality)
      if case .map(let first) = a.content, case .map(let second) = b.content {
        return Resolved(.map(.conditional(test, first, second)), joined)
      }
      if type.isCollection {
        return Resolved(.many(.conditional(test, a.collection, b.collection)), joined)
      }
      return Resolved(.conditional(test, a.node, b.node), joined)
    case .binary(.coalesce, let left, let right) where !type.isCollection:
      let optional = PropertyType.value(ValueType(element.base, isOptional: true))
      let (a, b) = (resolveAssigned(left, to: optional), resolveAssigned(right, to: type))
      return Resolved(.coalesce(a.node, b.node), b.type)
    case .binary(.coalesce, let left, let right):
      // One value is looked at again below, and its errors are reported there.
      var trial = self
      let collection = trial.resolve(left)
      guard collection.type.isCollection else { break }
      self = trial
      let optional = ValueType(element.base, isOptional: true)
      let filled = mapElements(of: collection) { resolver, value in
        let a = resolver.convert(value, to: optional, left.range)
        let b = resolver.resolveAssigned(right, to: .value(element))
        return Resolved(
          .coalesce(a.node, b.node),
          ExpressionType(ValueType(element.base, isOptional: b.type.isOptional)))
      }
      return checkShape(filled, type, expression)
    case .list(let items) where type.isCollection && !type.isMap:
      var nodes: [ResolvedNode] = []
      for item in items {
        nodes.append(resolveElement(item, of: element))
      }
      return Resolved(
        .many(.list(nodes, omitsNil: !element.isOptional)),
        ExpressionType(element, cardinality: .list))
    default: break
    }
    let resolved = resolve(expression)
    if resolved.type.isUnknown { return .failed }
    if type.isCollection { return assign(resolved, toCollection: type, element, expression) }
    guard !resolved.type.isCollection else {
      report(
        .needsOneValue,
        "'\(target.property.name)' holds one value, '\(expression.text)' has \(resolved.type.spelling)",
        expression.range, help: "take an element, '[0]', or an aggregate such as '.@count'")
      return .failed
    }
    return convert(resolved, to: element, expression.range, of: expression)
  }

  private mutating func exclude(_ found: [(Expression, Set<Value>)]) {
    for (expression, values) in found { excluded[expression, default: []].formUnion(values) }
  }

  /// What a comparison with literals says of the branch in which it holds (`!=`) or does not hold (`==`, `IN`): expressions,
  /// and values that they do not have there.
  private static func values(
    in condition: Expression, inElse negated: Bool
  ) -> [(Expression, Set<Value>)] {
    func literal(_ expression: Expression) -> Value? {
      if case .literal(let value) = expression.kind { return value }
      return nil
    }
    switch condition.kind {
    case .comparison(let comparison, let left, let right, _)
    where comparison == (negated ? .equal : .notEqual):
      if let value = literal(right) { return [(left, [value])] }
      return literal(left).map { [(right, Set([$0]))] } ?? []
    case .oneOf(let tested, let items, _) where negated:
      return [(tested, Set(items.compactMap(literal)))]
    case .unary(.not, let inner): return values(in: inner, inElse: !negated)
    case .binary(let operation, let left, let right) where operation == (negated ? .or : .and):
      return values(in: left, inElse: negated) + values(in: right, inElse: negated)
    default: return []
    }
  }

  /// An element of a list literal; nil is left out where elements are required.
  private mutating func resolveElement(_ item: Expression, of element: ValueType) -> ResolvedNode {
    resolveAssigned(item, to: .value(ValueType(element.base, isOptional: true))).node
  }

  private mutating func assign(
    _ resolved: Resolved, toCollection type: PropertyType, _ element: ValueType,
    _ expression: Expression
  ) -> Resolved {
    guard resolved.type.isCollection else {
      if type.isMap || resolved.type.base == .null {
        report(
          .notAssignable, "\(resolved.type.spelling) is no value for \(type.spelling)",
          expression.range,
          help: type.isMap ? nil : "write {} for an empty collection")
        return .failed
      }
      // One value becomes a collection of one, nil an empty one.
      let one = convert(resolved, to: ValueType(element.base, isOptional: true), expression.range)
      return Resolved(
        .many(.list([one.node], omitsNil: true)), ExpressionType(element, cardinality: .list))
    }
    let converted = mapElements(of: resolved) { $0.convert($1, to: element, expression.range) }
    return checkShape(converted, type, expression)
  }

  /// A map is made of a map, and a list or a set of anything else.
  private mutating func checkShape(
    _ resolved: Resolved, _ type: PropertyType, _ expression: Expression
  ) -> Resolved {
    guard resolved.type.isUnknown || type.isMap == (resolved.type.cardinality == .map) else {
      report(
        .notAssignable, "\(resolved.type.spelling) is no value for \(type.spelling)",
        expression.range)
      return .failed
    }
    return resolved
  }

  /// One value as the target's type.
  private mutating func convert(
    _ resolved: Resolved, to type: ValueType, _ range: Range<Int>, of expression: Expression? = nil
  ) -> Resolved {
    guard let target else { return resolved }
    let source = resolved.type
    if source.isUnknown { return resolved }
    if source.base == .null {
      if !type.isOptional { reportNil(type, range) }
      return resolved
    }
    var result: Resolved?
    switch (source.base, type.base) {
    case (.object(let model), .object(let wanted)):
      let continued = target.renames.models[model] ?? model
      if continued == wanted, target.schema.model(named: wanted)?.isEmbedded == true {
        report(
          .notAssignable, "an embedded object belongs to one owner and cannot be given to another",
          range, help: "rename the property, or move the object in a Swift block")
        return resolved
      }
      if continued == wanted || model.isEmpty { result = resolved }
    case (.object(let model), .scalar(.any)):
      let name = target.renames.models[model] ?? model
      result = Resolved(.linkInAny(resolved.node, model: name), source)
    case (_, .enumeration(let name)):
      let impossible = expression.flatMap { excluded[$0] } ?? []
      result = convert(resolved, toEnum: name, range, without: impossible)
    case (_, .scalar(let wanted)): result = convert(resolved, to: wanted, range)
    default: break
    }
    guard let result else {
      report(
        .notAssignable,
        "\(source.spelling) is no value for '\(target.property.name)', which is \(type.spelling)",
        range, help: conversionHelp(source, type))
      return resolved
    }
    if source.isOptional, !type.isOptional, !isNeverNil(expression) {
      reportNil(type, range, of: expression)
    }
    return result
  }

  /// Whether the step deletes every object whose value is nil.
  private func isNeverNil(_ expression: Expression?) -> Bool {
    guard let expression, let deletion = target?.deletion else { return false }
    return deletion.holds(whereNil: expression)
  }

  private mutating func reportNil(
    _ type: ValueType, _ range: Range<Int>, of expression: Expression? = nil
  ) {
    guard let target else { return }
    var help = "write '… ?? value' for what nil becomes"
    if case .object = type.base {
      // No value of the language is an object; the object that lacks it can go.
      help =
        expression.map {
          "delete the objects without it: 'delete: { \(root.name): \"\($0.text) == nil\" }'"
        } ?? "delete the objects without it"
    }
    report(
      .mayBeNil, "the value may be nil, '\(target.property.name)' is \(type.spelling) and required",
      range, help: help)
  }

  private mutating func convert(
    _ resolved: Resolved, toEnum name: String, _ range: Range<Int>, without impossible: Set<Value>
  ) -> Resolved? {
    guard let target, let enumeration = target.schema.enumeration(named: name),
      scalar(resolved.type.base) == enumeration.rawType.scalar
        || enumeration.rawType == .int && scalar(resolved.type.base)?.isInteger == true
    else { return nil }
    if let value = resolved.constant {
      checkRawValue(value, of: enumeration, range)
    } else if case .enumeration(let old) = resolved.type.base,
      let older = schema.enumeration(named: old)
    {
      let known = Set(enumeration.cases.map(\.rawValue)).union(impossible)
      for missing in older.cases where !known.contains(missing.rawValue) {
        report(
          .unknownEnumValue,
          "'\(old)' has the case '\(missing.name)', whose raw value \(LiteralSpelling.text(of: missing.rawValue)) '\(name)' does not have",
          range, help: "map it: if(… == \(LiteralSpelling.text(of: missing.rawValue)), …, …)")
      }
    }
    return resolved
  }

  private mutating func convert(_ resolved: Resolved, to wanted: ScalarType, _ range: Range<Int>)
    -> Resolved?
  {
    if let constant = resolved.constant { return convert(constant, resolved, to: wanted, range) }
    guard let type = scalar(resolved.type.base) else { return nil }
    if type == .any, wanted == .any, let renamed = target?.renames.models, !renamed.isEmpty {
      return Resolved(.renamedInAny(resolved.node, models: renamed), resolved.type)
    }
    if type == wanted || wanted == .any { return resolved }
    // A whole number is one, however many bits are declared for it.
    if type.isInteger, wanted.isInteger {
      return TypePair(type, wanted).isAutomatic ? resolved : nil
    }
    guard TypePair(type, wanted).relation == .widened else { return nil }
    return Resolved(.conversion(resolved.node, wanted), resolved.type)
  }

  /// A literal takes every type that has its value.
  private mutating func convert(
    _ constant: Value, _ resolved: Resolved, to wanted: ScalarType, _ range: Range<Int>
  ) -> Resolved? {
    func literal(_ value: Value) -> Resolved { Resolved(.constant(value), .scalar(wanted)) }
    switch (constant, wanted) {
    case (_, .any): return resolved
    case (.int(let number), .int), (.int(let number), .int64): return literal(.int(number))
    case (.int(let number), .int8), (.int(let number), .int16), (.int(let number), .int32):
      if !wanted.takes(number) {
        report(
          .literalOutOfRange, "\(number) does not fit into \(wanted.rawValue)", range)
      }
      return literal(.int(number))
    case (.int(let number), .double):
      return Double(exactly: number).map { literal(.double($0)) }
    case (.int(let number), .float): return Float(exactly: number).map { literal(.float($0)) }
    case (.double(let number), .float):
      let nearest = Float(number)
      if nearest.isInfinite, number.isFinite {
        report(.literalOutOfRange, "\(number) does not fit into float", range)
      }
      return literal(.float(nearest))
    case (.int, .decimal), (.double, .decimal), (.float, .double):
      let value = Conversion.convert(constant, to: wanted)
      return value.isNull ? nil : literal(value)
    default:
      return Self.type(of: constant).base == .scalar(wanted) ? resolved : nil
    }
  }

  private func conversionHelp(_ source: ExpressionType, _ type: ValueType) -> String? {
    guard let from = scalar(source.base), let to = type.base.scalar,
      TypePair(from, to).function != .none
    else { return nil }
    let isTotal = TypePair(from, to).function == .total && !source.isOptional
    return "convert it: \(to.rawValue)(…)" + (isTotal || type.isOptional ? "" : " ?? value")
  }
}

extension PropertyType {
  fileprivate var isMap: Bool {
    if case .map = self { return true }
    return false
  }
}
