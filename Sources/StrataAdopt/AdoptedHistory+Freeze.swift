package import StrataEvolution
import StrataExpression
package import StrataHistory
package import StrataSchema

/// What one step of an adopted history asks for.
package struct AdoptedStep: Sendable {
  /// The version that it reaches.
  package var version: Int
  /// All changes, each with one verdict.
  package var changes: [SchemaChange]
  /// Those that need a decision of the author.
  package var open: [SchemaChange]
  /// What the source itself says of the step.
  package var answer: MigrationStep?
  /// What the step drops because other properties take its links over.
  var carried: Set<SchemaPath> = []
}

extension AdoptedStep {
  /// What the step gives up, each with what came in its model and is of the same type: a rename may be meant.
  ///
  /// - Parameter kept: the step as the folder of an earlier run has it, which may take less over than this run would have.
  package func givenUp(
    _ older: Schema, _ newer: Schema, keptAs kept: MigrationStep? = nil
  ) -> [(path: SchemaPath, alike: [String])] {
    let takesOver =
      kept.map { kept in
        (answer?.set ?? [:]).allSatisfy { model, values in
          values.keys.allSatisfy { kept.set[model]?[$0] != nil }
        }
      } ?? true
    return ((kept ?? answer)?.drop ?? []).subtracting(takesOver ? carried : []).sorted {
      $0.description < $1.description
    }.map {
      path in
      guard let name = path.property, let old = older.model(named: path.model),
        let property = old.property(named: name),
        let now = newer.model(named: answer?.renames.models[path.model] ?? path.model)
      else { return (path, []) }
      let taken = Set(
        answer?.renames.properties.filter { $0.key.model == path.model }.map(\.value) ?? [])
      return (
        path,
        now.storedProperties.filter {
          $0.type == property.type && old.property(named: $0.name) == nil
            && !taken.contains($0.name)
        }.map(\.name)
      )
    }
  }
}

/// An adopted history, frozen: all files of it.
package struct FrozenAdoption: Sendable {
  package var files: [FreezeFile]
  package var steps: [AdoptedStep]
  /// The chain of the newest version.
  package var chain: Digest?
  /// By version: the chain, and where everything in it comes from.
  package var origins: [Int: (chain: Digest?, lineage: Lineage)] = [:]

  package var openCount: Int { steps.reduce(0) { $0 + $1.open.count } }
}

extension AdoptedHistory {
  /// Freezes every version behind the one before it, as `strata freeze` does. Renaming identifiers are renames; what the
  /// source gave up, because its own upgrade removed it, is dropped.
  package func freeze(
    date: String, answers: AdoptAnswers = AdoptAnswers()
  ) throws(FreezeError) -> FrozenAdoption {
    var result = FrozenAdoption(files: [], steps: [])
    var freeze = Freeze(history: History(name: name), lock: VersionLock())
    freeze.answersAreSealedBy = "freeze --repair"
    var previous: AdoptedVersion?
    for version in versions {
      var carried: Set<SchemaPath> = []
      if let previous {
        let own = answer(from: previous, to: version)
        carried = own.carried
        freeze.answers[version.schema.version] = answers.answering(
          own.step, from: previous.schema, to: version.schema)
      }
      let plan = try freeze.plan(freezing: version.schema, date: date)
      result.files += plan.files.filter { $0.place != .lock }
      if let previous {
        let changes = StepCoverage(
          older: previous.schema, newer: version.schema,
          step: freeze.answers[version.schema.version]
        ).diff.changes
        result.steps.append(
          AdoptedStep(
            version: version.schema.version, changes: changes, open: plan.uncovered,
            answer: freeze.answers[version.schema.version], carried: carried))
      }
      let line = plan.lock.lines.last
      let lineage =
        previous.map { older in
          result.origins[older.schema.version]?.lineage.advanced(
            from: older.schema, to: version.schema,
            renames: freeze.answers[version.schema.version]?.renames ?? Renames())
        } ?? nil
      result.origins[version.schema.version] = (
        line?.chain, lineage ?? Lineage(beginning: version.schema)
      )
      freeze.history = History(
        name: name,
        versions: [
          FrozenVersion(
            schema: version.schema, step: nil, date: date, stepDigest: line?.step,
            chain: line?.chain)
        ])
      freeze.lock = plan.lock
      previous = version
    }
    result.files.append(FreezeFile(.lock, freeze.lock.text))
    result.chain = freeze.lock.lines.last?.chain
    return result
  }

  /// - Returns: what the source says of a step, and what of that it drops because its links go on elsewhere.
  private func answer(
    from older: AdoptedVersion, to newer: AdoptedVersion
  ) -> (step: MigrationStep?, carried: Set<SchemaPath>) {
    let number = newer.schema.version
    var step = MigrationStep(to: number, renames: renames(from: older, to: newer))
    func changed() -> [SchemaChange] {
      StepCoverage(older: older.schema, newer: newer.schema, step: step).diff.changes
    }
    let ends =
      source == .coredata
      ? RelationshipSteps(older: older, newer: newer, renames: step.renames) : nil
    if let ends { step.renames = ends.renames }
    ends?.carry(into: &step)
    var carried: Set<SchemaPath> = []
    let changes = changed()
    for change in changes {
      switch change.kind {
      // The objects of an entity that became abstract are those of a sub-entity: which one is a question.
      case .modelRemoved where newer.schema.model(named: change.path.model) != nil: break
      case .modelRemoved where mayGoOn(change.path.model, changes, older.schema, newer.schema):
        break
      case .propertyRemoved, .relationshipRemoved:
        let outcome = ends?.outcome(of: change.oldPath ?? change.path)
        if outcome == .unclear
          || isOneOfSeveral(change.path, changes, older.schema, newer.schema)
          || mayGoOn(change.path, changes, older.schema, newer.schema)
        {
          break
        }
        step.drop.insert(change.oldPath ?? change.path)
        if outcome == .carried { carried.insert(change.oldPath ?? change.path) }
      case .propertyRenamedUndeclared:
        guard let path = change.oldPath, ends?.outcome(of: path) == .carried else { break }
        step.drop.insert(path)
        carried.insert(path)
      case .modelRemoved:
        step.drop.insert(change.oldPath ?? change.path)
      default: break
      }
    }
    return (step == MigrationStep(to: number) ? nil : step, carried)
  }

  /// Whether what an upgrade does is not known: those of Room, drift and other users of SQLite are SQL of the app, and those of Realm its
  /// code, which nothing here reads. Core Data gives up whatever has no renaming identifier.
  private var isUpgradedByCode: Bool { source != .coredata }

  /// Whether something that comes in a property's model may be what it has become: it holds the same kind of values, required or not.
  private func mayGoOn(
    _ path: SchemaPath, _ changes: [SchemaChange], _ older: Schema, _ newer: Schema
  ) -> Bool {
    guard isUpgradedByCode,
      let base = path.property.flatMap({ older.model(named: path.model)?.property(named: $0) })?
        .type.valueType?.base
    else { return false }
    return changes.contains { change in
      guard [.propertyAdded, .requiredPropertyAdded].contains(change.kind),
        change.path.model == path.model,
        let new = change.path.property.flatMap({
          newer.model(named: path.model)?.property(named: $0)
        })?.type.valueType?.base
      else { return false }
      if case .object(let gone) = base, case .object(let come) = new, gone != come {
        return changes.contains {
          $0.kind == .modelRenamedUndeclared && $0.oldPath?.model == gone && $0.path.model == come
            || $0.kind == .modelRemoved && $0.path.model == gone
              && mayBe(come, gone, changes, older, newer)
        }
      }
      return new == base
    }
  }

  /// Whether a model that comes may be what another one has become: it has half of its properties that are no key.
  private func mayGoOn(
    _ name: String, _ changes: [SchemaChange], _ older: Schema, _ newer: Schema
  ) -> Bool {
    guard isUpgradedByCode else { return false }
    return changes.contains { mayBe($0.path.model, name, changes, older, newer) }
  }

  private func mayBe(
    _ come: String, _ gone: String, _ changes: [SchemaChange], _ older: Schema, _ newer: Schema
  ) -> Bool {
    guard changes.contains(where: { $0.kind == .modelAdded && $0.path.model == come }),
      let old = older.model(named: gone), let new = newer.model(named: come)
    else { return false }
    let properties = old.storedProperties.filter { !old.primaryKey.contains($0.name) }
    let common = properties.count { property in
      new.property(named: property.name)?.type.valueType?.base == property.type.valueType?.base
    }
    return !properties.isEmpty && 2 * common >= properties.count
  }

  /// Whether a property is one of several of a type that go where one of it comes, which may be any of them.
  private func isOneOfSeveral(
    _ path: SchemaPath, _ changes: [SchemaChange], _ older: Schema, _ newer: Schema
  ) -> Bool {
    guard let name = path.property, let model = older.model(named: path.model),
      let property = model.property(named: name)
    else { return false }
    let gone = changes.filter {
      $0.kind == .propertyRemoved && $0.path.model == path.model
        && $0.path.property.flatMap(model.property(named:))?.type == property.type
    }
    let came = changes.filter { change in
      [.propertyAdded, .requiredPropertyAdded].contains(change.kind)
        && change.path.model == path.model
        && change.path.property.flatMap {
          newer.model(named: path.model)?.property(named: $0)
        }?.type == property.type
    }
    return gone.count > 1 && came.count == 1
  }

  /// A thing of the newer version continues the one of the older version with its renaming identifier, or of that name.
  private func renames(from older: AdoptedVersion, to newer: AdoptedVersion) -> Renames {
    var renames = Renames()
    let modelNames = older.schema.storedModels.map(\.name)
    for model in newer.schema.storedModels {
      let old = predecessor(
        of: model.name, newer.identifiers.models[model.name], among: modelNames,
        isNew: older.schema.model(named: model.name) == nil
      ) { older.identifiers.models[$0] }
      if let old, newer.schema.model(named: old) == nil, !old.isEmpty, renames.models[old] == nil {
        renames.models[old] = model.name
      }
    }
    for model in newer.schema.storedModels {
      guard let old = renames.oldModel(of: model.name, in: older.schema) else { continue }
      let names = old.properties.filter(\.isStored).map(\.name)
      for property in model.properties where property.isStored {
        let identifier = identifier(of: property, model, in: newer)
        let from = predecessor(
          of: property.name, identifier, among: names,
          isNew: old.property(named: property.name) == nil
        ) { name in
          old.property(named: name).flatMap { self.identifier(of: $0, old, in: older) }
        }
        if let from, model.property(named: from) == nil,
          renames.properties[SchemaPath(old.name, from)] == nil
        {
          renames.properties[SchemaPath(old.name, from)] = property.name
        }
      }
    }
    return renames
  }

  /// Renaming identifiers that lead to something other than what a thing continues: two that swap names, or two that
  /// continue the same; and ends of relationships whose links are not what the source would make of them.
  package func notesOfStep(
    from older: AdoptedVersion, to newer: AdoptedVersion
  ) -> [AdoptNote] {
    let renames = renames(from: older, to: newer)
    var notes =
      source == .coredata
      ? RelationshipSteps(older: older, newer: newer, renames: renames).notes : []
    func check(
      _ path: SchemaPath, _ identifier: String, among names: [String], continues: String?,
      identifierOf: (String) -> String?
    ) {
      let name = path.property ?? path.model
      guard
        let meant = names.first(where: { identifierOf($0) == identifier })
          ?? names.first(where: { $0 == identifier && identifier != name }), meant != continues,
        continues.flatMap(identifierOf) != identifier
      else { return }
      let what = continues.map { "it continues '\($0)'" } ?? "something else continues '\(meant)'"
      notes.append(
        AdoptNote(
          kind: .changed, entity: path.model, property: path.property,
          reason: "its renaming identifier '\(identifier)' is not followed: \(what)"))
    }
    let modelNames = older.schema.storedModels.map(\.name)
    for model in newer.schema.storedModels {
      let old = renames.oldModel(of: model.name, in: older.schema)
      if let identifier = newer.identifiers.models[model.name] {
        check(
          SchemaPath(model.name), identifier, among: modelNames, continues: old?.name
        ) { older.identifiers.models[$0] }
      }
      guard let old else { continue }
      let names = old.properties.filter(\.isStored).map(\.name)
      for property in model.properties where property.isStored {
        let path = SchemaPath(model.name, property.name)
        guard let identifier = newer.identifiers.properties[path] else { continue }
        check(
          path, identifier, among: names,
          continues: renames.oldProperty(of: property.name, in: old)?.name
        ) { name in old.property(named: name).flatMap { self.identifier(of: $0, old, in: older) } }
      }
    }
    return notes
  }

  /// That of the model itself, or of the ancestor that declares the property.
  private func identifier(
    of property: Property, _ model: Model, in version: AdoptedVersion
  ) -> String? {
    var next: Model? = model
    var depth = 0
    while let current = next, depth < 16 {
      if let found = version.identifiers.properties[SchemaPath(current.name, property.name)] {
        return found
      }
      next = current.extends.flatMap { version.schema.model(named: $0) }
      depth += 1
    }
    return nil
  }

  private func predecessor(
    of name: String, _ identifier: String?, among names: [String], isNew: Bool,
    identifierOf: (String) -> String?
  ) -> String? {
    guard isNew, let identifier else { return nil }
    // Core Data holds the identifiers of both sides against each other; one without has its name.
    return names.first { identifierOf($0) == identifier }
      ?? (identifier == name ? nil : names.first { $0 == identifier })
  }
}
