import StrataExpression
package import StrataSchema

/// How what is changed in a version goes back over its step, as far as the step alone says it.
package struct StepReturn: Hashable, Sendable {
  package enum Way: String, Hashable, Sendable {
    /// Renames, copies and conversions that lose nothing.
    case byItself
    /// An expression or a block says something of it.
    case withBack
    /// Some changes cannot go back.
    case loses
  }

  /// The version that the step reaches.
  package let to: Int
  /// New models and properties of which the older version has nothing.
  package private(set) var losses: [SchemaPath] = []
  /// New properties that `back:` takes back.
  package private(set) var said: [SchemaPath] = []
  /// New properties that hold values which the older version does not have; all others go back.
  package private(set) var narrower: [SchemaPath] = []

  package var way: Way { losses.isEmpty ? said.isEmpty ? .byItself : .withBack : .loses }

  /// - Parameter blockSaysBack: whether the version's Swift block has a `step.back`.
  package init(older: Schema, newer: Schema, step: MigrationStep?, blockSaysBack: Bool) {
    to = newer.version
    let step = step ?? MigrationStep(to: newer.version)
    for model in newer.storedModels {
      guard let old = step.renames.oldModel(of: model.name, in: older), !old.isAbstract else {
        losses.append(SchemaPath(model.name))
        continue
      }
      let inBlock = step.swiftModels.contains(model.name)
      let read = Set(
        (step.back[old.name] ?? [:]).values.flatMap(\.readPaths).compactMap {
          $0.root == .new ? $0.names.first : nil
        })
      for property in model.storedProperties {
        judge(
          property, in: model, from: old, (older, newer), step,
          isSaid: read.contains(property.name) || inBlock && blockSaysBack,
          isWorkedOut: step.set[model.name]?[property.name] != nil)
      }
    }
  }

  private mutating func judge(
    _ property: Property, in model: Model, from old: Model,
    _ versions: (older: Schema, newer: Schema), _ step: MigrationStep, isSaid: Bool,
    isWorkedOut: Bool
  ) {
    let path = SchemaPath(model.name, property.name)
    let before = step.renames.oldProperty(of: property.name, in: old)
    guard !isWorkedOut, let before, before.isStored,
      let pair = TypePair(before, in: versions.older, property, in: versions.newer),
      pair.isCarriedOver, property.type.isCollection || !before.type.isCollection
    else {
      if isSaid { said.append(path) } else { losses.append(path) }
      return
    }
    let wasOptional = before.type.valueType?.isOptional ?? true
    let isOptional = property.type.valueType?.isOptional ?? true
    let isSame =
      pair.relation == .same && before.type.isCollection == property.type.isCollection
    if !isSame || isOptional && !wasOptional { narrower.append(path) }
  }
}

extension TypePair {
  /// The pair of two properties' values or elements; nil where one has none.
  fileprivate init?(_ old: Property, in older: Schema, _ new: Property, in newer: Schema) {
    guard let source = old.type.valueType, let target = new.type.valueType else { return nil }
    self.init(older.storedType(of: source.base), newer.storedType(of: target.base))
  }
}

extension StepReturn {
  /// For people: `step 5 goes back by itself`.
  package var text: String {
    func list(_ paths: [SchemaPath]) -> String {
      paths.map(\.description).joined(separator: ", ")
    }
    var text = "step \(to): "
    switch way {
    case .byItself: text += "back by itself"
    case .withBack: text += "back with `back:` (\(list(said)))"
    case .loses:
      text += "loses \(list(losses))"
      if !said.isEmpty { text += "; back with `back:`: \(list(said))" }
    }
    if !narrower.isEmpty { text += "; values that version \(to - 1) has not: \(list(narrower))" }
    return text
  }

  package var json: JSON {
    func list(_ paths: [SchemaPath]) -> JSON { .array(paths.map { .string($0.description) }) }
    return .object([
      "to": .int(Int64(to)), "back": .string(way.rawValue), "loses": list(losses),
      "said": list(said), "narrower": list(narrower),
    ])
  }
}
