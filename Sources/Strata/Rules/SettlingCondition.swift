import StrataExpression
import StrataSchema

/// What is left of a rule's condition where one value is known and nothing else that it reads: if that is true, the rule
/// holds whatever the objects have besides, and a change to this value need not be asked about.
///
/// That is so of comparisons with constants, joined by AND, OR and NOT, on ways of links to one object. Where anything of a condition
/// may fail or is computed, nothing is known of it.
indirect enum SettlingCondition: Hashable {
  case known(Bool)
  case unknown
  /// Of the value with a constant behind it.
  case comparison(ComparisonOperator, Value)
  /// Of the value with a constant before it.
  case reversedComparison(ComparisonOperator, Value)
  /// Whether the value, a text, has a part.
  case text(ComparisonOperator, part: String, TextOptions)
  case all([SettlingCondition])
  case any([SettlingCondition])
  case not(SettlingCondition)

  /// Whether the condition holds with the value; nil where that depends on more.
  func holds(_ value: Value) -> Bool? {
    switch self {
    case .known(let result): return result
    case .unknown: return nil
    case .comparison(let comparison, let constant):
      return Self.isExact(value) ? comparison.holds(value, constant) : nil
    case .reversedComparison(let comparison, let constant):
      return Self.isExact(value) ? comparison.holds(constant, value) : nil
    case .text(let comparison, let part, let options):
      guard case .string(let text) = value, Self.isExact(value) else { return nil }
      return TextFunctions.holds(comparison, text, part, options)
    case .not(let inner): return inner.holds(value).map { !$0 }
    case .all(let parts): return Self.joined(parts, value, decidedBy: false)
    case .any(let parts): return Self.joined(parts, value, decidedBy: true)
    }
  }

  /// One part that has the deciding result decides, whatever the others are.
  private static func joined(
    _ parts: [SettlingCondition], _ value: Value, decidedBy decision: Bool
  ) -> Bool? {
    var isKnown = true
    for part in parts {
      switch part.holds(value) {
      case decision?: return decision
      case nil: isKnown = false
      default: break
      }
    }
    return isKnown ? !decision : nil
  }

  /// Values that are the same in memory, in a column and in a constant.
  private static func isExact(_ value: Value) -> Bool {
    switch value {
    case .int, .bool: true
    case .double(let number): !number.isNaN
    // SQLite's functions end a text there.
    case .string(let text): !text.utf8.contains(0)
    default: false
    }
  }
}

extension SettlingCondition {
  /// - Parameters:
  ///   - node: the condition of a rule.
  ///   - property: what is known, of the objects at the end of the way.
  ///   - way: from the object that keeps the rule.
  /// - Returns: nil where a change is always to be asked about.
  init?(
    _ node: ResolvedNode, ofModel model: Int, knowing property: Int, at way: RuleReads.Reach,
    in schema: Schema
  ) {
    let known = schema.models[way.model].properties[property]
    guard known.type.valueType?.base.scalar.map(Self.isSettled) == true else { return nil }
    let reading = Reading(model: model, property: property, way: way, schema: schema)
    guard let condition = reading.condition(node), condition.mayHold else { return nil }
    self = condition
  }

  private static func isSettled(_ type: ScalarType) -> Bool {
    type.isInteger || type == .bool || type == .double || type == .string
  }

  /// Whether there is a value with which it holds for sure, as far as its form says.
  private var mayHold: Bool {
    switch self {
    case .known(let result): result
    case .unknown: false
    case .comparison, .reversedComparison, .text, .not: true
    case .all(let parts): parts.allSatisfy(\.mayHold)
    case .any(let parts): parts.contains(where: \.mayHold)
    }
  }

  /// One reading of a condition.
  private struct Reading {
    /// What a comparison compares.
    private enum Side {
      case value
      case constant(Value)
      /// A link on the way, which leads to an object.
      case link
      case other
    }

    /// That of the object that keeps the rule.
    let model: Int
    let property: Int
    let way: RuleReads.Reach
    let schema: Schema

    /// Nil where something is not understood.
    func condition(_ node: ResolvedNode) -> SettlingCondition? {
      switch node {
      case .constant(.bool(let result)): return .known(result)
      case .property:
        guard let side = side(node) else { return nil }
        if case .value = side { return .comparison(.equal, .bool(true)) }
        return .unknown
      case .not(let inner): return condition(inner).map { .not($0) }
      case .all(let nodes): return conditions(nodes).map { .all($0) }
      case .any(let nodes): return conditions(nodes).map { .any($0) }
      case .comparison(let comparison, let left, let right):
        guard let left = side(left), let right = side(right) else { return nil }
        return compared(comparison, left, right)
      case .between(let value, let lower, let upper):
        guard let value = side(value), let lower = side(lower), let upper = side(upper) else {
          return nil
        }
        return .all([
          compared(.greaterOrEqual, value, lower), compared(.lessOrEqual, value, upper),
        ])
      case .text(let comparison, let left, let right, let options):
        // A pattern may be too long for SQLite, a search needs an index.
        guard [.beginsWith, .endsWith, .contains, .equal, .notEqual].contains(comparison),
          let left = side(left), let right = side(right)
        else { return nil }
        guard case .value = left, case .constant(.string(let part)) = right,
          SettlingCondition.isExact(.string(part))
        else { return .unknown }
        return .text(comparison, part: part, options)
      default: return nil
      }
    }

    private func conditions(_ nodes: [ResolvedNode]) -> [SettlingCondition]? {
      var result: [SettlingCondition] = []
      for node in nodes {
        guard let condition = condition(node) else { return nil }
        result.append(condition)
      }
      return result
    }

    private func compared(
      _ comparison: ComparisonOperator, _ left: Side, _ right: Side
    ) -> SettlingCondition {
      switch (left, right) {
      case (.value, .constant(let constant)) where SettlingCondition.isExact(constant):
        return .comparison(comparison, constant)
      case (.constant(let constant), .value) where SettlingCondition.isExact(constant):
        return .reversedComparison(comparison, constant)
      case (.link, .constant(.null)), (.constant(.null), .link):
        switch comparison {
        case .equal: return .known(false)
        case .notEqual: return .known(true)
        default: return .unknown
        }
      default: return .unknown
      }
    }

    /// Nil for what is computed.
    private func side(_ node: ResolvedNode) -> Side? {
      switch node {
      case .constant(let value): return .constant(value)
      case .property(let object, let name):
        guard let place = place(of: object) else { return nil }
        if place.hops == way.hops { return name == property ? .value : .other }
        let next = place.hops.count
        return next < way.hops.count && way.hops.starts(with: place.hops)
          && way.hops[next].property == name ? .link : .other
      default: return nil
      }
    }

    /// Where an object stands; nil where the way to it is not one of links to one object.
    private func place(of object: ResolvedObject) -> RuleReads.Reach? {
      switch object {
      case .subject: return RuleReads.Reach(model: model)
      case .target(.property(let holder, let link), let target):
        guard let before = place(of: holder) else { return nil }
        let type = schema.models[before.model].properties[link].type
        guard !type.isCollection, type.linkedModel != nil else { return nil }
        if case .inverse = type { return nil }
        return RuleReads.Reach(
          hops: before.hops + [RuleReads.Hop(model: before.model, property: link)], model: target)
      default: return nil
      }
    }
  }
}
