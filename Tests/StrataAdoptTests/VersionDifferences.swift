import StrataSchema

/// Holds the changes that were found between two versions against a plain comparison of both.
struct VersionDifferences {
  private let older: Schema
  private let newer: Schema
  private let changes: [SchemaChange]
  /// What is not said once.
  private(set) var problems: [String] = []

  init(_ older: Schema, _ newer: Schema, _ changes: [SchemaChange]) {
    self.older = older
    self.newer = newer
    self.changes = changes
    compareModels()
    let all = changes.map { "\($0.kind.code) \($0.path) \($0.message)" }
    if Set(all).count < all.count { problems.append("a change is said twice: \(all)") }
  }

  private func changes(atOld path: SchemaPath) -> [SchemaChange] {
    changes.filter { ($0.oldPath ?? $0.path) == path }
  }

  private func changes(atNew path: SchemaPath) -> [SchemaChange] {
    changes.filter { $0.path == path }
  }

  private mutating func expect(
    _ found: [SchemaChange], _ kinds: Set<ChangeKind>, _ what: String
  ) {
    let fitting = found.filter { kinds.contains($0.kind) }
    if fitting.count != 1 { problems.append("\(what): \(fitting.count) changes say so, \(found)") }
  }

  private mutating func compareModels() {
    // What a renamed model was called; the others keep their names.
    var oldNames: [String: String] = [:]
    for change in changes where change.kind == .modelRenamed {
      oldNames[change.path.model] = change.oldPath?.model
    }
    let gone = older.storedModels.filter { newer.model(named: $0.name)?.isAbstract ?? true }
    for model in gone where !oldNames.values.contains(model.name) {
      expect(
        changes(atOld: SchemaPath(model.name)),
        [.modelRemoved, .modelRenamedUndeclared, .modelMerged], "'\(model.name)' is gone")
    }
    for model in newer.storedModels {
      let name = oldNames[model.name] ?? model.name
      guard let old = older.storedModels.first(where: { $0.name == name }) else {
        expect(
          changes(atNew: SchemaPath(model.name)),
          [.modelAdded, .modelRenamedUndeclared, .modelSplit], "'\(model.name)' is new")
        continue
      }
      compareProperties(old, model)
    }
  }

  private mutating func compareProperties(_ old: Model, _ new: Model) {
    var oldNames: [String: String] = [:]
    for change in changes where change.kind == .propertyRenamed && change.path.model == new.name {
      oldNames[change.path.property ?? ""] = change.oldPath?.property
    }
    for property in old.storedProperties
    where new.property(named: property.name)?.isStored != true
      && !oldNames.values.contains(property.name)
    {
      expect(
        changes(atOld: SchemaPath(old.name, property.name)),
        [
          .propertyRemoved, .relationshipRemoved, .propertyRenamedUndeclared, .propertyMoved,
        ], "'\(old.name).\(property.name)' is gone")
    }
    for property in new.storedProperties {
      let path = SchemaPath(new.name, property.name)
      let name = oldNames[property.name] ?? property.name
      guard let before = old.property(named: name), before.isStored else {
        expect(
          changes(atNew: path),
          [
            .propertyAdded, .requiredPropertyAdded, .propertyRenamedUndeclared,
            .propertyMoved,
          ], "'\(path)' is new")
        continue
      }
      let kinds = changes(atNew: path).map(\.kind)
      if Set(kinds).count < kinds.count { problems.append("'\(path)' has one change twice") }
      var (a, b) = (before, property)
      (a.name, a.swiftName, a.doc) = ("", nil, nil)
      (b.name, b.swiftName, b.doc) = ("", nil, nil)
      if (a == b) != kinds.filter({ $0 != .propertyRenamed }).isEmpty {
        problems.append("'\(path)' \(a == b ? "is as it was" : "differs"), and \(kinds) is said")
      }
    }
  }
}
