import Strata
import StrataSchema

/// Makes the objects of a proof: values at the edges and ordinary ones, nulls, chains and circles of links, shared and
/// repeated elements; unique keys are respected, and every embedded object has one owner.
struct ProofGenerator {
  /// Objects of each model that is not embedded.
  static let objectsPerModel = 48
  /// Objects of a crowd: enough for what a block does only now and then, every thousandth object for example.
  static let objectsOfCrowd = 2400
  private static let mostOfCrowdPerModel = 1200
  /// Embedded objects within embedded ones at most.
  private static let maximumDepth = 3
  /// Elements of a collection at most.
  private static let maximumElements = 6
  /// And of a few, as long ones.
  private static let manyElements = 40

  /// What kinds of values there are.
  enum Kind {
    /// Those at the edges of their types, and ordinary ones.
    case boundaries
    /// Ordinary ones alone, without nulls: what hardly any step refuses.
    case ordinary
  }

  private let schema: Schema
  private let samples: SampleValues
  private var random: StepRandom
  private var objects: [ProofObject] = []
  private var nextRow: Int64 = 1
  private var identities: [String: [Int64]] = [:]
  /// The position of each object that is not embedded among those of its model.
  private var ranks: [Int64: Int] = [:]
  private let kind: Kind
  private let objectsPerModel: Int
  /// The boundary values of each property, in an order of its own: each comes before one comes again.
  private var decks: [String: [Value]] = [:]

  private init(schema: Schema, seed: UInt64, kind: Kind, objectsPerModel: Int) {
    self.kind = kind
    self.objectsPerModel = objectsPerModel
    self.schema = schema
    samples = SampleValues(seed: seed, schema: schema)
    random = StepRandom(seed: seed &* 31 &+ UInt64(bitPattern: Int64(schema.version)))
  }

  static func data(
    for schema: Schema, seed: UInt64, objectsPerModel: Int = Self.objectsPerModel
  ) -> ProofData {
    var generator = ProofGenerator(
      schema: schema, seed: seed, kind: .boundaries, objectsPerModel: objectsPerModel)
    return generator.generate().keepingRules(seed: seed)
  }

  /// Many objects: rare values meet, and what counts gets far.
  static func crowd(
    for schema: Schema, seed: UInt64, kind: Kind, objects: Int = objectsOfCrowd
  ) -> ProofData {
    let models = schema.storedModels.count { !$0.isEmbedded }
    var generator = ProofGenerator(
      schema: schema, seed: seed &+ 0x9E37_79B9, kind: kind,
      objectsPerModel: min(mostOfCrowdPerModel, objects / max(1, models)))
    return generator.generate().keepingRules(seed: seed)
  }

  private mutating func generate() -> ProofData {
    let models = schema.storedModels.filter { !$0.isEmbedded }
    for model in models {
      var taken: Set<[Value]> = []
      for number in 0..<objectsPerModel {
        let object = scalars(of: model, number: number, depth: 0)
        let keys = model.uniqueKeys.map { key in
          [.string(key.joined(separator: "\u{0}"))] + key.map { object.values[$0] ?? .null }
        }
        guard keys.allSatisfy({ key in key.contains(where: \.isNull) || !taken.contains(key) })
        else { continue }
        taken.formUnion(keys)
        ranks[object.identity] = identities[model.name]?.count ?? 0
        identities[model.name, default: []].append(object.identity)
        objects.append(object)
      }
    }
    var position = 0
    // Embedded objects are added behind while their owners are gone through, and then gone through themselves.
    var depths: [Int64: Int] = [:]
    while position < objects.count {
      link(position, depths: &depths)
      position += 1
    }
    return withoutDuplicates(ProofData(schema: schema, objects: objects, nextRow: nextRow))
  }

  private mutating func scalars(of model: Model, number: Int, depth: Int) -> ProofObject {
    var object = ProofObject(model: model.name, identity: nextRow)
    nextRow += 1
    let unique = Set(model.uniqueKeys.flatMap { $0 })
    for property in model.storedProperties {
      guard let type = property.type.valueType else { continue }
      if case .object = type.base { continue }
      if property.type.isCollection {
        object.collections[property.name] = elements(of: property, type, model: model, number)
      } else {
        object.values[property.name] = value(
          of: type, property: property, model: model, number: number,
          isUnique: unique.contains(property.name), distinct: distinct(number))
      }
    }
    return object
  }

  /// Which value at an edge the unique properties of an object have: of every fourth one, from the twelfth.
  private func distinct(_ number: Int) -> Int? {
    number >= 11 && number % 4 == 3 ? (number - 11) / 4 : nil
  }

  private mutating func value(
    of type: ValueType, property: Property, model: Model, number: Int, isUnique: Bool,
    distinct: Int?
  ) -> Value {
    let isKey = model.primaryKey.contains(property.name)
    // One object at most has no key: two of them would have the same.
    if isKey, type.isOptional, theme(number) == .null { return .null }
    let isNullable = type.isOptional && !isKey
    if !isUnique, let theme = theme(number), let scalar = type.base.scalar {
      if theme == .null, isNullable { return .null }
      if let value = BoundaryValues.value(of: scalar, in: theme) { return value }
    }
    if isNullable, kind == .boundaries, random.next() % 4 == 0 { return .null }
    if isUnique {
      if kind == .boundaries, let distinct, let scalar = type.base.scalar {
        let values = BoundaryValues.distinct(of: scalar)
        if distinct < values.count { return values[distinct] }
      }
      if type.base.scalar == .any { return .int(Int64(number)) }
      if type.base.scalar == .float { return .float(Float(number)) }
      if let range = type.base.scalar?.integerRange, !range.contains(Int64(number)) {
        // Who comes too late has what another one has, and is left out.
        return .int(Int64(number) % (range.upperBound + 1))
      }
    } else if kind == .boundaries, number % 3 != 2, let scalar = type.base.scalar,
      let value = nextBoundary(of: scalar, "\(model.name).\(property.name)")
    {
      return value
    }
    return samples.value(
      of: type.base, name: property.name, model: model.name, object: number, isUnique: isUnique)
  }

  /// What all values of an object have in common; nil for most objects.
  private func theme(_ number: Int) -> BoundaryValues.Theme? {
    kind == .boundaries ? BoundaryValues.Theme(rawValue: number) : nil
  }

  private mutating func nextBoundary(of scalar: ScalarType, _ property: String) -> Value? {
    if let value = decks[property]?.popLast() { return value }
    var deck = BoundaryValues.values(of: scalar)
    // Large values stand in a few objects only: they would cost every path.
    if decks[property] != nil { deck.removeAll(where: \.isLarge) }
    deck.shuffle(using: &random)
    // What is large stands in the first file, too, which has fewer objects than there are values.
    deck = deck.filter { !$0.isLarge } + deck.filter(\.isLarge)
    let value = deck.popLast()
    decks[property] = deck
    return value
  }

  /// How many elements a collection of the object has.
  private mutating func elementCount(_ number: Int) -> Int {
    let count = Int(random.next() % UInt64(Self.maximumElements))
    if theme(number) == .simple || theme(number) == .null { return 0 }
    return number % 16 == 15 ? Self.manyElements >> (number / 16 % 3) : count
  }

  private mutating func elements(
    of property: Property, _ type: ValueType, model: Model, _ number: Int
  ) -> [CollectionElement] {
    let count = elementCount(number)
    var seen: Set<Value> = []
    return (0..<count).compactMap { position in
      var isSet = false
      if case .set = property.type { isSet = true }
      let value = value(
        of: type, property: property, model: model,
        number: (isSet ? number * Self.manyElements + position : number + position)
          + BoundaryValues.Theme.allCases.count,
        isUnique: isSet, distinct: number % 4 == 1 ? number / 8 + position : nil)
      if isSet, !seen.insert(value).inserted { return nil }
      return CollectionElement(key: key(of: property, position), value: value)
    }
  }

  private func key(of property: Property, _ position: Int) -> String? {
    guard case .map = property.type else { return nil }
    let keys = ["", "key", "a.b", "é", "'", "6"]
    return position < keys.count ? keys[position] : "key \(position)"
  }

  // MARK: - Links

  private mutating func link(_ position: Int, depths: inout [Int64: Int]) {
    let owner = objects[position]
    guard let model = schema.model(named: owner.model) else { return }
    let depth = depths[owner.identity] ?? 0
    for (number, property) in model.storedProperties.enumerated() {
      if case .value(let type) = property.type, type.base.scalar == .any,
        !model.uniqueKeys.joined().contains(property.name), let link = anyObject(position, number)
      {
        objects[position].values[property.name] = link
      }
      if property.type.isCollection, property.type.valueType?.base.scalar == .any {
        linkElements(of: property, position, number)
      }
      guard let type = property.type.valueType, case .object(let name) = type.base,
        let target = schema.model(named: name)
      else { continue }
      if property.type.isCollection {
        let count =
          target.isEmbedded
          ? Int(random.next() % UInt64(Self.maximumElements)) : elementCount(position)
        var seen: Set<Int64> = []
        var elements: [CollectionElement] = []
        for element in 0..<(target.isEmbedded && depth >= Self.maximumDepth ? 0 : count) {
          // The first elements make chains and circles of their own; the others lead anywhere.
          let isNext = element == 0
          let found =
            target.isEmbedded
            ? embedded(target, depth, &depths)
            : isNext ? next(target, position, number) : other(target, position, number + element)
          guard let found else { continue }
          if case .set = property.type, !seen.insert(found).inserted { continue }
          elements.append(
            CollectionElement(key: key(of: property, element), value: .link(found)))
        }
        objects[position].collections[property.name] = elements
      } else {
        let found =
          target.isEmbedded
          ? isLeftOut(type, depth) ? nil : embedded(target, depth, &depths)
          : next(target, position, number) ?? (type.isOptional ? nil : same(target, position))
        objects[position].values[property.name] = found.map(Value.link) ?? .null
      }
    }
  }

  /// An object for some of the properties and elements of type `any`.
  private mutating func anyObject(_ position: Int, _ number: Int) -> Value? {
    let models = identities.keys.sorted()
    guard !models.isEmpty, random.next() % 3 == 0 else { return nil }
    let model = models[(position + number) % models.count]
    return identities[model]?.first.map { .object(model: model, identity: $0) }
  }

  /// Puts objects in the place of some elements of a collection of `any`.
  private mutating func linkElements(of property: Property, _ position: Int, _ number: Int) {
    guard var elements = objects[position].collections[property.name] else { return }
    var seen: Set<Value> = []
    for index in elements.indices {
      guard let object = anyObject(position, number + index) else { continue }
      if case .set = property.type, !seen.insert(object).inserted { continue }
      elements[index].value = object
    }
    objects[position].collections[property.name] = elements
  }

  /// Whether an object embeds none in a property.
  private mutating func isLeftOut(_ type: ValueType, _ depth: Int) -> Bool {
    type.isOptional && (random.next() % 4 == 0 || depth >= Self.maximumDepth)
  }

  private mutating func embedded(
    _ target: Model, _ depth: Int, _ depths: inout [Int64: Int]
  ) -> Int64? {
    let object = scalars(of: target, number: objects.count, depth: depth + 1)
    depths[object.identity] = depth + 1
    objects.append(object)
    return object.identity
  }

  /// Where a chain or a circle goes on; nil at the end of a chain, and for some of the objects that stand in none.
  private mutating func next(_ target: Model, _ position: Int, _ number: Int) -> Int64? {
    guard let targets = identities[target.name], !targets.isEmpty else { return nil }
    let rank = rank(position, among: targets)
    switch ProofLinks.way(from: rank, of: targets.count, property: number) {
    case .object(let next): return targets[next]
    case .nothing: return nil
    case .shared: return targets[0]
    case .anywhere: return targets[Int(random.next() % UInt64(targets.count))]
    }
  }

  /// The object itself, or the one in its place among those of another model.
  private func same(_ target: Model, _ position: Int) -> Int64? {
    guard let targets = identities[target.name], !targets.isEmpty else { return nil }
    return targets[rank(position, among: targets)]
  }

  private func rank(_ position: Int, among targets: [Int64]) -> Int {
    (ranks[objects[position].identity] ?? position) % targets.count
  }

  /// Links go to the next object, to the same, to one that all share, or anywhere.
  private mutating func other(_ target: Model, _ position: Int, _ pattern: Int) -> Int64? {
    guard let targets = identities[target.name], !targets.isEmpty else { return nil }
    switch (pattern + position) % 5 {
    case 0, 1: return targets[(position + 1) % targets.count]
    case 2: return same(target, position)
    case 3: return targets[0]
    default: return targets[Int(random.next() % UInt64(targets.count))]
    }
  }

  /// Takes out what would break a unique key that has a link in it, or a required link without a target.
  private func withoutDuplicates(_ data: ProofData) -> ProofData {
    var taken: Set<[Value]> = []
    var removed: Set<Int64> = []
    for object in data.objects {
      guard let model = schema.model(named: object.model) else { continue }
      for key in model.uniqueKeys {
        let values = key.map { object.values[$0] ?? .null }
        if values.contains(where: \.isNull) { continue }
        let name = Value.string("\(model.name)\u{0}\(key.joined(separator: "\u{0}"))")
        if !taken.insert([name] + values).inserted { removed.insert(object.identity) }
      }
      for property in model.columnProperties where property.isRequiredColumn {
        if object.values[property.name]?.isNull ?? true { removed.insert(object.identity) }
      }
    }
    return data.removing(removed)
  }
}

extension Value {
  /// Whether it takes so much room that few objects should have it.
  fileprivate var isLarge: Bool {
    switch self {
    case .string(let text): text.utf8.count > 1000
    case .data(let bytes): bytes.count > 1000
    default: false
    }
  }
}
