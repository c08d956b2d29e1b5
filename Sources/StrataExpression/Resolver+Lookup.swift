import StrataSchema

// Objects that are found by their primary key.

extension Resolver {
  /// `lookup(Account, key: old.account)`: in a step an object of the version before it, as `old` is.
  mutating func resolveLookup(
    _ model: Expression, _ key: [Expression], _ range: Range<Int>
  ) -> Resolved {
    let values = key.map { resolveOne($0) }
    leavesRow = true
    guard case .member(_, let name) = model.kind, let keyed = keyedModel(name, model.range) else {
      return .failed
    }
    let properties = keyed.primaryKey.compactMap(keyed.property(named:))
    guard values.count == properties.count else {
      report(
        .wrongArgumentCount,
        "the key of '\(name)' has \(counted(properties.count, "value")), found \(values.count)",
        range,
        help: "write lookup(\(name), key: \(keyed.primaryKey.joined(separator: ", ")))")
      return .failed
    }
    for ((property, value), part) in zip(zip(properties, values), key) {
      checkKey(property, of: name, value, part)
    }
    return Resolved(
      .lookup(model: indexOfModel(name), key: values.map(\.node)),
      ExpressionType(.object(name), isOptional: true))
  }

  private mutating func keyedModel(_ name: String, _ range: Range<Int>) -> Model? {
    guard let model = schema.model(named: name) else {
      let known = schema.models.filter { !$0.primaryKey.isEmpty }.map(\.name)
      report(
        .notKeyed,
        use == .step
          ? "there is no model '\(name)' before the step" : "there is no model '\(name)'", range,
        help: NearestName.question(name, among: known)
          ?? (use == .step
            ? "lookup finds objects of the version before the step, by old names" : nil))
      return nil
    }
    guard !model.primaryKey.isEmpty, !model.isAbstract else {
      report(
        .notKeyed,
        model.isAbstract
          ? "'\(name)' is abstract and has no objects of its own" : "'\(name)' has no primary key",
        range,
        help: "lookup finds an object by its primary key; a Swift block finds one by anything")
      return nil
    }
    return model
  }

  private mutating func checkKey(
    _ property: Property, of model: String, _ value: Resolved, _ part: Expression
  ) {
    guard let wanted = property.type.valueType?.base.scalar, !value.type.isUnknown,
      value.type.base != .null
    else { return }
    let found = scalar(value.type.base)
    if found == wanted || found?.isInteger == true && wanted.isInteger { return }
    let converts = found.map { TypePair($0, wanted).function != .none } ?? false
    report(
      .functionArgument,
      "'\(model).\(property.name)' is \(wanted.rawValue), '\(part.text)' is \(value.type.spelling)",
      part.range, help: converts ? "convert it: \(wanted.rawValue)(\(part.text))" : nil)
  }
}
