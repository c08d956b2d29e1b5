import StrataExpression
package import StrataHistory
package import StrataSchema

/// Several steps seen as one: what continues from the first version to the last, and what is covered.
package struct StepChain: Sendable {
  package let steps: [(older: Schema, newer: Schema, step: MigrationStep?)]

  /// The versions whose steps are as they are: what was no question when they were frozen is none now.
  let sealedVersions: Set<Int>

  package init(
    _ steps: [(older: Schema, newer: Schema, step: MigrationStep?)], sealedVersions: Set<Int> = []
  ) {
    self.steps = steps
    self.sealedVersions = sealedVersions
  }

  /// A name that no property has: what becomes this continues as nothing.
  private static let nothing = ""

  /// What continues, under which name. A property that was removed and came back in between does not.
  package var correspondence: Correspondence {
    guard let first = steps.first else { return Correspondence() }
    if steps.count == 1 {
      let coverage = StepCoverage(older: first.older, newer: first.newer, step: first.step)
      return coverage.step?.correspondence ?? Correspondence()
    }
    var result = Correspondence()
    for model in first.older.storedModels {
      guard let last = name(of: model) else {
        result.renames.models[model.name] = Self.nothing
        continue
      }
      if last != model.name { result.renames.models[model.name] = last }
      for property in model.storedProperties {
        let path = SchemaPath(model.name, property.name)
        let final = name(of: path)
        if final != property.name { result.renames.properties[path] = final ?? Self.nothing }
      }
    }
    for step in steps.compactMap(\.step) {
      result.dropped.formUnion(step.drop)
      result.handled.formUnion(step.correspondence.handled)
      result.assigned.formUnion(step.correspondence.assigned)
    }
    return result
  }

  private func name(of model: Model) -> String? {
    steps.reduce(model.name as String?) { name, step in
      name.flatMap { self.next($0, step)?.name }
    }
  }

  private func next(
    _ name: String, _ step: (older: Schema, newer: Schema, step: MigrationStep?)
  ) -> Model? {
    let renames = step.step?.renames ?? Renames()
    let now = renames.models[name] ?? name
    guard renames.oldModel(of: now, in: step.older)?.name == name else { return nil }
    return step.newer.model(named: now)
  }

  private func name(of path: SchemaPath) -> String? {
    var model = path.model
    var property = path.property
    for step in steps {
      guard let current = property, let old = step.older.model(named: model),
        let new = next(model, step)
      else { return nil }
      let renames = step.step?.renames ?? Renames()
      let now = renames.properties[SchemaPath(model, current)] ?? current
      guard renames.oldProperty(of: now, in: old)?.name == current,
        new.property(named: now)?.isStored == true
      else { return nil }
      model = new.name
      property = now
    }
    return property
  }

  /// Whether a change over all steps needs no more than is there: where the one step covers or accepts it, or each of
  /// several steps all of its own changes.
  package func coverage(from older: Schema, to newer: Schema) -> (SchemaChange) -> Bool {
    func covers(_ coverage: StepCoverage) -> (SchemaChange) -> Bool {
      let isSealed = sealedVersions.contains(coverage.newer.version)
      return {
        coverage.covers($0) || coverage.step?.acceptance(of: $0) != nil
          || isSealed && !$0.isJudgedWhenSealed
      }
    }
    if steps.count <= 1 {
      return covers(StepCoverage(older: older, newer: newer, step: steps.first?.step))
    }
    let isCovered = steps.allSatisfy { step in
      let coverage = StepCoverage(older: step.older, newer: step.newer, step: step.step)
      return coverage.diff.changes.allSatisfy(covers(coverage))
    }
    return { !$0.verdict.needsStep || isCovered }
  }

  /// Whether the one step accepts a change.
  package func accepts(_ change: SchemaChange) -> Bool {
    steps.count == 1 && steps[0].step?.acceptance(of: change) != nil
  }
}
