import StrataExpression
import StrataHistory
import StrataSchema

/// What a step can say where the values of a property become others: the first of the usual ways that fits both shapes, as the
/// check of expressions sees them. What is proposed is accepted.
struct ValueAnswer {
  /// Stands where only people know the value.
  static let hole = "…"

  /// What the property is set to; nil where no expression makes it a value of what it was, and a Swift block has to.
  private(set) var value: String?
  /// The condition under which an old object has no value for it, although it is required.
  private(set) var deletion: String?
  /// What stands in the place of the hole in a draft.
  private let sample: String?
  private let change: SchemaChange
  private let old: Property
  private let new: Property

  /// Nil for changes that are about no property's value.
  init?(_ change: SchemaChange, from older: Schema, to newer: Schema, renames: Renames) {
    guard let oldPath = change.oldPath, let oldName = oldPath.property,
      let oldModel = older.model(named: oldPath.model),
      let old = oldModel.property(named: oldName), let name = change.path.property,
      let new = newer.model(named: change.path.model)?.property(named: name),
      let element = new.type.valueType
    else { return nil }
    (self.change, self.old, self.new) = (change, old, new)
    let known = Self.sample(of: element, in: newer)
    sample = known
    let checker = TypeChecker(schema: older, model: oldModel, use: .step)
    func fits(_ text: String, _ deletion: String? = nil) -> Bool {
      let filling = text == Self.hole ? Self.sample(of: new.type, in: newer) : known
      // A required link is what some other property leads to: which one is not known here.
      guard let whole = text.filled(with: filling) else {
        return text == Self.hole && !new.type.isCollection
      }
      guard let expression = try? Expression.parse(whole) else { return false }
      let target = AssignmentTarget(
        new, in: newer, renames: renames,
        deleting: deletion.flatMap { try? Expression.parse($0) })
      return checker.check(expression, assignedTo: target).isEmpty
    }
    for text in Self.ways(change, "old.\(oldName)", from: old, to: element, in: older) {
      if fits(text) {
        value = text
        return
      }
      guard case .object = element.base, !new.type.isCollection, text != Self.hole else { continue }
      let condition = "\(text) == nil"
      if fits(text, condition) {
        (value, deletion) = (text, condition)
        return
      }
    }
  }

  /// What many would write, the best first.
  private static func ways(
    _ change: SchemaChange, _ before: String, from old: Property, to new: ValueType,
    in older: Schema
  ) -> [String] {
    func orElse(_ texts: [String]) -> [String] { texts.flatMap { [$0, "\($0) ?? \(hole)"] } }
    switch change.kind {
    case .cardinalityNarrowed: return orElse(["\(before)[0]", "\(before).@min"])
    case .madeRequired: return orElse([before]) + [hole]
    case .typeChangedLossy:
      guard let type = new.base.scalar else { return [hole] }
      return orElse(["\(type.rawValue)(\(before))", "\(type.rawValue)(\(before)[0])"]) + [hole]
    case .typeChangedIncompatible where old.type.isCollection && new.base == .scalar(.any):
      // An embedded object in `any` would have a second owner.
      guard case .object(let name) = old.type.valueType?.base,
        older.model(named: name)?.isEmbedded == false
      else { return [hole] }
      return orElse([before, "\(before)[0]"]) + [hole]
    case .typeChangedIncompatible, .relationshipTargetChanged: return [hole]
    default: return []
    }
  }

  /// A value of a type as the language spells one; nil where it spells none.
  private static func sample(of type: PropertyType, in schema: Schema) -> String? {
    switch type {
    case .value(let type): sample(of: type, in: schema)
    case .list, .set: "{}"
    default: nil
    }
  }

  private static func sample(of type: ValueType, in schema: Schema) -> String? {
    switch type.base {
    case .scalar(let scalar): scalar.sample
    case .enumeration(let name):
      schema.enumeration(named: name)?.cases.first.map { Expression(.literal($0.rawValue)).text }
    case .object: type.isOptional ? "nil" : nil
    }
  }

  /// For a step that asks: nil where all of it is to be said by people.
  var draft: String? {
    value == Self.hole ? nil : value.flatMap { $0.filled(with: sample) }
  }

  /// Whether the language has nothing to say, of a change that asks for a value.
  var needsBlock: Bool {
    switch change.kind {
    case .cardinalityNarrowed, .typeChangedLossy, .typeChangedIncompatible,
      .relationshipTargetChanged, .madeRequired:
      value == nil
    default: false
    }
  }

  /// The next move, for a finding; nil where the rule's own is right.
  var help: String? {
    let (model, name) = (change.path.model, change.path.property ?? "")
    if needsBlock {
      let task =
        change.kind == .cardinalityNarrowed
        ? "takes one of these" : "makes \(new.type.spelling) of it"
      return "no expression \(task): say the value in a Swift block, 'swift: [\(model.inYAML)]'"
    }
    guard let value, value != Self.hole || change.kind == .madeRequired else { return nil }
    let set =
      "set: { \(model.inYAML): { \(name.inYAML): \(value == Self.hole ? value : "\"\(value)\"") } }"
    let question: String
    switch change.kind {
    case .cardinalityNarrowed: question = "say which one stays"
    case .typeChangedIncompatible: question = "say which one it becomes"
    // No literal is a map.
    case .typeChangedLossy where new.type.isMap: question = "say the conversion"
    case .madeRequired where value == Self.hole: question = "say the value in the step"
    default: return nil
    }
    guard let deletion, let old = change.oldPath else {
      return "\(question): '\(set)', or in a Swift block"
    }
    // Both together answer, and none alone.
    return
      "\(question): \(set) with delete: { \(old.model.inYAML): \"\(deletion)\" } for objects without one, or in a Swift block"
  }
}

extension String {
  /// With something for the hole; nil where there is one and nothing for it.
  fileprivate func filled(with sample: String?) -> String? {
    let parts = split(separator: ValueAnswer.hole, omittingEmptySubsequences: false)
    return parts.count == 1 ? self : sample.map { parts.joined(separator: $0) }
  }
}

extension CheckedPair {
  /// The next move for a change that is not covered, where more is known than the rule says of all; nil elsewhere.
  func help(for change: SchemaChange) -> String? {
    let renames = step?.renames ?? Renames()
    return EnumMapping.help(for: change, in: self)
      ?? LinkAnswer(change, from: older.schema, to: newer.schema, renames: renames)?.help
      ?? valueHelp(for: change) ?? helpWithoutDefault(for: change)
      ?? ValueAnswer(change, from: older.schema, to: newer.schema, renames: renames)?.help
  }
}
