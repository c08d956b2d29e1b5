extension SchemaComparison {
  /// Finds rules whose text stays, and whose words mean something else: a property of another type, by which a division or a
  /// comparison is another one, or a name that a property takes from a model, or leaves to it.
  mutating func compareMeaningsOfRules() {
    let kept = pairs.keys.sorted().flatMap { name in
      (pairs[name]?.new.rules ?? []).compactMap { rule -> (pair: ModelPair, rule: ModelRule)? in
        guard let pair = pairs[name], let old = pair.old.rule(named: rule.name),
          old.condition.isSpelled(like: rule.condition)
        else { return nil }
        return (pair, rule)
      }
    }
    guard !kept.isEmpty else { return }
    var retyped: Set<String> = []
    var moved: Set<String> = []
    let models = Set(newer.models.map(\.name)).union(older.models.map(\.name))
    for pair in pairs.values {
      let (old, new) = (Self.types(of: pair.old), Self.types(of: pair.new))
      for (name, type) in new {
        guard let before = old[name] else {
          if models.contains(name) { moved.insert(name) }
          continue
        }
        if before != type { retyped.insert(name) }
      }
      moved.formUnion(old.keys.filter { new[$0] == nil && models.contains($0) })
    }
    for (pair, rule) in kept {
      let words = Self.words(of: rule.condition)
      let (path, oldPath) = (
        SchemaPath(pair.new.name, rule.name), SchemaPath(pair.old.name, rule.name)
      )
      if let name = words.intersection(retyped).min() {
        report(
          .ruleChanged, at: path, from: oldPath,
          "the rule '\(rule.name)' reads '\(name)', which has another type: \(rule.condition)")
      } else if let name = words.intersection(moved).min() {
        report(
          .ruleChanged, at: path, from: oldPath,
          "the rule '\(rule.name)' says '\(name)', which is a model's name and a property's: \(rule.condition)"
        )
      }
    }
  }

  /// What the properties hold, as far as a condition is another one by it: neither which model a link leads to, nor whether there may
  /// be nothing.
  private static func types(of model: Model) -> [String: PropertyType] {
    func plain(_ type: ValueType) -> ValueType {
      if case .object = type.base { return ValueType(.scalar(.any)) }
      return ValueType(type.base)
    }
    var result: [String: PropertyType] = [:]
    for property in model.properties {
      result[property.name] =
        switch property.type {
        case .value(let type): .value(plain(type))
        case .list(let type): .list(plain(type))
        case .set(let type): .set(plain(type))
        case .map(let type): .map(plain(type))
        case .inverse: .list(ValueType(.scalar(.any)))
        }
    }
    return result
  }

  /// The names in a condition, and what may be one.
  private static func words(of condition: String) -> Set<String> {
    Set(
      condition.split { !($0 == "_" || $0.isLetter || $0.isNumber) }.map { String($0) })
  }
}
