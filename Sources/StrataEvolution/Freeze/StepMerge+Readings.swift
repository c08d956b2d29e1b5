import StrataExpression
import StrataHistory
import StrataSchema

// What a step of ours reads by names that may stand for something else where theirs ends.

extension StepMerge {
  /// Names of the first version of some steps that stand for something else in their last one: what they stood for was renamed or given
  /// up, and the name is there again.
  static func reusedNames(
    over steps: [(older: Schema, newer: Schema, step: MigrationStep?)]
  ) -> Set<SchemaPath> {
    guard let first = steps.first?.older, let last = steps.last?.newer else { return [] }
    let correspondence = StepChain(steps).correspondence
    let renames = correspondence.renames
    var names: Set<SchemaPath> = []
    for model in first.storedModels {
      guard let other = last.model(named: model.name), !other.isAbstract else { continue }
      let path = SchemaPath(model.name)
      let isOther =
        (renames.models[model.name] ?? model.name) != model.name
        || correspondence.dropped.contains(path)
      if isOther { names.insert(path) }
      for property in model.storedProperties where other.property(named: property.name) != nil {
        let path = SchemaPath(model.name, property.name)
        if isOther || (renames.properties[path] ?? property.name) != property.name
          || correspondence.dropped.contains(path)
        {
          names.insert(path)
        }
      }
    }
    return names
  }

  /// Refuses a step that reads, or gives a value to, what theirs has given another meaning: `check` finds that name, and the data
  /// of something else would be taken for ours.
  ///
  /// - Parameters:
  ///   - step: without what theirs has done.
  ///   - blocks: the Swift files of our version, whose words are all that is known of what they read.
  func checkReadings(of step: MigrationStep, blocks: [[UInt8]]) throws(FreezeError) {
    let reused = Self.reusedNames(over: steps).filter { has($0, in: base) }
    guard !reused.isEmpty else { return }
    let read = StepReadings(step, from: base, blocks: blocks)
    guard let path = reused.sorted().first(where: read.mayRead) else { return }
    throw Self.conflict("our step reads '\(path)', and theirs gives that name to something else")
  }
}

/// The models and properties that a step speaks of, by their names before it.
struct StepReadings {
  private let step: MigrationStep
  private let base: Schema
  private var paths: Set<SchemaPath> = []
  /// Properties of models that a path leads to, whichever those are.
  private var names: Set<String> = []
  /// Models behind `swift:`, by their old names.
  private var blockModels: Set<String> = []
  /// Names and texts of the Swift files.
  private var words: Set<String> = []

  init(_ step: MigrationStep, from base: Schema, blocks: [[UInt8]]) {
    self.step = step
    self.base = base
    for (model, values) in step.set {
      for (property, value) in values {
        addNew(property, of: model)
        add(value, of: step.renames.oldModel(of: model, in: base)?.name, isOld: true)
      }
    }
    for (model, condition) in step.delete {
      paths.insert(SchemaPath(model))
      add(condition, of: model, isOld: true)
    }
    for (model, rule) in step.deduplicate {
      paths.insert(SchemaPath(model))
      paths.formUnion(rule.properties.map { SchemaPath(model, $0) })
    }
    for (model, values) in step.back {
      let new = step.renames.models[model] ?? model
      for (property, value) in values {
        paths.insert(SchemaPath(model, property))
        add(value, of: new, isOld: false)
      }
    }
    for (path, repair) in step.repair {
      for (property, value) in repair.set {
        addNew(property, of: path.model)
        add(value, of: path.model, isOld: false)
      }
      if let condition = repair.delete { add(condition, of: path.model, isOld: false) }
    }
    for model in step.swiftModels {
      if let old = step.renames.oldModel(of: model, in: base) { blockModels.insert(old.name) }
    }
    for token in blocks.flatMap({ SwiftLexer.tokens(of: $0) }) where token.kind != .sign {
      words.insert(token.text)
    }
  }

  func mayRead(_ path: SchemaPath) -> Bool {
    if paths.contains(path) || blockModels.contains(path.model) { return true }
    guard let property = path.property else { return words.contains(path.model) }
    return names.contains(property) || words.contains(property)
      || step.renames.properties[path].map(names.contains) ?? false
  }

  /// A property of the newer version, by the name of what it continues.
  private mutating func addNew(_ property: String, of model: String) {
    guard let old = step.renames.oldModel(of: model, in: base) else { return }
    paths.insert(SchemaPath(old.name))
    if let name = step.renames.oldProperty(of: property, in: old)?.name {
      paths.insert(SchemaPath(old.name, name))
    }
  }

  /// - Parameters:
  ///   - model: what the expression is about; nil where that is nothing old.
  ///   - isOld: whether the expression is over the object before the step.
  private mutating func add(_ expression: Expression, of model: String?, isOld: Bool) {
    switch expression.kind {
    case .member(let object, let name):
      if isOwn(object) {
        if let model, isOld { paths.insert(SchemaPath(model, name)) }
        if let model, !isOld { addNew(name, of: model) }
      } else {
        names.insert(name)
      }
    case .lookup(let target, _):
      if case .member(_, let name) = target.kind { paths.insert(SchemaPath(name)) }
    default: break
    }
    for child in expression.children { add(child, of: model, isOld: isOld) }
  }

  /// Whether an expression is the object itself, and no variable of a subquery.
  private func isOwn(_ object: Expression) -> Bool {
    switch object.kind {
    case .object(.variable): false
    case .object: true
    default: false
    }
  }
}
