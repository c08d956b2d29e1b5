import StrataExpression
import StrataHistory
import StrataSchema
import StrataSource

/// Whether what a step names is there: old names in the older version, new ones in the newer.
struct StepCheck {
  let pair: CheckedPair
  private(set) var findings: [(Rule, Finding)] = []

  init(_ pair: CheckedPair) {
    self.pair = pair
    guard let step = pair.newer.step else { return }
    checkRenames(step)
    checkSet(step)
    checkBack(step)
    checkOld(step)
    checkRepairs(step)
    findings += pair.mergedLinkFindings.map { (.uniqueAdded, $0) }
    for model in step.step.swiftModels.sorted() {
      guard old.model(named: model) == nil, new.model(named: model) == nil else { continue }
      report(
        "no model is called '\(model)' before or after the step", step.places[.swift(model)],
        [old, new], model)
    }
  }

  private var old: Schema { pair.older.schema }
  private var new: Schema { pair.newer.schema }

  private mutating func report(
    _ message: String, _ span: SourceSpan?, _ schemas: [Schema], _ model: String
  ) {
    let names = schemas.flatMap { $0.models.map(\.name) }
    let help = NearestName.question(model, among: names)
    findings.append((.stepNamesUnknown, Finding(message, at: span, help: help)))
  }

  private mutating func report(
    _ message: String, _ span: SourceSpan?, _ model: Model, _ property: String
  ) {
    let help = NearestName.question(property, among: model.properties.map(\.name))
    findings.append((.stepNamesUnknown, Finding(message, at: span, help: help)))
  }

  /// Whether an old model or property is there.
  @discardableResult
  private mutating func requireOld(_ path: SchemaPath, _ span: SourceSpan?) -> Bool {
    guard let model = old.model(named: path.model) else {
      report("version \(old.version) has no model '\(path.model)'", span, [old], path.model)
      return false
    }
    guard let name = path.property else { return true }
    guard model.property(named: name) != nil else {
      report(
        "'\(path.model)' of version \(old.version) has no property '\(name)'", span, model, name)
      return false
    }
    return true
  }

  /// Says that a model is abstract: what a step says of its objects is said of none. A sealed step that does nothing stays.
  private mutating func requireObjects(
    of model: Model, in schema: Schema, _ span: SourceSpan?
  ) {
    guard model.isAbstract, pair.isOpen else { return }
    let extending = concreteModels(below: model, in: schema).sorted()
    findings.append(
      (
        .stepNamesUnknown,
        Finding(
          "'\(model.name)' is abstract and has no objects", at: span,
          help: extending.isEmpty ? nil : "say it of \(extending.joined(separator: " and "))")
      ))
  }

  /// The models with objects that have everything that an abstract one declares, directly or by others between.
  private func concreteModels(below model: Model, in schema: Schema) -> [String] {
    var found: Set<String> = []
    var parents: Set<String> = [model.name]
    while !parents.isEmpty {
      let children = schema.models.filter { child in
        child.extends.map { parents.contains($0) } ?? false && !found.contains(child.name)
      }
      found.formUnion(children.map(\.name))
      parents = Set(children.map(\.name))
    }
    return schema.models.filter { found.contains($0.name) && !$0.isAbstract }.map(\.name)
  }

  private mutating func checkRenames(_ step: CheckedStep) {
    for (from, to) in step.step.renames.models.sorted(by: { $0.key < $1.key }) {
      let path = SchemaPath(from)
      guard requireOld(path, step.places[.renamed(path)]) else { continue }
      if new.model(named: to) == nil {
        report(
          "version \(new.version) has no model '\(to)'", step.places[.newName(path)], [new], to)
      } else if let stays = new.model(named: from), !stays.isAbstract,
        !step.step.renames.models.values.contains(from)
      {
        objectsStay(path, step)
      }
    }
    for (path, to) in step.step.renames.properties.sorted(by: { $0.key < $1.key }) {
      guard requireOld(path, step.places[.renamed(path)]) else { continue }
      let name = step.step.renames.models[path.model] ?? path.model
      guard let model = new.model(named: name) else {
        report(
          "'\(path.model)' is gone, so that '\(path)' becomes nothing", step.places[.renamed(path)],
          [new], name)
        continue
      }
      if model.property(named: to) == nil {
        report(
          "'\(name)' of version \(new.version) has no property '\(to)'",
          step.places[.newName(path)], model, to)
      }
    }
  }

  /// The new model of an old name that another one took over is a new model.
  private mutating func objectsStay(_ path: SchemaPath, _ step: CheckedStep) {
    findings.append(
      (
        .stepNamesUnknown,
        Finding(
          "'\(path)' is still there, and its objects would go to the renamed one",
          at: step.places[.renamed(path)], help: "remove the rename, or the model")
      ))
  }

  private mutating func checkSet(_ step: CheckedStep) {
    for (name, properties) in step.step.set.sorted(by: { $0.key < $1.key }) {
      guard let model = new.model(named: name) else {
        report(
          "version \(new.version) has no model '\(name)'", step.places[.set(SchemaPath(name))],
          [new], name)
        continue
      }
      requireObjects(of: model, in: new, step.places[.set(SchemaPath(name))])
      for property in properties.keys.sorted() {
        let span = step.places[.set(SchemaPath(name, property))]
        guard let found = model.property(named: property) else {
          report(
            "'\(name)' of version \(new.version) has no property '\(property)'", span, model,
            property)
          continue
        }
        if found.isIgnored, pair.isOpen {
          findings.append(
            (
              .stepNamesUnknown,
              Finding(
                "'\(name).\(property)' is ignored, so that no file has it", at: span,
                help: "remove it from 'set'")
            ))
        }
      }
    }
  }

  private mutating func checkBack(_ step: CheckedStep) {
    for (name, properties) in step.step.back.sorted(by: { $0.key < $1.key }) {
      let path = SchemaPath(name)
      guard requireOld(path, step.places[.back(path)]) else { continue }
      if let model = old.model(named: name), model.isAbstract {
        requireObjects(of: model, in: old, step.places[.back(path)])
      } else if step.step.newModel(of: name, in: old, to: new) == nil {
        findings.append(
          (
            .stepNamesUnknown,
            Finding(
              "'\(name)' is gone in version \(new.version), so that none of its objects goes back",
              at: step.places[.back(path)], help: "remove it from 'back'")
          ))
      }
      for property in properties.keys.sorted() {
        requireOld(SchemaPath(name, property), step.places[.back(SchemaPath(name, property))])
      }
    }
  }

  private mutating func checkRepairs(_ step: CheckedStep) {
    for (path, repair) in step.step.repair.sorted(by: { $0.key < $1.key }) {
      let span = step.places[.repair(path)]
      guard let model = new.model(named: path.model) else {
        report("version \(new.version) has no model '\(path.model)'", span, [new], path.model)
        continue
      }
      requireObjects(of: model, in: new, span)
      let rule = path.property ?? ""
      if model.rule(named: rule) == nil {
        findings.append(
          (
            .stepNamesUnknown,
            Finding(
              "'\(path.model)' of version \(new.version) has no rule '\(rule)'", at: span,
              help: NearestName.question(rule, among: model.rules.map(\.name)))
          ))
      }
      for property in repair.set.keys.sorted() {
        let place = step.places.expression(.repair(path, property: property), 0..<0) ?? span
        guard let found = model.property(named: property) else {
          report(
            "'\(path.model)' of version \(new.version) has no property '\(property)'", place,
            model, property)
          continue
        }
        if found.type.isCollection || !found.isStored {
          findings.append(
            (
              .stepNamesUnknown,
              Finding(
                "a repair sets values and links, and '\(path.model).\(property)' is \(found.type.spelling)",
                at: place, help: "delete the objects, or change the collection in a Swift block")
            ))
        }
      }
    }
  }

  private mutating func checkOld(_ step: CheckedStep) {
    for name in step.step.delete.keys.sorted() {
      let span = step.places[.delete(name)]
      guard requireOld(SchemaPath(name), span), let model = old.model(named: name) else { continue }
      requireObjects(of: model, in: old, span)
    }
    for (name, rule) in step.step.deduplicate.sorted(by: { $0.key < $1.key }) {
      checkDeduplication(rule, of: name, step)
    }
    for path in step.step.drop.sorted() {
      guard requireOld(path, step.places[.drop(path)]) else { continue }
      let isThere =
        path.property == nil
        ? step.step.renames.models[path.model] == nil
          && step.step.newModel(of: path.model, in: old, to: new).map { !$0.isAbstract } ?? false
        : continues(path)
      if isThere {
        findings.append(
          (
            .stepNamesUnknown,
            Finding(
              "'\(path)' is dropped and still there", at: step.places[.drop(path)],
              help: "remove it from 'drop', or from the declarations")
          ))
      }
    }
  }

  private mutating func checkDeduplication(
    _ rule: Deduplication, of name: String, _ step: CheckedStep
  ) {
    let span = step.places[.deduplicate(name)]
    guard requireOld(SchemaPath(name), span), let model = old.model(named: name) else { return }
    requireObjects(of: model, in: old, span)
    if rule.properties.isEmpty {
      findings.append(
        (
          .stepNamesUnknown,
          Finding(
            "'\(name)' does not say what equal objects share", at: span,
            help: "name it: 'by: [property]'")
        ))
    }
    for property in rule.properties {
      let path = SchemaPath(name, property)
      let span = step.places[.deduplicateBy(path)]
      guard requireOld(path, span), let found = model.property(named: property) else { continue }
      let target = found.type.linkedModel.flatMap { old.model(named: $0) }
      let problem: String? =
        if !found.isStored || found.type.isCollection {
          "objects are compared by values and links, and '\(path)' is "
            + (found.isIgnored ? "ignored" : found.type.spelling)
        } else if target?.isEmbedded == true {
          "no two objects have the same '\(path)', because what is embedded belongs to one of them"
        } else {
          nil
        }
      if let problem { findings.append((.stepNamesUnknown, Finding(problem, at: span))) }
    }
  }

  private func continues(_ path: SchemaPath) -> Bool {
    let renames = pair.step?.renames ?? Renames()
    guard let name = path.property, renames.properties[path] == nil,
      let model = new.model(named: renames.models[path.model] ?? path.model),
      let before = old.model(named: path.model), let property = model.property(named: name),
      renames.oldProperty(of: name, in: before)?.name == name
    else { return false }
    return property.isStored
  }
}
