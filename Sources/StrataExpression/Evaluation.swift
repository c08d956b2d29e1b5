package import StrataSchema

/// An object that an evaluation reads.
package enum EvaluatedObject: Hashable, Sendable {
  /// The object that the expression is evaluated for.
  case subject
  /// An object that a link leads to; `model` is an index of `schema.models`.
  case object(model: Int, identity: Int64)
}

/// Where an evaluation reads objects. Properties are positions in `model.properties`.
package protocol EvaluationContext {
  /// Nil where the object has none yet.
  var subjectIdentity: Int64? { get }

  /// A property that is no collection. A link is `.link` or, where its target is gone, `.null`.
  func value(_ property: Int, of object: EvaluatedObject) throws -> Value

  /// The elements of a list in order, of a set, of an inverse (links), or the values of a map by the order
  /// of its keys.
  func elements(_ property: Int, of object: EvaluatedObject) throws -> [Value]

  /// A map, in the order of its keys' bytes.
  func entries(_ property: Int, of object: EvaluatedObject) throws -> [(key: String, value: Value)]

  /// All objects of a model, as links. Only queries ask for them.
  func objects(ofModel model: Int) throws -> [Value]

  /// The identity of a model's object with this primary key, whose values stand in the key's order; nil where there is none.
  func object(ofModel model: Int, keyed key: [Value]) throws -> Int64?
}

extension EvaluationContext {
  package func objects(ofModel model: Int) throws -> [Value] {
    throw EvaluationError(
      .wrongRoot, "all objects of a model are known to a store only", range: 0..<0)
  }

  package func object(ofModel model: Int, keyed key: [Value]) throws -> Int64? {
    throw EvaluationError(
      .wrongRoot, "objects are looked up where their file is", range: 0..<0)
  }
}

extension ResolvedExpression {
  /// The value for one object; of an expression with many values the first.
  package func value(in context: some EvaluationContext) throws -> Value {
    var evaluator = Evaluator(context: context, slotCount: slotCount)
    switch content {
    case .one(let node): return try evaluator.value(of: node)
    case .many, .map: return try elements(in: context).first ?? .null
    }
  }

  /// Whether the condition holds; nil is false.
  package func holds(in context: some EvaluationContext) throws -> Bool {
    if case .bool(true) = try value(in: context) { return true }
    return false
  }

  /// The values for one object, nil included; of an expression with one value just that.
  package func elements(in context: some EvaluationContext) throws -> [Value] {
    var evaluator = Evaluator(context: context, slotCount: slotCount)
    switch content {
    case .one(let node): return [try evaluator.value(of: node)]
    case .many(let collection): return try evaluator.elements(of: collection)
    case .map: return try entries(in: context).map(\.value)
    }
  }

  /// The keys and values for one object of an expression that is a map; none for others.
  package func entries(in context: some EvaluationContext) throws -> [(key: String, value: Value)] {
    guard case .map(let map) = content else { return [] }
    var evaluator = Evaluator(context: context, slotCount: slotCount)
    return try evaluator.entries(of: map)
  }

  /// The value for a row, whose values stand by their position in `model.properties`; only those of
  /// `readProperties` are looked at.
  ///
  /// - Precondition: `isLocal`.
  package func value(ofRow row: [Value]) throws(EvaluationError) -> Value {
    precondition(isLocal, "an expression that looks beyond its row needs a context")
    do {
      return try value(in: RowContext(row: row))
    } catch let error as EvaluationError {
      throw error
    } catch {
      preconditionFailure("a row throws nothing of its own")
    }
  }
}

/// A row on its own.
private struct RowContext: EvaluationContext {
  let row: [Value]

  var subjectIdentity: Int64? { nil }
  func value(_ property: Int, of object: EvaluatedObject) -> Value { row[property] }
  func elements(_ property: Int, of object: EvaluatedObject) -> [Value] { [] }
  func entries(_ property: Int, of object: EvaluatedObject) -> [(key: String, value: Value)] { [] }
}

struct Evaluator<Context: EvaluationContext> {
  let context: Context
  /// What each variable stands for at the moment.
  var slots: [Value]

  init(context: Context, slotCount: Int) {
    self.context = context
    slots = slotCount == 0 ? [] : Array(repeating: .null, count: slotCount)
  }

  // MARK: Objects and collections

  mutating func evaluated(_ object: ResolvedObject) throws -> EvaluatedObject? {
    switch object {
    case .subject: return .subject
    case .variable(let slot, let model):
      return Self.identity(slots[slot]).map { .object(model: model, identity: $0) }
    case .target(let node, let model):
      if case .identity(.subject) = node { return .subject }
      return Self.identity(try value(of: node)).map { .object(model: model, identity: $0) }
    }
  }

  private static func identity(_ value: Value) -> Int64? {
    switch value {
    case .link(let identity), .object(_, let identity): identity
    default: nil
    }
  }

  mutating func elements(of collection: ResolvedCollection) throws -> [Value] {
    switch collection {
    case .elements(let object, let property):
      guard let target = try evaluated(object) else { return [] }
      return try context.elements(property, of: target)
    case .values(let objects, let model, let property):
      // An object that is missing has missing properties.
      return try elements(of: objects).map { object in
        guard let identity = Self.identity(object) else { return .null }
        return try context.value(property, of: .object(model: model, identity: identity))
      }
    case .elementsOfEach(let objects, let model, let property):
      return try elements(of: objects).flatMap { object -> [Value] in
        guard let identity = Self.identity(object) else { return [] }
        return try context.elements(property, of: .object(model: model, identity: identity))
      }
    case .filter(let objects, let slot, let condition):
      var result: [Value] = []
      for element in try elements(of: objects) {
        slots[slot] = element
        if try holds(condition) { result.append(element) }
      }
      return result
    case .list(let nodes, let omitsNil):
      var result: [Value] = []
      for node in nodes {
        let value = try value(of: node)
        if !omitsNil || !value.isNull { result.append(value) }
      }
      return result
    case .all(let model): return try context.objects(ofModel: model)
    case .conditional(let condition, let first, let second):
      return try elements(of: try holds(condition) ? first : second)
    case .each(let inner, let slot, let node):
      return try elements(of: inner).map { element in
        slots[slot] = element
        return try value(of: node)
      }
    }
  }

  mutating func entries(of map: ResolvedMap) throws -> [(key: String, value: Value)] {
    switch map {
    case .entries(let object, let property):
      guard let target = try evaluated(object) else { return [] }
      return try context.entries(property, of: target)
    case .conditional(let condition, let first, let second):
      return try entries(of: try holds(condition) ? first : second)
    case .each(let inner, let slot, let node):
      return try entries(of: inner).map { entry in
        slots[slot] = entry.value
        return (entry.key, try value(of: node))
      }
    }
  }

  // MARK: Conditions

  mutating func holds(_ node: ResolvedNode) throws -> Bool {
    switch node {
    case .all(let parts):
      for part in parts where try !holds(part) { return false }
      return true
    case .any(let parts):
      for part in parts where try holds(part) { return true }
      return false
    case .not(let operand): return try !holds(operand)
    case .comparison(let comparison, let left, let right):
      return comparison.holds(try value(of: left), try value(of: right))
    case .text(.search, _, _, _):
      throw EvaluationError(
        .notSearchable, "a search is answered by the full-text index of a file", range: 0..<0)
    case .text(let comparison, let left, let right, let options):
      return Self.holds(comparison, try value(of: left), try value(of: right), options)
    case .between(let node, let lower, let upper):
      let value = try value(of: node)
      // As in SQL, the upper bound is worked out only where the lower one lets it decide.
      guard ComparisonOperator.greaterOrEqual.holds(value, try self.value(of: lower)) else {
        return false
      }
      return ComparisonOperator.lessOrEqual.holds(value, try self.value(of: upper))
    case .oneOf(let node, let items):
      let value = try value(of: node)
      for item in items where Comparison.of(value, try self.value(of: item)) == .same {
        return true
      }
      return false
    case .quantified(let quantifier, let collection, let slot, let test):
      let elements = try elements(of: collection)
      for element in elements {
        slots[slot] = element
        let holds = try holds(test)
        switch quantifier {
        case .any where holds: return true
        case .all where !holds: return false
        case .none where holds: return false
        default: break
        }
      }
      return quantifier != .any
    case .membership(let node, let collection):
      let value = try value(of: node)
      return try elements(of: collection).contains { Comparison.of($0, value) == .same }
    default:
      if case .bool(true) = try value(of: node) { return true }
      return false
    }
  }

  static func holds(
    _ comparison: ComparisonOperator, _ left: Value, _ right: Value, _ options: TextOptions
  ) -> Bool {
    switch (left, right) {
    case (.string(let text), .string(let part)):
      TextFunctions.holds(comparison, text, part, options)
    case (.data(let data), .data(let part)): TextFunctions.holds(comparison, data, part)
    default: !comparison.isTextual && comparison.holds(left, right)
    }
  }

  // MARK: Values

  mutating func value(of node: ResolvedNode) throws -> Value {
    switch node {
    case .constant(let value): return value
    case .property(let object, let property):
      if case .subject = object { return try context.value(property, of: .subject) }
      guard let target = try evaluated(object) else { return .null }
      return try context.value(property, of: target)
    case .identity(let object):
      switch try evaluated(object) {
      case .subject: return context.subjectIdentity.map(Value.link) ?? .null
      case .object(_, let identity): return .link(identity)
      case nil: return .null
      }
    case .variable(let slot): return slots[slot]
    case .negate(let operand, let kind, let range):
      return try Arithmetic.negate(try value(of: operand), kind, range)
    case .arithmetic(let operation, let kind, let left, let right, let range):
      let (left, right) = (try value(of: left), try value(of: right))
      return try Arithmetic.evaluate(operation, kind, left, right, range)
    case .concatenation(let parts): return try concatenated(parts)
    case .coalesce(let left, let right):
      let value = try value(of: left)
      return value.isNull ? try self.value(of: right) : value
    case .all, .any, .not, .comparison, .text, .between, .oneOf, .quantified, .membership:
      return .bool(try holds(node))
    case .aggregate(let aggregate, let collection, let kind, let range):
      return try Arithmetic.aggregate(aggregate, try elements(of: collection), kind, range)
    case .element(let collection, let position):
      guard case .int(let index) = try value(of: position) else { return .null }
      let elements = try elements(of: collection)
      let place = index < 0 ? index &+ Int64(elements.count) : index
      return place >= 0 && place < elements.count ? elements[Int(place)] : .null
    case .mapElement(let object, let property, let key):
      guard case .string(let key) = try value(of: key), let target = try evaluated(object) else {
        return .null
      }
      return try context.entries(property, of: target)
        .first { $0.key.isSpelled(like: key) }?.value ?? .null
    case .lookup(let model, let parts):
      var key: [Value] = []
      for part in parts {
        let value = try value(of: part)
        if value.isNull { return .null }
        key.append(value)
      }
      return try context.object(ofModel: model, keyed: key).map(Value.link) ?? .null
    case .call(let function, let arguments, let range):
      var values: [Value] = []
      values.reserveCapacity(arguments.count)
      for argument in arguments { values.append(try value(of: argument)) }
      return try Call.evaluate(function, values, range)
    case .conditional(let condition, let first, let second):
      return try value(of: try holds(condition) ? first : second)
    case .folded(let operand, let options): return try value(of: operand).folded(options)
    case .conversion(let operand, let type):
      return Conversion.convert(try value(of: operand), to: type)
    case .linkInAny(let operand, let model):
      return Self.identity(try value(of: operand)).map { .object(model: model, identity: $0) }
        ?? .null
    case .renamedInAny(let operand, let models):
      return try value(of: operand).renamingModels(models)
    }
  }

  private mutating func concatenated(_ parts: [ResolvedNode]) throws -> Value {
    var text = ""
    for part in parts {
      switch part {
      case .constant(.string(let piece)): text += piece
      default:
        guard case .string(let piece) = try value(of: part) else { return .null }
        text += piece
      }
    }
    return .string(text)
  }
}
