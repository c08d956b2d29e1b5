import StrataExpression
import StrataHistory
import StrataSchema

@testable import Strata

/// A history made by chance: two models, an embedded one, and in each version a change or two to each of them, by a step and
/// by blocks.
struct GeneratedChain {
  private(set) var random: StepRandom
  private(set) var models: [Model] = []
  /// The models as the version before has them.
  private var before: [Model] = []
  private var names = 0
  /// By model, names that were given up and may come back as something else.
  private var retired: [String: [String]] = [:]
  private var blocks: [Step] = []
  /// Whether a block has created objects. Which of them is the first depends on the order then, and so does what stays of
  /// duplicates.
  private var hasCreated = false

  init(seed: UInt64) { random = StepRandom(seed: seed &+ 1) }

  mutating func pick(_ count: Int) -> Int { Int(random.next() % UInt64(max(1, count))) }

  private mutating func newName(_ prefix: String) -> String {
    names += 1
    return "\(prefix)\(names)"
  }

  mutating func target() -> UpgradeTarget {
    models = [
      Model(
        name: "First",
        properties: (0..<3).map { _ in scalar() } + [
          .optional("about", .any), .link("home", to: "Part"), .link("other", to: "Second"),
          Property(name: "parts", type: .list(ValueType(.object("Part")))),
          Property(name: "scores", type: .map(ValueType(.scalar(.int32)))),
        ]),
      Model(name: "Part", isEmbedded: true, properties: (0..<2).map { _ in scalar() }),
      Model(
        name: "Second",
        properties: (0..<3).map { _ in scalar() } + [
          .list("firsts", of: "First"), .link("part", to: "Part"),
          Property(name: "tags", type: .set(ValueType(.scalar(.string)))),
        ]),
    ]
    var versions: [(date: String, schema: Schema, step: MigrationStep?)] = [
      ("2026-01-01", schema(0), nil)
    ]
    for version in 1...(2 + pick(3)) {
      var step = MigrationStep(to: version)
      before = models
      if pick(8) == 0 { renameModel(pick(models.count), &step) }
      for index in models.indices { change(index, &step) }
      if pick(3) == 0 { addBlock(&step) }
      versions.append(("2026-01-01", schema(version), step))
    }
    return UpgradeTarget(history: .chained("Chain", versions), steps: blocks)
  }

  private func schema(_ version: Int) -> Schema {
    Schema(name: "Chain", version: version, models: models.sorted { $0.name < $1.name })
  }

  // MARK: - Declarations

  private mutating func scalar() -> Property {
    let type: ScalarType = [.int, .int32, .int8, .string, .string, .double, .bool, .date][pick(8)]
    let name = newName("p")
    return pick(2) == 0 ? .optional(name, type) : .required(name, type)
  }

  private func with(_ property: Property, optional: Bool, default value: Value? = nil) -> Property {
    var property = property
    if case .value(var type) = property.type {
      type.isOptional = optional
      property.type = .value(type)
      if !optional { property.defaultValue = value }
    }
    return property
  }

  /// A name of its own, or one that was given up.
  private mutating func name(_ prefix: String, in model: String) -> String {
    if pick(2) == 0, let name = retired[model]?.popLast() { return name }
    return newName(prefix)
  }

  /// Gives a model another name, or exchanges two.
  private mutating func renameModel(_ index: Int, _ step: inout MigrationStep) {
    var names: [String: String] = [:]
    if pick(2) == 0 {
      names[models[index].name] = newName("M")
    } else {
      let other = (index + 1 + pick(models.count - 1)) % models.count
      names[models[index].name] = models[other].name
      names[models[other].name] = models[index].name
    }
    step.renames.models = names
    models = models.map { model in
      Model(
        name: names[model.name] ?? model.name, isEmbedded: model.isEmbedded,
        properties: model.properties.map { property in
          var property = property
          property.type = property.type.renaming(names)
          return property
        })
    }
    retired = [:]
  }

  // MARK: - Steps

  /// One change to one model.
  private mutating func change(_ index: Int, _ step: inout MigrationStep) {
    let (model, old) = (models[index], before[index])
    let scalars = model.properties.filter { $0.type.isScalar }
    guard !scalars.isEmpty else { return }
    let property = scalars[pick(scalars.count)]
    let kind = pick(24)
    let properties =
      kind < 12
      ? changed(property, model, old, kind, &step)
      : changedBeyond(property, model, old, kind, &step)
    models[index] = Model(name: model.name, isEmbedded: model.isEmbedded, properties: properties)
  }

  /// A change to one scalar property.
  private mutating func changed(
    _ property: Property, _ model: Model, _ old: Model, _ kind: Int, _ step: inout MigrationStep
  ) -> [Property] {
    let scalar = property.type.valueType?.base.scalar ?? .string
    let isOptional = property.type.valueType?.isOptional ?? false
    let path = SchemaPath(old.name, property.name)
    let others = model.properties.filter { $0.name != property.name }
    switch kind {
    case 0:
      return model.properties + [
        .required(name("d", in: model.name), .string, default: .string("new"))
      ]
    case 1 where others.contains { $0.type.isScalar }:
      step.drop.insert(path)
      retired[model.name, default: []].append(property.name)
      return others
    case 2:
      var renamed = property
      renamed.name = newName("r")
      step.renames.properties[path] = renamed.name
      return others + [renamed]
    case 3: return others + [with(property, optional: true)]
    // Refused where a value is missing, except where there is a default.
    case 4: return others + [with(property, optional: false)]
    case 5:
      return others + [with(property, optional: false, default: scalar.simpleValue)]
    case 6 where scalar.isInteger:
      var wider = property
      let type: ScalarType = scalar == .int ? .string : .double
      wider.type = .value(ValueType(.scalar(type), isOptional: isOptional))
      wider.defaultValue = nil
      wider.isUnique = false
      return others + [wider]
    case 7:
      let value =
        isOptional && scalar == .string ? "(old.\(property.name) ?? '')" : "old.\(property.name)"
      let text = scalar == .string ? "\(value) + '!'" : "string(\(value))"
      let name = name("s", in: model.name)
      let isSure = scalar == .string || !isOptional
      step.set[model.name, default: [:]][name] = expression(isSure ? text : "\(text) ?? 'none'")
      return model.properties + [.required(name, .string, default: .string(""))]
    case 8 where scalar == .int:
      // Refused where it overflows.
      let name = newName("o")
      step.set[model.name, default: [:]][name] = expression("old.\(property.name) + 1")
      return model.properties + [.optional(name, .int)]
    case 9 where scalar.isInteger:
      step.delete[old.name] = expression("old.\(property.name) < 0")
      return model.properties
    case 10 where !hasCreated:
      step.deduplicate[old.name] = Deduplication(
        properties: [property.name], keep: pick(2) == 0 ? .first : .last)
      return model.properties
    case 11 where scalar == .string || scalar.isInteger:
      // Refused where two have the same, except where they become one.
      var unique = property
      unique.isUnique = true
      if pick(2) == 0, !hasCreated {
        step.deduplicate[old.name] = Deduplication(properties: [property.name], keep: .first)
      }
      return others + [unique]
    default: return model.properties
    }
  }

  /// A change that concerns links, collections, or several properties.
  private mutating func changedBeyond(
    _ property: Property, _ model: Model, _ old: Model, _ kind: Int, _ step: inout MigrationStep
  ) -> [Property] {
    let all = model.properties
    let links = old.properties.filter { $0.type.linkedModel != nil && !$0.type.isCollection }
    let collections = all.filter(\.type.isCollection)
    switch kind {
    case 12 where all.count > 1:
      // Two exchange their names.
      let other = all[(all.firstIndex(of: property) ?? 0) == 0 ? 1 : 0]
      step.renames.properties[SchemaPath(old.name, property.name)] = other.name
      step.renames.properties[SchemaPath(old.name, other.name)] = property.name
      var (a, b) = (property, other)
      (a.name, b.name) = (other.name, property.name)
      return all.filter { $0.name != a.name && $0.name != b.name } + [a, b]
    case 13, 14:
      // Along a link, or the first of a list.
      guard
        let link = (links + old.properties.filter(\.type.isListOfObjects)).randomElement(&random),
        let target = before.first(where: { $0.name == link.type.linkedModel }),
        let found = target.properties.filter({ $0.type.isScalar }).randomElement(&random),
        let scalar = found.type.valueType?.base.scalar
      else { return all }
      let name = newName("v")
      let place = link.type.isCollection ? "\(link.name)[0]" : link.name
      step.set[model.name, default: [:]][name] = expression("old.\(place).\(found.name)")
      return all + [.optional(name, scalar)]
    case 15:
      guard let collection = collections.randomElement(&random) else { return all }
      let name = newName("n")
      step.set[model.name, default: [:]][name] = expression("old.\(collection.name).@count")
      return all + [.required(name, .int, default: .int(0))]
    case 16, 17:
      // A collection becomes one of another kind, or of a wider type.
      guard var collection = collections.randomElement(&random),
        let type = collection.type.wider(models: models)
      else { return all }
      let others = all.filter { $0.name != collection.name }
      collection.type = type
      return others + [collection]
    case 18:
      guard let gone = (links + collections).randomElement(&random) else { return all }
      step.drop.insert(SchemaPath(old.name, gone.name))
      retired[model.name, default: []].append(gone.name)
      return all.filter { $0.name != gone.name }
    case 19:
      let rules: [Property.DeleteRule] = [.cascade, .deny, .nullify]
      let rule = rules[pick(3)]
      return all.map { link in
        var link = link
        let target = models.first { $0.name == link.type.linkedModel }
        let isRequired = link.isRequiredColumn && rule == .nullify
        if target?.isEmbedded == false, !isRequired { link.deleteRule = rule }
        return link
      }
    case 20 where property.type.valueType?.base.scalar == .int:
      // One value becomes a list.
      var list = property
      list.type = .list(ValueType(.scalar(pick(2) == 0 ? .int : .decimal)))
      list.defaultValue = nil
      list.isUnique = false
      return all.filter { $0.name != property.name } + [list]
    case 21:
      guard let target = models.filter({ !$0.isEmbedded }).randomElement(&random) else {
        return all
      }
      return all + [.link(name("l", in: model.name), to: target.name)]
    case 22:
      var made = Property.required(newName("u"), .uuid)
      made.generate = .uuid
      return all + [made]
    case 23:
      // Refused where there is none.
      guard var link = links.randomElement(&random), let model = link.type.linkedModel,
        let target = before.first(where: { $0.name == model })
      else { return all }
      let current = all.first { $0.name == link.name }
      link.type = .value(ValueType(.object(current?.type.linkedModel ?? model)))
      link.deleteRule = target.isEmbedded ? .nullify : .cascade
      return all.filter { $0.name != link.name } + [link]
    default: return all
    }
  }

  // MARK: - Blocks

  private mutating func addBlock(_ step: inout MigrationStep) {
    let index = pick(models.count)
    let name = newName("b")
    let model = models[index]
    models[index] = Model(
      name: model.name, isEmbedded: model.isEmbedded,
      properties: model.properties + [.required(name, .string, default: .string("-"))])
    let old = before[index]
    let block = GeneratedBlock(
      kind: GeneratedBlock.Kind.allCases[pick(GeneratedBlock.Kind.allCases.count)],
      old: old, new: models[index], schema: schema(step.to), version: step.to,
      note: name, read: old.properties.filter { $0.type.isScalar }.randomElement(&random)?.name)
    if block.kind == .create || block.kind == .own { hasCreated = true }
    step.swiftModels = [model.name]
    blocks.append(Step(to: step.to) { context in try block.run(context) })
  }
}

extension PropertyType {
  var isScalar: Bool {
    guard case .value(let type) = self, let scalar = type.base.scalar else { return false }
    return ![.any, .uuid, .decimal].contains(scalar)
  }

  var isListOfObjects: Bool {
    if case .list(let type) = self, case .object = type.base { return true }
    return false
  }

  fileprivate func renaming(_ names: [String: String]) -> PropertyType {
    func renamed(_ type: ValueType) -> ValueType {
      guard case .object(let model) = type.base else { return type }
      return ValueType(.object(names[model] ?? model), isOptional: type.isOptional)
    }
    return switch self {
    case .value(let type): .value(renamed(type))
    case .list(let type): .list(renamed(type))
    case .set(let type): .set(renamed(type))
    case .map(let type): .map(renamed(type))
    case .inverse: self
    }
  }

  /// Another kind of collection, or one of a type that has room for all values.
  fileprivate func wider(models: [Model]) -> PropertyType? {
    if let name = linkedModel, models.first(where: { $0.name == name })?.isEmbedded == true {
      return nil
    }
    let type = valueType?.base.scalar == .int32 ? ValueType(.scalar(.double)) : valueType
    guard let type else { return nil }
    switch self {
    case .list: return .set(type)
    case .set: return .list(type)
    case .map: return .map(type)
    default: return nil
    }
  }
}

extension ScalarType {
  /// A value that needs no thought.
  var simpleValue: Value? {
    switch self {
    case .string: .string("")
    case .bool: .bool(false)
    case .double: .double(0)
    case .float: .float(0)
    case .date: .date(0)
    case _ where isInteger: .int(0)
    default: nil
    }
  }
}

extension Array {
  fileprivate func randomElement(_ random: inout StepRandom) -> Element? {
    isEmpty ? nil : self[Int(random.next() % UInt64(count))]
  }
}
