import StrataExpression
import StrataHistory
import StrataSchema

/// How one version's objects become the next version's, worked out once before any row is read.
///
/// A class, as its parts are: every object that is upgraded looks at them, and a copy would cost more than the look.
final class Transition {
  let source: Schema
  let target: Schema
  let step: MigrationStep
  /// The step's date and what stands in for chance, the same on every path.
  let environment: StepEnvironment
  /// The Swift block, where the version has one.
  let block: Step?
  let form: UpgradeForm
  /// One for each stored model of the target, in its order.
  let models: [ModelTransition]
  /// The position in `models` by the name in the source.
  private let continuing: [String: Int]

  init(
    from older: FrozenVersion, to newer: FrozenVersion, block: Step?, form: UpgradeForm = .steps
  ) throws {
    source = older.schema
    target = newer.schema
    step = newer.step ?? MigrationStep(to: newer.number)
    self.form = form
    environment = StepEnvironment(
      version: newer.number, date: newer.date, renamedModels: step.renames.models)
    self.block = block
    if step.hasBlock && block == nil {
      throw MigrationError(
        .blockMissing,
        """
        Version \(newer.number) of \(newer.schema.name) is reached by a Swift block, which this \
        program does not have. Blocks are compiled: run the upgrade with the app itself, or with a \
        tool of your own: an executable target whose main.swift is
            import \(newer.schema.name)Migrations
            import StrataCLI
            StrataCLI.main(migrations: \(newer.schema.name)Migrations.self)
        """, version: newer.number)
    }
    let (source, target, step) = (source, target, step)
    models = try target.storedModels.map {
      try ModelTransition(target: $0, from: source, to: target, step: step, form: form)
    }
    continuing = Dictionary(
      models.enumerated().compactMap { index, model in model.source.map { ($0.name, index) } }
    ) { first, _ in first }
  }

  /// Whether a file of an earlier shape of the version is brought to the declared one, which no step leads to.
  var isReshaping: Bool { source.version == target.version }

  /// The models of the source that no model of the target continues.
  var endedModels: [Model] {
    let continued = Set(models.compactMap { $0.source?.name })
    return source.storedModels.filter { !continued.contains($0.name) }
  }

  func model(named name: String) -> ModelTransition? {
    models.binarySearch(name, by: \.target.name).map { models[$0] }
  }

  /// The first model of the target that continues one of the source.
  func model(continuing name: String) -> ModelTransition? { continuing[name].map { models[$0] } }

  /// Whether the declarative part looks at one object at a time and keeps all of them, so that the step can be fused
  /// with its neighbours. A Swift block is judged apart, by running it.
  var isDeclarativelyLocal: Bool {
    step.repair.isEmpty && isLocalButForRepairs
  }

  /// The same, whatever the step says of objects that break rules.
  var isLocalButForRepairs: Bool {
    step.delete.isEmpty && step.deduplicate.isEmpty && models.allSatisfy(\.isLocal)
      && !endedModels.contains { $0.ownsObjects(in: source) } && !endsObjectsInAny
  }

  /// Whether objects go to which a value of type `any` may lead: each has to be looked at, and an element leaves its collection.
  private var endsObjectsInAny: Bool {
    endedModels.contains { !$0.isEmbedded }
      && models.contains { model in
        model.source != nil
          && model.properties.contains {
            $0.property.type.valueType.map { target.storedType(of: $0.base) } == .scalar(.any)
          }
      }
  }
}

/// How one model's objects become those of the next version.
final class ModelTransition {
  let target: Model
  /// The model that continues as `target`; nil for a new one.
  let source: Model?
  /// For each stored property of the target, in the order of `target.storedProperties`.
  let properties: [PropertyTransition]

  /// What becomes of a stored property of the target.
  func property(named name: String) -> PropertyTransition? {
    properties.first { $0.property.name == name }
  }

  /// Whether nothing but the object itself is looked at, collections are copied whole or not at all, and no
  /// embedded object loses its owner.
  var isLocal: Bool { properties.allSatisfy(\.isLocal) && !changesOwners }

  /// Whether objects may be left without an owner, or with two: those of a property that is gone, and those of a model
  /// that has become embedded.
  let changesOwners: Bool

  init(
    target: Model, from older: Schema, to newer: Schema, step: MigrationStep, form: UpgradeForm
  ) throws {
    self.target = target
    let source = step.renames.oldModel(of: target.name, in: older)
    self.source = source.flatMap { $0.isAbstract ? nil : $0 }
    let expressions = step.set[target.name] ?? [:]
    properties = try target.storedProperties.map { property in
      let old = source.flatMap { step.renames.oldProperty(of: property.name, in: $0) }
        .flatMap { $0.isStored ? $0 : nil }
      return try PropertyTransition(
        property: property, old: old, expression: expressions[property.name], model: target,
        sourceModel: source, from: older, to: newer, step: step, form: form)
    }
    let continued = Set(
      properties.compactMap { property -> String? in
        if case .copied(let old, _) = property.origin { return old.name }
        return nil
      })
    changesOwners =
      source.map { source in
        !source.isEmbedded && target.isEmbedded
          || source.storedProperties.contains {
            !continued.contains($0.name) && $0.owns(in: older)
          }
      } ?? false
  }
}

extension Property {
  /// Whether the property holds embedded objects.
  func owns(in schema: Schema) -> Bool {
    isStored && (type.linkedModel.flatMap { schema.model(named: $0) }?.isEmbedded ?? false)
  }
}

extension Model {
  /// Whether objects of the model own others.
  func ownsObjects(in schema: Schema) -> Bool { storedProperties.contains { $0.owns(in: schema) } }
}

/// Where one property's value comes from.
final class PropertyTransition {
  enum Origin {
    /// The value of this old property, given its new form.
    case copied(Property, ValueConversion)
    /// The same for every object: the declared default, null, or an empty collection.
    case constant(Value)
    /// Made for each object from the step's date or the object's identity.
    case generated(Property.Generator)
    /// Worked out from the old object.
    case expression(ResolvedExpression)
  }

  let property: Property
  let origin: Origin
  /// Whether the column refuses null.
  let isRequired: Bool
  /// What a null becomes in a property that has become required.
  let valueForNull: Value?

  init(
    property: Property, old: Property?, expression: Expression?, model: Model,
    sourceModel: Model?, from older: Schema, to newer: Schema, step: MigrationStep,
    form: UpgradeForm
  ) throws {
    let version = step.to
    self.property = property
    isRequired = property.isRequiredColumn
    if let expression {
      valueForNull = nil
      guard let sourceModel else {
        throw MigrationError(
          .brokenHistory,
          """
          The step to version \(version) sets \(model.name).\(property.name) from the old object, \
          but \(model.name) is new in that version and has no old objects.
          """, version: version, model: model.name)
      }
      do {
        origin = .expression(
          try ResolvedExpression(
            expression, in: older, of: sourceModel, for: .step,
            assignedTo: AssignmentTarget(
              property, in: newer, renames: step.renames, deleting: step.delete[sourceModel.name])))
      } catch {
        throw MigrationError(
          .brokenHistory,
          """
          The step to version \(version) sets \(model.name).\(property.name) with an expression \
          that version \(older.version) does not fit: \(error.sentence).
          """, version: version, model: model.name)
      }
    } else if let old,
      let conversion = ValueConversion(
        from: old, in: older, to: property, in: newer, renames: step.renames),
      Self.leadsToSameModel(old, property, from: older, step.renames)
    {
      origin = .copied(old, conversion)
      valueForNull = property.defaultValue
    } else {
      valueForNull = nil
      if let generator = property.generate {
        origin = .generated(generator)
      } else {
        origin = .constant(form.value(ofNew: property, in: newer))
      }
    }
  }

  /// Whether a link continues: the model that it leads to has to be the same, whatever it is called.
  private static func leadsToSameModel(
    _ old: Property, _ new: Property, from older: Schema, _ renames: Renames
  ) -> Bool {
    guard let target = new.type.linkedModel else { return true }
    return renames.oldModel(of: target, in: older)?.name == old.type.linkedModel
  }

  /// Whether nil becomes the declared default.
  var replacesNil: Bool {
    guard isRequired, let valueForNull, !valueForNull.isNull, case .copied(let old, _) = origin
    else { return false }
    return !old.isRequiredColumn
  }

  /// Whether elements may be nil that were optional and are required now: the version has to look for one.
  var refusesNilElements: Bool {
    guard case .copied(let old, _) = origin, old.type.isCollection, let before = old.type.valueType,
      let now = property.type.valueType
    else { return false }
    return before.isOptional && !now.isOptional && now.base != .scalar(.any)
  }

  var isLocal: Bool {
    if refusesNilElements { return false }
    switch origin {
    case .copied(let old, let conversion):
      // A collection is copied as a table of its own; only a value that becomes one needs a look at each object.
      return conversion == .none || (!old.type.isCollection && !property.type.isCollection)
    case .constant, .generated: return true
    case .expression(let expression): return expression.isLocal && !property.type.isCollection
    }
  }
}

extension Property {
  /// Whether the property is a column that refuses null.
  package var isRequiredColumn: Bool {
    guard case .value(let type) = type else { return false }
    return !type.isOptional && type.base != .scalar(.any)
  }
}

extension ExpressionErrors {
  /// The first of them, for a sentence.
  var sentence: String { errors.first?.message ?? "it has an error" }
}
