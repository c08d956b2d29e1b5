import StrataSchema

// What a full-text index is asked.

extension Resolver {
  /// `note TEXT 'swift AND migr*'`, of a property or of a path that ends with one.
  mutating func resolveSearch(
    _ left: Expression, _ right: Expression, _ options: TextOptions, _ quantifier: Quantifier?,
    _ expression: Expression
  ) -> ResolvedNode {
    let nothing = ResolvedNode.constant(.bool(false))
    let (searched, words) = (resolve(left), resolveOne(right))
    if searched.type.isUnknown { return nothing }
    guard use == .query else {
      report(
        .notSearchable,
        "TEXT asks the index of a file, and a step works on one object after the other",
        expression.range, help: "write CONTAINS, BEGINSWITH or LIKE")
      return nothing
    }
    if !options.isEmpty {
      report(
        .unknownOption, "TEXT takes no options: the index passes over case and diacritics itself",
        expression.range)
    }
    checkWords(words, right)
    switch searched.content {
    case .one(.property(let object, let index)):
      guard checkIndex(index, ofModel: model(of: object), left) else { return nothing }
      return quantified(quantifier, searched, expression) { _, element in
        .text(.search, element.node, words.node, [])
      }
    case .many(.values(let objects, let model, let index)):
      guard checkIndex(index, ofModel: model, left) else { return nothing }
      let type = ExpressionType(.object(schema.models[model].name), cardinality: .many)
      return quantified(quantifier, Resolved(.many(objects), type), expression) { _, element in
        guard case .variable(let slot) = element.node else { return nothing }
        let property = ResolvedNode.property(.variable(slot, model: model), index)
        return .text(.search, property, words.node, [])
      }
    default:
      report(
        .notSearchable,
        "TEXT searches a property with a full-text index, and '\(left.text)' is \(searched.type.spelling)",
        left.range, help: "write CONTAINS, BEGINSWITH or LIKE")
      return nothing
    }
  }

  private func model(of object: ResolvedObject) -> Int {
    switch object {
    case .subject: indexOfModel(root.name)
    case .variable(_, let model), .target(_, let model): model
    }
  }

  private mutating func checkIndex(_ index: Int, ofModel model: Int, _ path: Expression) -> Bool {
    let model = schema.models[model]
    let property = model.properties[index]
    if property.index == .fulltext { return true }
    report(
      .notSearchable, "'\(model.name).\(property.name)' has no full-text index", path.range,
      help: property.type.valueType?.base.scalar == .string
        ? "declare it with 'indexed: fulltext', or write CONTAINS" : "only a string has one")
    return false
  }

  private mutating func checkWords(_ words: Resolved, _ expression: Expression) {
    if case .string? = words.constant { return }
    // An argument that is still open.
    if words.type.isUnknown { return }
    report(
      .comparisonType,
      words.constant == nil
        ? "TEXT takes the words that it searches as a literal or an argument, not '\(expression.text)'"
        : "TEXT takes the words that it searches as a string, not \(words.type.spelling)",
      expression.range)
  }
}
