// What is gone in one place and came in another is often the same thing. A guess makes one change of two, so
// that the help can say what was probably meant; it never decides what becomes of data.

extension SchemaComparison {
  /// How much two models have to have in common, in percent, to look like one that was renamed.
  private static let similarity = 70
  /// More pairs of models than are compared for likeness.
  private static let maximumCandidates = 10_000

  private func isGivenUp(_ model: Model) -> Bool {
    correspondence.dropped.contains(SchemaPath(model.name))
      || correspondence.handled.contains(model.name)
  }

  private func isGivenUp(_ pair: ModelPair, _ property: Property) -> Bool {
    correspondence.dropped.contains(SchemaPath(pair.old.name, property.name))
      || correspondence.handled.contains(pair.old.name)
      || correspondence.handled.contains(pair.new.name)
  }

  private func isAssigned(_ pair: ModelPair, _ property: Property) -> Bool {
    correspondence.assigned.contains(SchemaPath(pair.new.name, property.name))
  }

  /// A removed and an added model that have most of their properties in common, each other's best.
  mutating func guessModelRenames() {
    let gone = removedModels.filter { !isGivenUp($0) }
    guard gone.count * addedModels.count <= Self.maximumCandidates else { return }
    var renamed: [(old: Model, new: Model)] = []
    for old in gone {
      guard let new = best(old, among: addedModels), best(new, among: gone)?.name == old.name,
        !renamed.contains(where: { $0.new.name == new.name })
      else { continue }
      renamed.append((old, new))
    }
    for (old, new) in renamed {
      removedModels.removeAll { $0.name == old.name }
      addedModels.removeAll { $0.name == new.name }
      report(
        .modelRenamedUndeclared, at: SchemaPath(new.name), from: SchemaPath(old.name),
        "'\(old.name)' is gone and '\(new.name)' is much like it; as it stands, all objects of '\(old.name)' are lost"
      )
    }
  }

  private func best(_ model: Model, among others: [Model]) -> Model? {
    let scored = others.map { ($0, likeness($0, model)) }.filter { $0.1 >= Self.similarity }
    guard let top = scored.map(\.1).max() else { return nil }
    let winners = scored.filter { $0.1 == top }
    return winners.count == 1 ? winners[0].0 : nil
  }

  /// Properties of the same name and type, in percent of all that either has.
  private func likeness(_ a: Model, _ b: Model) -> Int {
    let (left, right) = (a.storedProperties, b.storedProperties)
    guard !left.isEmpty, !right.isEmpty, a.isEmbedded == b.isEmbedded else { return 0 }
    let common = left.filter { b.property(named: $0.name)?.type == $0.type }.count
    return common * 100 / max(left.count, right.count)
  }

  /// Properties that left a model for a new one, and models whose properties are all in another one now.
  mutating func guessSplitsAndMerges() {
    var split: [(pair: ModelPair, into: Model, names: [String])] = []
    let gone = removedProperties.filter { !isGivenUp($0.pair, $0.property) }
    let goneByModel = Dictionary(grouping: gone, by: \.pair.new.name)
      .filter { $0.value.count >= 2 }.sorted { $0.key < $1.key }
    for model in addedModels {
      for (name, gone) in goneByModel {
        guard let pair = pairs[name] else { continue }
        let moved = gone.filter {
          model.property(named: $0.property.name)?.type == $0.property.type
        }
        if moved.count >= 2 { split.append((pair, model, moved.map(\.property.name))) }
      }
    }
    for (pair, model, names) in split {
      report(
        .modelSplit, at: SchemaPath(pair.new.name), from: SchemaPath(pair.old.name),
        "\(names.joined(separator: ", ")) of '\(pair.new.name)' went to '\(model.name)', whose objects have to be created"
      )
    }
    let sources = Set(
      split.flatMap { part in part.names.map { SchemaPath(part.pair.new.name, $0) } })
    removedProperties.removeAll { sources.contains(SchemaPath($0.pair.new.name, $0.property.name)) }
    guessMerges()
  }

  private mutating func guessMerges() {
    let targets = addedModels + pairs.values.map(\.new)
    guard removedModels.count * targets.count <= Self.maximumCandidates else { return }
    var into: [String: [Model]] = [:]
    for old in removedModels where !isGivenUp(old) && !old.storedProperties.isEmpty {
      let found = targets.filter { target in
        old.storedProperties.allSatisfy { target.property(named: $0.name)?.type == $0.type }
          && (pairs[target.name] == nil || came(with: old, in: target))
      }.min { $0.name < $1.name }
      if let found { into[found.name, default: []].append(old) }
    }
    for (target, sources) in into.sorted(by: { $0.key < $1.key }) {
      // One model that goes on in an old one is a merge, too; one in a new one is a rename.
      guard sources.count >= 2 || pairs[target] != nil else { continue }
      for source in sources {
        removedModels.removeAll { $0.name == source.name }
        report(
          .modelMerged, at: SchemaPath(source.name), from: SchemaPath(source.name),
          "'\(source.name)' is gone, and '\(target)' has all its properties; its objects have to be created there"
        )
      }
    }
  }

  /// Whether an old model's properties came to one that goes on: what it always had proves nothing.
  private func came(with old: Model, in target: Model) -> Bool {
    addedProperties.contains {
      $0.pair.new.name == target.name && old.property(named: $0.property.name) != nil
    }
  }

  /// A property that left one model and came to another of the same name and type, one of which links to the other.
  mutating func guessMoves() {
    struct Key: Hashable {
      var name: String
      var type: PropertyType
    }
    func key(_ property: Property) -> Key { Key(name: property.name, type: property.type) }
    let places = Dictionary(grouping: addedProperties.indices) { key(addedProperties[$0].property) }
    var moved: [(from: SchemaPath, to: SchemaPath)] = []
    // What no file holds has no values to copy, as an inverse that goes where its link leads now.
    for gone in removedProperties
    where gone.property.isStored && !isGivenUp(gone.pair, gone.property) {
      let found = (places[key(gone.property)] ?? []).filter { place in
        let came = addedProperties[place]
        return came.pair.new.name != gone.pair.new.name && !isAssigned(came.pair, came.property)
          && (isLinked(came.pair.new, gone.pair.new) || isLinked(gone.pair.new, came.pair.new))
      }
      if found.count == 1 {
        let came = addedProperties[found[0]]
        moved.append(
          (
            SchemaPath(gone.pair.old.name, gone.property.name),
            SchemaPath(came.pair.new.name, came.property.name)
          ))
      }
    }
    var (sources, targets): (Set<SchemaPath>, Set<SchemaPath>) = ([], [])
    for (from, to) in moved {
      // The first of two that went to one place.
      guard targets.insert(to).inserted else { continue }
      sources.insert(from)
      report(
        .propertyMoved, at: to, from: from,
        "'\(from)' went to '\(to)'; its values have to be copied along the link")
    }
    removedProperties.removeAll { sources.contains(SchemaPath($0.pair.old.name, $0.property.name)) }
    addedProperties.removeAll { targets.contains(SchemaPath($0.pair.new.name, $0.property.name)) }
  }

  private func isLinked(_ a: Model, _ b: Model) -> Bool {
    a.properties.contains { $0.type.linkedModel == b.name && !$0.type.isInverse }
  }

  /// Exactly one property of a type gone, and exactly one of it added.
  mutating func guessPropertyRenames() {
    struct Key: Hashable {
      var model: String
      var type: String
    }
    func key(_ entry: (pair: ModelPair, property: Property), _ type: PropertyType) -> Key {
      Key(model: entry.pair.new.name, type: type.spelling)
    }
    var gone: [Key: [Property]] = [:]
    var came: [Key: [Property]] = [:]
    for entry in removedProperties where !isGivenUp(entry.pair, entry.property) {
      guard !entry.property.type.isInverse else { continue }
      gone[key(entry, renamedTargets(entry.property.type)), default: []].append(entry.property)
    }
    for entry in addedProperties where !isAssigned(entry.pair, entry.property) {
      guard !entry.property.type.isInverse else { continue }
      came[key(entry, entry.property.type), default: []].append(entry.property)
    }
    var (sources, targets): (Set<SchemaPath>, Set<SchemaPath>) = ([], [])
    for (key, olds) in gone {
      guard olds.count == 1, let news = came[key], news.count == 1, let pair = pairs[key.model],
        !correspondence.handled.contains(key.model)
      else { continue }
      let (old, new) = (olds[0], news[0])
      sources.insert(SchemaPath(key.model, old.name))
      targets.insert(SchemaPath(key.model, new.name))
      let from = SchemaPath(pair.old.name, old.name)
      report(
        .propertyRenamedUndeclared, at: SchemaPath(key.model, new.name), from: from,
        "'\(from)' is gone and '\(new.name)' of the same type is new; as it stands, its values are lost"
      )
    }
    removedProperties.removeAll { sources.contains(SchemaPath($0.pair.new.name, $0.property.name)) }
    addedProperties.removeAll { targets.contains(SchemaPath($0.pair.new.name, $0.property.name)) }
  }

  /// The type with the names that models have in the newer version.
  private func renamedTargets(_ type: PropertyType) -> PropertyType {
    guard var value = type.valueType, case .object(let model) = value.base else { return type }
    value.base = .object(continued[model] ?? model)
    return switch type {
    case .value: .value(value)
    case .list: .list(value)
    case .set: .set(value)
    case .map: .map(value)
    case .inverse: type
    }
  }

  /// What was not recognised as something else.
  mutating func reportRest() {
    for model in addedModels {
      report(.modelAdded, at: SchemaPath(model.name), "'\(model.name)' is added")
    }
    for model in removedModels {
      let path = SchemaPath(model.name)
      report(
        .modelRemoved, at: path, from: path, "'\(model.name)' is removed; its objects would be lost"
      )
    }
    for (pair, property) in addedProperties {
      let path = SchemaPath(pair.new.name, property.name)
      if property.type.isInverse {
        report(.inverseChanged, at: path, "the inverse '\(path)' is added")
      } else if property.needsValue {
        report(
          .requiredPropertyAdded, at: path,
          "'\(path)' is added, required and without a default: existing objects have no value for it"
        )
      } else {
        report(.propertyAdded, at: path, "'\(path)' is added")
        reportUniqueness(of: property, path)
      }
    }
    for (pair, property) in removedProperties {
      let path = SchemaPath(pair.old.name, property.name)
      if property.type.isInverse {
        report(.inverseChanged, at: path, from: path, "the inverse '\(path)' is removed")
      } else if property.type.linkedModel != nil {
        report(
          .relationshipRemoved, at: path, from: path,
          "the link '\(path)' is removed; what it held is lost")
      } else {
        report(
          .propertyRemoved, at: path, from: path, "'\(path)' is removed; its values would be lost")
      }
    }
  }

  /// A default, or the step's date, is the same for all existing objects, which is no good where they have to differ.
  private mutating func reportUniqueness(of property: Property, _ path: SchemaPath) {
    guard property.isUnique else { return }
    let sentence = "'\(path)' has to be unique, and all existing objects get"
    if property.generate == .now {
      report(.uniqueAdded, at: path, "\(sentence) the step's date")
    } else if property.defaultValue != nil, property.generate == nil {
      report(.uniqueAdded, at: path, "\(sentence) its default")
    }
  }
}

extension Model {
  /// Whether a property alone, or with others, tells objects apart.
  package func tellsApart(by name: String) -> Bool {
    primaryKey.contains(name) || uniques.contains { $0.contains(name) }
      || property(named: name)?.isUnique ?? false
  }
}

extension Property {
  /// Whether an object that is there already has no value for the property when it comes.
  package var needsValue: Bool {
    guard case .value(let type) = self.type, !type.isOptional else { return false }
    return defaultValue == nil && generate == nil
  }

  /// Whether objects that have nil in the older property get this one's default.
  package func replacesNil(of old: Property) -> Bool {
    guard case .value(let before) = old.type, case .value(let now) = type, let defaultValue else {
      return false
    }
    return before.isOptional && !now.isOptional && now.base != .scalar(.any) && !defaultValue.isNull
  }
}
