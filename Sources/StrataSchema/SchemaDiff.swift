/// One thing that differs between two versions.
package struct SchemaChange: Hashable, Sendable {
  package var kind: ChangeKind
  /// Where it is: in the newer version, or in the older one for what is gone.
  package var path: SchemaPath
  /// Where the same thing was in the older version, if it was there.
  package var oldPath: SchemaPath?
  /// What changed, in a sentence without a full stop.
  package var message: String
  /// Whether the change is judged in a sealed version, too. False for what earlier releases called automatic: such a
  /// version has no answer to it, and its step cannot be changed any more.
  package var isJudgedWhenSealed: Bool
  /// Whether the rules look at it. False for what the newer version has in another way: an index or a uniqueness that is
  /// missed by no query and no program.
  package var isJudged: Bool
  /// Of a model's new uniqueness of several properties: their names in the newer version. Empty for every other change.
  package var together: [String]

  package init(
    _ kind: ChangeKind, at path: SchemaPath, from oldPath: SchemaPath? = nil, _ message: String,
    isJudgedWhenSealed: Bool = true, isJudged: Bool = true, together: [String] = []
  ) {
    self.kind = kind
    self.path = path
    self.oldPath = oldPath
    self.message = message
    self.isJudgedWhenSealed = isJudgedWhenSealed
    self.isJudged = isJudged
    self.together = together
  }

  package var verdict: Verdict { kind.verdict }
}

/// What a step says that decides how two versions are compared: what continues, and what was given up on
/// purpose and is no renamed thing.
package struct Correspondence: Hashable, Sendable {
  package var renames: Renames
  /// Old models and properties that are given up.
  package var dropped: Set<SchemaPath>
  /// New properties whose values are said.
  package var assigned: Set<SchemaPath>
  /// Models, by old or new name, whose objects a block takes care of.
  package var handled: Set<String>

  package init(
    renames: Renames = Renames(), dropped: Set<SchemaPath> = [], assigned: Set<SchemaPath> = [],
    handled: Set<String> = []
  ) {
    self.renames = renames
    self.dropped = dropped
    self.assigned = assigned
    self.handled = handled
  }
}

/// What changed from one version to another: every difference that means something for stored data, each
/// once, in a stable order.
package struct SchemaDiff: Hashable, Sendable {
  /// By path, then by code.
  package let changes: [SchemaChange]

  package init(
    from older: Schema, to newer: Schema, _ correspondence: Correspondence = Correspondence()
  ) {
    var comparison = SchemaComparison(older: older, newer: newer, correspondence: correspondence)
    comparison.compare()
    changes = comparison.changes.sorted {
      ($0.path, $0.kind.code, $0.message) < ($1.path, $1.kind.code, $1.message)
    }
  }

  package var isEmpty: Bool { changes.isEmpty }

  /// Whether an upgrade needs no step at all.
  package var isAutomatic: Bool { changes.allSatisfy { !$0.verdict.needsStep } }
}

/// A model that is in both versions.
struct ModelPair {
  var old: Model
  var new: Model
}

/// The work of comparing two schemas.
struct SchemaComparison {
  let older: Schema
  let newer: Schema
  let correspondence: Correspondence
  let renames: RenameIndex
  var changes: [SchemaChange] = []

  /// New model name → both.
  var pairs: [String: ModelPair] = [:]
  /// Old model name → new model name, for models that continue.
  var continued: [String: String] = [:]
  /// What is gone and what came, until it is known whether one became the other.
  var removedModels: [Model] = []
  var addedModels: [Model] = []
  var removedProperties: [(pair: ModelPair, property: Property)] = []
  var addedProperties: [(pair: ModelPair, property: Property)] = []

  init(older: Schema, newer: Schema, correspondence: Correspondence) {
    self.older = older
    self.newer = newer
    self.correspondence = correspondence
    renames = RenameIndex(correspondence.renames)
  }

  mutating func report(
    _ kind: ChangeKind, at path: SchemaPath, from oldPath: SchemaPath? = nil, _ message: String,
    isJudgedWhenSealed: Bool = true, isJudged: Bool = true, together: [String] = []
  ) {
    changes.append(
      SchemaChange(
        kind, at: path, from: oldPath, message, isJudgedWhenSealed: isJudgedWhenSealed,
        isJudged: isJudged, together: together))
  }

  mutating func compare() {
    pairModels()
    compareEnums()
    for name in pairs.keys.sorted() {
      if let pair = pairs[name] { compare(pair) }
    }
    guessModelRenames()
    guessSplitsAndMerges()
    guessMoves()
    guessPropertyRenames()
    reportRest()
    compareMeaningsOfRules()
  }

  private mutating func pairModels() {
    pairs.reserveCapacity(newer.models.count)
    continued.reserveCapacity(newer.models.count)
    for model in newer.models where !model.isAbstract {
      if let old = renames.oldModel(of: model.name, in: older), !old.isAbstract,
        continued[old.name] == nil
      {
        pairs[model.name] = ModelPair(old: old, new: model)
        continued[old.name] = model.name
      } else {
        addedModels.append(model)
      }
    }
    removedModels = older.models.filter { !$0.isAbstract && continued[$0.name] == nil }
  }

  // MARK: Models

  private mutating func compare(_ pair: ModelPair) {
    let (old, new) = (pair.old, pair.new)
    let (path, oldPath) = (SchemaPath(new.name), SchemaPath(old.name))
    if old.name != new.name {
      report(.modelRenamed, at: path, from: oldPath, "'\(old.name)' is renamed to '\(new.name)'")
    }
    compareSpelling(old.name, new.name, at: path, from: oldPath)
    if old.isEmbedded != new.isEmbedded {
      report(
        .embeddingChanged, at: path, from: oldPath,
        new.isEmbedded
          ? "'\(new.name)' becomes embedded: its objects need an owner each"
          : "'\(new.name)' is no longer embedded: its objects live on their own")
    }
    // Equal models may still differ in what continues: a property that went and came back.
    if old == new, !renames.renamesProperty(of: old), old.isSpelled(like: new) {
      compareTargets(pair)
      return
    }
    var oldNames: [String: String] = [:]  // old property → new property
    var newProperties: [String: String] = [:]  // the reverse
    for property in new.properties where !property.isIgnored {
      let before = renames.oldProperty(of: property.name, in: old)
      if let before, !before.isIgnored, oldNames[before.name] == nil,
        before.type.isInverse == property.type.isInverse
      {
        oldNames[before.name] = property.name
        newProperties[property.name] = before.name
        compare(before, property, in: pair)
      } else {
        addedProperties.append((pair, property))
      }
    }
    for property in old.properties where !property.isIgnored && oldNames[property.name] == nil {
      removedProperties.append((pair, property))
    }
    compareKeys(pair, continuing: oldNames)
    compareRules(pair)
  }

  /// A rule continues under its name; what its sentence says means nothing for data.
  private mutating func compareRules(_ pair: ModelPair) {
    for rule in pair.new.rules {
      let path = SchemaPath(pair.new.name, rule.name)
      guard let old = pair.old.rule(named: rule.name) else {
        report(
          .ruleAdded, at: path, from: SchemaPath(pair.old.name),
          "every object of '\(pair.new.name)' has to keep the rule '\(rule.name)': \(rule.condition)"
        )
        continue
      }
      compareSpelling(
        old.name, rule.name, at: path, from: SchemaPath(pair.old.name, old.name))
      guard !old.condition.isSpelled(like: rule.condition) else { continue }
      report(
        .ruleChanged, at: path, from: SchemaPath(pair.old.name, rule.name),
        "the rule '\(rule.name)' of '\(pair.new.name)' was \(old.condition), it is \(rule.condition)"
      )
    }
    for old in pair.old.rules where pair.new.rule(named: old.name) == nil {
      report(
        .ruleRemoved, at: SchemaPath(pair.new.name, old.name),
        from: SchemaPath(pair.old.name, old.name),
        "the rule '\(old.name)' of '\(pair.new.name)' is removed: \(old.condition)")
    }
  }

  // MARK: Enums

  private mutating func compareEnums() {
    for enumeration in newer.enums where older.enumeration(named: enumeration.name) == nil {
      report(
        .enumAdded, at: SchemaPath(enumeration.name), "the enum '\(enumeration.name)' is added")
    }
    for old in older.enums {
      guard let new = newer.enumeration(named: old.name) else {
        report(.enumRemoved, at: SchemaPath(old.name), "the enum '\(old.name)' is removed")
        continue
      }
      compareSpelling(
        old.name, new.name, at: SchemaPath(new.name), from: SchemaPath(old.name))
      if old != new { compare(old, new) }
    }
  }

  private mutating func compare(_ old: EnumType, _ new: EnumType) {
    guard old.rawType == new.rawType else {
      report(
        .enumRawTypeChanged, at: SchemaPath(new.name), from: SchemaPath(old.name),
        "'\(new.name)' was stored as \(old.rawType.rawValue) and is stored as \(new.rawType.rawValue)"
      )
      return
    }
    let stays = Set(new.cases.map(\.rawValue))
    let before = Set(old.cases.map(\.rawValue))
    var changed: Set<String> = []
    for old in old.cases where !stays.contains(old.rawValue) {
      let path = SchemaPath(new.name, old.name)
      if let same = new.cases.first(where: { $0.name == old.name }) {
        changed.insert(same.name)
        report(
          .enumRawValueChanged, at: path, from: path,
          "'\(path)' was stored as \(Self.spelling(old.rawValue)) and is stored as \(Self.spelling(same.rawValue))"
        )
      } else {
        report(
          .enumCaseRemoved, at: path,
          "'\(path)' is removed; objects may hold \(Self.spelling(old.rawValue))")
      }
    }
    // Of ints in a list a case that came in between has the value of the next one, whose own is new.
    let names = Set(old.cases.map(\.name))
    var between = ArraySlice(
      new.cases.filter { now in
        let was = old.cases.first { $0.rawValue == now.rawValue }?.name
        return !names.contains(now.name) && new.cases.contains { $0.name == was }
      })
    for added in new.cases
    where !before.contains(added.rawValue) && !changed.contains(added.name) {
      let hasMoved = names.contains(added.name)
      let path = SchemaPath(new.name, (hasMoved ? between.popFirst() : nil)?.name ?? added.name)
      let sentence =
        path.property != added.name
        ? "'\(path)' is added, and '\(added.name)' is stored as \(Self.spelling(added.rawValue)) now"
        : hasMoved
          ? "'\(path)' is stored as \(Self.spelling(added.rawValue)) now" : "'\(path)' is added"
      report(
        .enumCaseAdded, at: path,
        sentence + "; older programs meet a value that they do not know")
    }
    // A value that stays and means another case from now on.
    for (was, kept) in Self.casesOfOtherMeaning(from: old, to: new) {
      let path = SchemaPath(new.name, kept.name)
      report(
        .enumRawValueChanged, at: path, from: SchemaPath(old.name, was.name),
        Self.sentence(was, kept))
    }
  }

  /// The cases whose values stay and mean another case in the newer enum, where that is no other name of the same case: the newer
  /// enum has the older case elsewhere, or the older one had the newer case.
  static func casesOfOtherMeaning(
    from old: EnumType, to new: EnumType
  ) -> [(was: EnumType.Case, now: EnumType.Case)] {
    new.cases.compactMap { now in
      guard let was = old.cases.first(where: { $0.rawValue == now.rawValue }),
        was.name != now.name,
        new.cases.contains(where: { $0.name == was.name })
          || old.cases.contains(where: { $0.name == now.name })
      else { return nil }
      return (was, now)
    }
  }

  static func sentence(_ was: EnumType.Case, _ now: EnumType.Case) -> String {
    "\(spelling(now.rawValue)) was '\(was.name)' and is '\(now.name)' now"
  }

  private static func spelling(_ value: Value) -> String {
    switch value {
    case .string(let text): "'\(text)'"
    case .int(let number): String(number)
    default: "\(value)"
    }
  }
}
