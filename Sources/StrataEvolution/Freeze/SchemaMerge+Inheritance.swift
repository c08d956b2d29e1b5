import StrataSchema

// What models have of those that they extend. One side may change a parent, and the other add a model that extends it; a version's file
// repeats what a model inherits, and its reader adds what the parent has beyond that.

extension SchemaMerge {
  /// A merged schema as it is read again from its file: what only one side knew to be inherited is as the merged parent has it.
  ///
  /// - Parameter sides: ours and theirs.
  static func inheriting(_ merged: Schema, base: Schema, sides: [Schema]) -> Schema {
    guard merged.models.contains(where: { $0.extends != nil }) else { return merged }
    var known: [String: Model] = [:]
    func resolved(_ model: Model, below heirs: Set<String>) -> Model {
      if let known = known[model.name] { return known }
      // Two sides may close a circle, which the compiler names.
      guard let name = model.extends, !heirs.contains(name),
        let parent = merged.model(named: name)
      else { return model }
      let result = inheriting(
        model, of: resolved(parent, below: heirs.union([model.name])),
        base: base.model(named: model.name), sides: sides)
      known[model.name] = result
      return result
    }
    return Schema(
      name: merged.name, version: merged.version, language: merged.language,
      models: merged.models.map { resolved($0, below: [$0.name]) }, enums: merged.enums)
  }

  private static func inheriting(
    _ model: Model, of parent: Model, base: Model?, sides: [Schema]
  ) -> Model {
    let before = sides.compactMap { side -> (model: Model, parent: Model)? in
      guard let own = side.model(named: model.name),
        let parent = own.extends.flatMap(side.model(named:))
      else { return nil }
      return (own, parent)
    }
    // What a model has since the two branches parted, and only because its parent on that side had it.
    func isInherited<Part: Equatable>(_ part: Part, in parts: (Model) -> [Part]) -> Bool {
      if let base, parts(base).contains(part) { return false }
      return before.contains { parts($0.model).contains(part) && parts($0.parent).contains(part) }
    }
    func union<Part: Equatable>(_ parts: (Model) -> [Part]) -> [Part] {
      let own = parts(model).filter { !isInherited($0, in: parts) }
      return own + parts(parent).filter { !own.contains($0) }
    }
    var properties = model.properties.filter { property in
      property.type.isInverse || base?.property(named: property.name) != nil
        || !isInherited(property, in: \.properties)
    }
    let names = Set(properties.map(\.name))
    properties += parent.properties.filter { !$0.type.isInverse && !names.contains($0.name) }
    var rules = model.rules.filter { rule in
      base?.rule(named: rule.name) != nil || !isInherited(rule, in: \.rules)
    }
    let ruleNames = Set(rules.map(\.name))
    rules += parent.rules.filter { !ruleNames.contains($0.name) }
    let key = model.primaryKey
    let isKeyInherited = key.isEmpty || isInherited(key) { [$0.primaryKey] }
    return Model(
      name: model.name, swiftName: model.swiftName, doc: model.doc,
      isEmbedded: model.isEmbedded || parent.isEmbedded, isAbstract: model.isAbstract,
      extends: model.extends, primaryKey: isKeyInherited ? parent.primaryKey : key,
      indexes: union(\.indexes), uniques: union(\.uniques), properties: properties, rules: rules)
  }
}
