// What changed in a property that is in both versions.

extension SchemaComparison {
  mutating func compare(_ old: Property, _ new: Property, in pair: ModelPair) {
    let path = SchemaPath(pair.new.name, new.name)
    let oldPath = SchemaPath(pair.old.name, old.name)
    if old.name != new.name {
      report(.propertyRenamed, at: path, from: oldPath, "'\(oldPath)' is renamed to '\(new.name)'")
    }
    compareSpelling(old.name, new.name, at: path, from: oldPath)
    compareTypes(old, new, path, oldPath)
    compareDefaults(old, new, path, oldPath)
    compareIndexes(old, new, path, oldPath, in: pair.new)
    compareUniqueness(old, new, path, oldPath, in: pair.new)
    // Where a value becomes a link, or the reverse, no link had or has another rule; one of type `any` may lead where it led.
    if old.deleteRule != new.deleteRule, old.type.mayLink == new.type.mayLink {
      let target = new.type.linkedModel ?? old.type.linkedModel ?? ""
      report(
        .deleteRuleChanged, at: path, from: oldPath,
        "what becomes of the link when its target is deleted was \(old.deleteRule.rawValue), it is \(new.deleteRule.rawValue): "
          + Self.sentence(on: new.deleteRule, holder: path.model, target: target))
    }
  }

  /// What can be deleted now.
  private static func sentence(on rule: Property.DeleteRule, holder: String, target: String)
    -> String
  {
    switch rule {
    case .nullify: "deleting a '\(target)' leaves each '\(holder)', without the link"
    case .cascade: "deleting a '\(target)' deletes each '\(holder)' that links to it"
    case .deny: "a '\(target)' that a '\(holder)' links to cannot be deleted"
    }
  }

  // MARK: Types

  /// Looks where the links of a model lead that is declared as before: to another model, where a step gives the name of one
  /// to another.
  mutating func compareTargets(_ pair: ModelPair) {
    if correspondence.renames.models.isEmpty { return }
    let known = changes.count
    for property in pair.new.properties
    where !property.isIgnored && !property.type.isInverse && property.type.linkedModel != nil {
      compareTypes(
        property, property, SchemaPath(pair.new.name, property.name),
        SchemaPath(pair.old.name, property.name))
    }
    for index in changes.indices[known...] { changes[index].isJudgedWhenSealed = false }
  }

  private mutating func compareTypes(
    _ old: Property, _ new: Property, _ path: SchemaPath, _ oldPath: SchemaPath
  ) {
    if case .inverse(let model, let property) = old.type {
      let source = SchemaPath(continued[model] ?? model, renamedProperty(model, property))
      guard case .inverse(let newModel, let newProperty) = new.type,
        source != SchemaPath(newModel, newProperty)
      else { return }
      report(
        .inverseChanged, at: path, from: oldPath,
        "'\(path)' was the inverse of \(old.type.spelling), it is that of \(new.type.spelling)")
      return
    }
    guard let oldValue = old.type.valueType, let newValue = new.type.valueType else { return }
    let sentence = "'\(path)' was \(old.type.spelling) and is \(new.type.spelling)"
    var isLink = false
    if case .object(let target) = oldValue.base, case .object(let newTarget) = newValue.base {
      isLink = true
      if continued[target] != newTarget {
        report(
          .relationshipTargetChanged, at: path, from: oldPath,
          target == newTarget
            ? Self.sentence(path, on: target, nowCalled: continued[target]) : sentence)
      }
    } else {
      switch Self.conversion(of: oldValue.base, in: older, to: newValue.base, in: newer) {
      case nil: break
      // Where the cardinality changed too, that says it.
      case .typeWidened? where old.type.isCollection != new.type.isCollection: break
      case .typeWidened?: report(.typeWidened, at: path, from: oldPath, sentence)
      case let kind?:
        let moved = casesOfOtherMeaning(from: oldValue.base, to: newValue.base)
        report(
          kind, at: path, from: oldPath,
          sentence + (moved.first.map { ": " + Self.sentence($0.was, $0.now) } ?? ""),
          isJudgedWhenSealed: moved.isEmpty)
        return  // what an incompatible type's cardinality was does not matter any more
      }
    }
    if let kind = Self.changeOfShape(old.type, new.type) {
      let more =
        switch (old.type, new.type) {
        case (.list, .set): ": order and repeated elements are lost"
        case (.set, .list): ": an order has to be made"
        default: ""
        }
      report(kind, at: path, from: oldPath, sentence + more)
    }
    compareOptionality(old, new, isLink: isLink, path, oldPath)
  }

  /// That a link leads to another model, though its type is spelled as before.
  private static func sentence(_ path: SchemaPath, on target: String, nowCalled name: String?)
    -> String
  {
    "'\(path)' leads to '\(target)', which is another model than before"
      + (name.map { ": that is '\($0)' now" } ?? "")
  }

  private func renamedProperty(_ model: String, _ property: String) -> String {
    correspondence.renames.properties[SchemaPath(model, property)] ?? property
  }

  /// One value or many, and how many are kept.
  private static func changeOfShape(_ old: PropertyType, _ new: PropertyType) -> ChangeKind? {
    switch (old, new) {
    case (.value, .value), (.list, .list), (.set, .set), (.map, .map): return nil
    case (.value(let type), .list), (.value(let type), .set):
      if case .object = type.base { return .cardinalityWidened }
      return .typeWidened
    case (.list, .value), (.set, .value): return .cardinalityNarrowed
    case (.list, .set), (.set, .list): return .orderingChanged
    default: return .typeChangedIncompatible
    }
  }

  private mutating func compareOptionality(
    _ old: Property, _ new: Property, isLink: Bool, _ path: SchemaPath, _ oldPath: SchemaPath
  ) {
    guard let before = old.type.valueType?.isOptional, let now = new.type.valueType?.isOptional,
      before != now, old.type.isCollection == new.type.isCollection
    else { return }
    if now {
      report(.madeOptional, at: path, from: oldPath, "'\(path)' is optional now: programs meet nil")
    } else if new.type.valueType?.base == .scalar(.any) {
      // Nil is a value of type `any`; where another type became that, the change of type says it.
      guard old.type.valueType?.base == .scalar(.any) else { return }
      report(
        .typeWidened, at: path, from: oldPath,
        "'\(path)' was \(old.type.spelling) and is \(new.type.spelling), which holds nil, too")
    } else if isLink {
      report(
        .linkMadeRequired, at: path, from: oldPath,
        "the link '\(path)' is required now, and objects may be without it")
    } else {
      report(
        .madeRequired, at: path, from: oldPath,
        new.type.isCollection
          ? "the elements of '\(path)' are required now, and objects may have nil among them"
          : "'\(path)' is required now, and objects may have nil there")
    }
  }

  /// How values of one type become values of another; nil where they are the same.
  static func conversion(
    of old: BaseType, in older: Schema, to new: BaseType, in newer: Schema
  ) -> ChangeKind? {
    switch (old, new) {
    case (.scalar(let from), .scalar(let to)):
      return kind(of: TypePair(from, to))
    case (.enumeration(let from), .enumeration(let to)):
      if from == to { return nil }  // what changed in it is said at the enum
      guard let before = older.enumeration(named: from), let now = newer.enumeration(named: to)
      else { return .typeChangedLossy }
      guard containsValues(of: before, now), casesOfOtherMeaning(from: before, to: now).isEmpty
      else { return .typeChangedLossy }
      return .typeWidened
    case (.enumeration(let name), .scalar(let to)):
      guard let from = older.enumeration(named: name)?.rawType.scalar else {
        return .typeChangedLossy
      }
      return kind(of: TypePair(from, to)) ?? .typeWidened
    case (.scalar(let from), .enumeration(let name)):
      guard let to = newer.enumeration(named: name)?.rawType.scalar else {
        return .typeChangedLossy
      }
      // A value that is no case has none to become.
      return TypePair(from, to).relation == .unrelated
        ? .typeChangedIncompatible : .typeChangedLossy
    default: return .typeChangedIncompatible
    }
  }

  /// Whether each stored value of an enum is one of the other, whatever case it is there.
  private static func containsValues(of old: EnumType, _ new: EnumType) -> Bool {
    let known = Set(new.cases.map(\.rawValue))
    return old.rawType == new.rawType && old.cases.allSatisfy { known.contains($0.rawValue) }
  }

  /// The cases that mean others where an enum takes the place of another one that has all its values; empty for other types.
  private func casesOfOtherMeaning(
    from old: BaseType, to new: BaseType
  ) -> [(was: EnumType.Case, now: EnumType.Case)] {
    guard case .enumeration(let from) = old, case .enumeration(let to) = new, from != to,
      let before = older.enumeration(named: from), let now = newer.enumeration(named: to),
      Self.containsValues(of: before, now)
    else { return [] }
    return Self.casesOfOtherMeaning(from: before, to: now)
  }

  private static func kind(of pair: TypePair) -> ChangeKind? {
    switch pair.relation {
    case .same: nil
    case .widened: .typeWidened
    case .spelled, .convertible: .typeChangedLossy
    case .unrelated: .typeChangedIncompatible
    }
  }

  // MARK: Defaults, indexes

  private mutating func compareDefaults(
    _ old: Property, _ new: Property, _ path: SchemaPath, _ oldPath: SchemaPath
  ) {
    if old.defaultValue != new.defaultValue {
      switch (old.defaultValue, new.defaultValue) {
      case (_?, nil) where new.generate == nil:
        report(.defaultRemoved, at: path, from: oldPath, "'\(path)' has no default any more")
        return
      default:
        report(
          .defaultChanged, at: path, from: oldPath,
          "'\(path)' has another default: new objects differ, existing ones keep their values")
        return
      }
    }
    if old.generate != new.generate {
      report(
        new.generate == nil ? .defaultRemoved : .defaultChanged, at: path, from: oldPath,
        new.generate == nil
          ? "'\(path)' is not generated any more"
          : "'\(path)' is generated for new objects, existing ones keep their values")
    }
  }

  private mutating func compareIndexes(
    _ old: Property, _ new: Property, _ path: SchemaPath, _ oldPath: SchemaPath, in model: Model
  ) {
    if (old.index == .fulltext) != (new.index == .fulltext) {
      report(
        .fulltextChanged, at: path, from: oldPath,
        new.index == .fulltext
          ? "'\(path)' gets a full-text index, which is built from all objects"
          : "'\(path)' loses its full-text index")
    }
    // A full-text index finds words, and no value: it takes the place of no other one.
    if old.index != .ordinary, new.index == .ordinary {
      report(.indexAdded, at: path, from: oldPath, "'\(path)' is indexed now")
    }
    if old.index == .ordinary, new.index != .ordinary {
      let isServed = model.finds(by: [new.name])
      report(
        .indexRemoved, at: path, from: oldPath,
        isServed
          ? "the index of '\(path)' is removed, and another one begins with it"
          : "'\(path)' is not indexed any more", isJudged: !isServed)
    }
  }

  private mutating func compareUniqueness(
    _ old: Property, _ new: Property, _ path: SchemaPath, _ oldPath: SchemaPath, in model: Model
  ) {
    if !old.isUnique, new.isUnique {
      report(
        .uniqueAdded, at: path, from: oldPath,
        "'\(path)' has to be unique, and two objects may agree in it")
    } else if new.replacesNil(of: old), model.tellsApart(by: new.name) {
      // Any number of objects may be without a value; the default can be that of one.
      report(
        .uniqueAdded, at: path, from: oldPath,
        "'\(path)' has to be unique, and all objects with nil there get its default")
    }
    if old.isUnique, !new.isUnique {
      let isKept = model.keepsApart(by: [new.name])
      report(
        .uniqueRemoved, at: path, from: oldPath,
        isKept
          ? "the uniqueness of '\(path)' is removed, and another one keeps it"
          : "'\(path)' need not be unique any more", isJudged: !isKept)
    }
  }
}
