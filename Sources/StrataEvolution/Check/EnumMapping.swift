import StrataExpression
import StrataHistory
import StrataSchema

/// What a step can say where stored values of an enum have no case any more, or another one: an expression for each property that
/// holds them.
struct EnumMapping {
  let pair: CheckedPair
  let name: String
  /// Cases that are spelled out at most; the rest is left to the reader.
  private static let maximumCases = 8

  /// The next move for a change of an enum that no step covers; nil for other changes.
  static func help(for change: SchemaChange, in pair: CheckedPair) -> String? {
    switch change.kind {
    case .enumCaseRemoved, .enumRawValueChanged, .enumRawTypeChanged:
      return EnumMapping(pair: pair, name: change.path.model).help
    default: return nil
    }
  }

  private var help: String? {
    guard let old = pair.older.schema.enumeration(named: name),
      let new = pair.newer.schema.enumeration(named: name), let mapping = mapping(old, new)
    else { return nil }
    var values: [String] = []
    var blocks: Set<String> = []
    var collections: [String] = []
    let renames = pair.step?.renames ?? Renames()
    for model in pair.newer.schema.storedModels {
      guard let oldModel = renames.oldModel(of: model.name, in: pair.older.schema) else { continue }
      for property in model.storedProperties
      where property.type.valueType?.base == .enumeration(name) {
        guard let before = renames.oldProperty(of: property.name, in: oldModel),
          !pair.coverage.isSet(SchemaPath(model.name, property.name))
        else { continue }
        if property.type.isCollection {
          blocks.insert(model.name)
          collections.append("\(model.name).\(property.name)")
        } else {
          let value = mapping("old.\(before.name)", property.type.valueType?.isOptional == true)
          values.append("\(model.name.inYAML): { \(property.name.inYAML): \"\(value)\" }")
        }
      }
    }
    guard !values.isEmpty || !blocks.isEmpty else { return nil }
    var ways: [String] = []
    if !values.isEmpty { ways.append("for example 'set: { \(values.joined(separator: ", ")) }'") }
    if !blocks.isEmpty {
      ways.append(
        "those of \(collections.joined(separator: ", ")) in a Swift block, 'swift: [\(blocks.sorted().map(\.inYAML).joined(separator: ", "))]'"
      )
    }
    return "map the values in the step, " + ways.joined(separator: "; ")
  }

  /// From the old value to the new one; nil where there are too many cases to spell out.
  private func mapping(_ old: EnumType, _ new: EnumType) -> ((String, Bool) -> String)? {
    guard let first = new.cases.first else { return nil }
    let newCases = Dictionary(new.cases.map { ($0.name, $0) }) { first, _ in first }
    var pairs: [(Value, Value)] = []
    for before in old.cases {
      let after = newCases[before.name] ?? first
      if old.rawType == new.rawType, before.rawValue == after.rawValue { continue }
      guard pairs.count < Self.maximumCases else { return nil }
      pairs.append((before.rawValue, after.rawValue))
    }
    guard !pairs.isEmpty else { return nil }
    let changesType = old.rawType != new.rawType
    return { value, isOptional in
      var text = changesType ? Expression(.literal(pairs[pairs.count - 1].1)).text : value
      for (before, after) in (changesType ? pairs.dropLast() : pairs[...]).reversed() {
        text =
          "if(\(value) == \(Expression(.literal(before)).text), \(Expression(.literal(after)).text), \(text))"
      }
      return isOptional && changesType ? "if(\(value) == nil, nil, \(text))" : text
    }
  }
}
