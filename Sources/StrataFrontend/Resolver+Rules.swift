import StrataExpression
import StrataSchema
import StrataSource
import StrataYAML

// Rules that data keeps: their names, what is inherited, and the types of their conditions.

extension Resolver {
  /// Names are identifiers, each once in a model.
  mutating func checkRuleNames(ofModel index: Int) {
    let model = models[index]
    var first: [String: Range<Int>] = [:]
    for rule in model.rules {
      guard checkIdentifier(rule.name, what: "a rule", in: model.file) else { continue }
      let folded = Names.folded(rule.name.value)
      guard let earlier = first[folded] else {
        first[folded] = rule.name.range
        continue
      }
      report(
        DeclarationDiagnostic.nameClash,
        "'\(rule.name.value)' differs from another rule only in case or normalisation",
        at: rule.name.range, in: model.file,
        labels: [label("it is declared here", at: earlier, in: model.file)],
        help: "rename one of the two")
    }
  }

  /// The rules of the ancestors and the model's own. One that is declared again has to be the same, as a frozen version
  /// repeats it.
  mutating func addRules(to result: inout ResolvedModel, of index: Int) {
    for ancestor in result.line.reversed() {
      for (position, rule) in models[ancestor].rules.enumerated() {
        let known = result.rules.firstIndex {
          models[$0.model].rules[$0.index].name.value == rule.name.value
        }
        guard let known else {
          result.rules.append((ancestor, position))
          continue
        }
        let place = result.rules[known]
        let inherited = models[place.model].rules[place.index]
        guard ancestor == index, place.model != index,
          inherited.condition != rule.condition
            || inherited.sentence?.value != rule.sentence?.value
        else { continue }
        let owner = models[place.model]
        report(
          DeclarationDiagnostic.inheritedDifferently,
          "the rule '\(rule.name.value)' is inherited from '\(owner.name.value)' and declared "
            + "differently here", at: rule.name.range, in: models[index].file,
          labels: [
            label(
              "'\(owner.name.value)' declares it here", at: inherited.name.range, in: owner.file)
          ],
          help: "remove it here, repeat it exactly, or rename it")
      }
    }
  }

  func schemaRules(of resolved: ResolvedModel) -> [ModelRule] {
    resolved.rules.compactMap { place in
      let rule = models[place.model].rules[place.index]
      return rule.condition.map {
        ModelRule(
          name: rule.name.value, condition: $0.text, sentence: rule.sentence?.value)
      }
    }
  }

  /// Each condition is typed where it is declared, and for each model that inherits it: inverses are not inherited.
  mutating func checkRules(of schema: Schema) {
    // What is unknown elsewhere has been told there.
    guard diagnostics.errorCount == 0 else { return }
    let heirs = heirs(in: schema)
    for declared in models where !declared.rules.isEmpty {
      guard let model = schema.model(named: declared.name.value) else { continue }
      for rule in declared.rules {
        guard let condition = rule.condition, let text = rule.text else { continue }
        for error in condition.problemsAsRule(in: schema, of: model) {
          let place = text.scalar.place(of: error.range, at: text.range, in: files[declared.file])
          diagnostics.report(
            Diagnostic(
              code: error.code, rule: error.rule.name, severity: .error, message: error.message,
              span: files[declared.file].span(place), help: error.help))
        }
        guard diagnostics.errorCount == 0 else { continue }
        let key = RuleKey(name: rule.name.value, condition: condition.text)
        for heir in heirs[key] ?? [] {
          guard let error = condition.problemsAsRule(in: schema, of: heir).first else { continue }
          let place = text.scalar.place(of: error.range, at: text.range, in: files[declared.file])
          diagnostics.report(
            Diagnostic(
              code: error.code, rule: error.rule.name, severity: .error,
              message: "'\(heir.name)' inherits the rule, and \(error.message)",
              span: files[declared.file].span(place),
              help:
                "inverses are not inherited; declare the rule in models that nothing extends"))
        }
      }
    }
  }

  private struct RuleKey: Hashable {
    let name: String
    let condition: String
  }

  /// The models that have a rule without declaring it, by rule.
  private func heirs(in schema: Schema) -> [RuleKey: [Model]] {
    var declared: [String: Set<String>] = [:]
    for model in models where !model.rules.isEmpty {
      declared[model.name.value, default: []].formUnion(model.rules.map(\.name.value))
    }
    var heirs: [RuleKey: [Model]] = [:]
    for model in schema.models where !model.rules.isEmpty {
      let own = declared[model.name] ?? []
      for rule in model.rules where !own.contains(rule.name) {
        heirs[RuleKey(name: rule.name, condition: rule.condition), default: []].append(model)
      }
    }
    return heirs
  }
}
