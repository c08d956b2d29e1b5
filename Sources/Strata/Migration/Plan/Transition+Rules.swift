import StrataExpression
import StrataHistory
import StrataSchema

extension Transition {
  /// Whether objects that kept the rules of the version before may break one of this version, so that they have to be looked at
  /// before another version changes them.
  func mayBreakRules(_ mapping: PassMapping?) -> Bool {
    target.storedModels.contains { model in
      model.rules.contains { !isKept($0, of: model, mapping) }
    }
  }

  /// Whether a rule of the version before is gone, or objects that keep it may break what has become of it.
  func endsRules(_ mapping: PassMapping?) -> Bool {
    source.storedModels.contains { model in
      model.rules.contains { !continues($0, of: model, mapping) }
    }
  }

  /// Whether a rule of the version before is one of this version, too, and nothing that it reads is changed.
  func continues(_ rule: ModelRule, of model: Model, _ mapping: PassMapping?) -> Bool {
    guard let now = target.model(named: model.name), let same = now.rule(named: rule.name) else {
      return false
    }
    return isKept(same, of: now, mapping)
  }

  /// Whether what the step's repairs do decides if objects keep a rule: its own, one that changes what it reads, or one that deletes.
  func mayRepairDecide(_ rule: SchemaPath, reading models: [String]) -> Bool {
    step.repair.contains { path, repair in
      path == rule || repair.delete != nil || models.contains(path.model)
    }
  }

  /// Whether a rule is that of the version before, and nothing that it reads is changed.
  func isKept(
    _ rule: ModelRule, of model: Model, _ mapping: PassMapping?
  ) -> Bool {
    guard let before = self.model(named: model.name)?.source, before.name == model.name,
      before.rule(named: rule.name)?.condition == rule.condition,
      let index = target.indexOfModel(named: model.name),
      let condition = rule.resolved(in: target, of: model)
    else { return false }
    return RuleReads(condition, in: target, ofModel: index).models.allSatisfy { read in
      let name = target.models[read].name
      guard let transition = self.model(named: name), let old = transition.source,
        old.name == name, mapping?.newModel != name, findsTheSame(in: transition.target, as: old)
      else { return false }
      return transition.properties.allSatisfy { property in
        // A name that the version before has not is none that the same condition reads.
        if old.property(named: property.property.name) == nil { return true }
        if case .copied(let old, .none) = property.origin {
          return old.name == property.property.name && !property.replacesNil
        }
        return false
      }
    }
  }

  /// Whether an inverse of the model is that of the same link, and a key that of the same properties: neither is stored, and both decide
  /// which objects a condition finds.
  private func findsTheSame(in model: Model, as old: Model) -> Bool {
    guard model.primaryKey == old.primaryKey else { return false }
    return model.properties.allSatisfy { property in
      guard case .inverse(let holder, let link) = property.type else { return true }
      guard case .inverse(let oldHolder, let oldLink) = old.property(named: property.name)?.type,
        let before = step.renames.oldModel(of: holder, in: source), before.name == oldHolder
      else { return false }
      return step.renames.oldProperty(of: link, in: before)?.name == oldLink
    }
  }
}
