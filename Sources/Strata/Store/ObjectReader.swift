import StrataSchema

/// Makes objects of what callers give: dictionaries, arrays, decoded JSON, other objects, nested.
///
/// - A missing key leaves the property as it is: its default in a new object, its value in one that is updated.
/// - nil clears it. Unknown keys are passed over, or refused.
/// - An array has a value for each property, in the order of the declaration.
struct ObjectReader {
  /// How deeply values may be nested.
  static let maximumDepth = 500

  /// Where objects with the same primary key are looked for; nil for standalone objects.
  let store: Store?
  let update: UpdatePolicy
  private let reading: ValueReading
  /// Whether a value of an enum may be none of its cases, as what `json()` writes of a file that another version has written.
  private let takesUnknownCases: Bool
  private let made = MadeObjects()

  init(
    store: Store?, update: UpdatePolicy, reading: ValueReading = ValueReading(),
    takesUnknownCases: Bool = false
  ) {
    self.store = store
    self.update = update
    self.reading = reading
    self.takesUnknownCases = takesUnknownCases
  }

  /// Objects that are not in the store yet, by their primary keys.
  private final class MadeObjects {
    struct Key: Hashable {
      let model: String
      let key: [Value]
    }

    var objects: [Key: Object] = [:]
    /// What the next object becomes.
    var root: Object?
    /// Embedded objects that the caller has made.
    var callersParts: Set<ObjectIdentifier> = []
    /// Whether the value that is being read has one of them.
    var hasCallersPart = false
  }

  /// Gives a new standalone object its values. Where they lead back to it, they lead to this very object.
  func fill(_ object: Object, _ given: Any?) throws {
    made.root = object
    _ = try self.object(object.model, given)
  }

  private func newObject(_ model: _GeneratedModel) -> Object {
    defer { made.root = nil }
    return made.root ?? model.newObject()
  }

  /// A standalone object of a model, or a managed one that was updated.
  func object(_ model: _GeneratedModel, _ given: Any?) throws -> Object {
    try object(model, GivenValue(given), depth: 0)
  }

  private func object(_ model: _GeneratedModel, _ given: GivenValue, depth: Int) throws -> Object {
    try checkDepth(depth, model)
    if let object = given.object { return try self.object(model, from: object) }
    let values = try values(model, given)
    let key = try primaryKey(model, values)
    if let key, let there = try existingObject(model, key, isMention: isMention(values, model)) {
      for (property, value) in values { try set(property, of: there, to: value, depth: depth) }
      return there
    }
    let object = newObject(model)
    // Before its values, which may lead back to it.
    if let key { made.objects[MadeObjects.Key(model: model.model.name, key: key)] = object }
    for (property, value) in values { try set(property, of: object, to: value, depth: depth) }
    if key != nil, depth > 0, store == nil, isMention(values, model) {
      object.standaloneStorage.setBesidesKey = []
    }
    return object
  }

  private func checkDepth(_ depth: Int, _ model: _GeneratedModel) throws {
    guard depth > Self.maximumDepth else { return }
    throw StoreError.wrongType(
      model: model.model.name, property: "",
      expected: "values nested at most \(Self.maximumDepth) deep", found: "deeper ones")
  }

  /// Another object: of the same model a copy, which links to the same objects of the store; of another one the properties of
  /// the same names.
  private func object(_ model: _GeneratedModel, from other: Object) throws -> Object {
    // One of another class, or without one, has its values copied by their names.
    if other.model.model.name == model.model.name, other.model.type == model.type {
      return other.valueCopy(for: store, into: newObject(model))
    }
    var members: [String: Any?] = [:]
    for property in other.model.model.properties where property.isStored {
      members[property.name] = .some(other.anyValue(named: property.name))
    }
    return try object(model, members)
  }

  /// The given values by property.
  private func values(
    _ model: _GeneratedModel, _ given: GivenValue
  ) throws -> [(property: Int, value: GivenValue)] {
    if let members = given.members.map({ reading.renamed($0, for: model) }) {
      try checkKeys(members, model)
      let properties = model.model.properties
      return properties.indices.compactMap { index in
        guard properties[index].isStored, let value = members[properties[index].name] else {
          return nil
        }
        return (index, value)
      }
    }
    let order = model.declaredOrder
    guard let elements = given.elements, elements.count == order.count else {
      throw StoreError.wrongType(
        model: model.model.name, property: "",
        expected: "a dictionary, or an array of \(order.count) values",
        found: given.elements.map { "an array of \($0.count) values" } ?? given.typeName)
    }
    return zip(order, elements).map { ($0, $1) }
  }

  private func checkKeys(_ members: GivenMembers, _ model: _GeneratedModel) throws {
    guard reading.unknownKeys == .refuse else { return }
    let unknown = members.keys.filter { key in
      key != "$model" && model.model.property(named: key)?.isStored != true
    }
    if unknown.isEmpty { return }
    throw StoreError.unknownProperty(
      model: model.model.name, property: unknown.sorted().joined(separator: ", "))
  }

  /// Whether objects that are there are updated, which their keys tell.
  private var updates: Bool { store != nil && update != .error }

  /// Whether nothing but a key is given: how `json()` names an object that it has spelled already.
  private func isMention(
    _ values: [(property: Int, value: GivenValue)], _ model: _GeneratedModel
  ) -> Bool {
    values.allSatisfy { model.model.primaryKey.contains(model.model.properties[$0.property].name) }
  }

  /// The given primary key; nil for a model that has none. Where objects are updated, what is not given is the default; a part that
  /// has none, because each new object gets a value of its own, names no object.
  private func primaryKey(
    _ model: _GeneratedModel, _ values: [(property: Int, value: GivenValue)]
  ) throws -> [Value]? {
    guard !model.model.primaryKey.isEmpty else { return nil }
    var key: [Value] = []
    for name in model.model.primaryKey {
      guard let property = model.model.indexOfProperty(named: name) else { return nil }
      if let given = values.first(where: { $0.property == property })?.value {
        key.append(try scalar(given, model, property))
        continue
      }
      let declared = model.model.properties[property]
      guard updates, declared.generate == nil, !declared.hasToBeGiven else { return nil }
      key.append(model.defaults[property])
    }
    return key
  }

  /// One that was made of the same values, or one of the store. Where none is updated two that are spelled out are two objects, of which the store
  /// refuses the second.
  private func existingObject(
    _ model: _GeneratedModel, _ key: [Value], isMention: Bool
  ) throws -> Object? {
    guard updates || isMention else { return nil }
    if let object = made.objects[MadeObjects.Key(model: model.model.name, key: key)] {
      return object
    }
    if !updates { return nil }
    return try store?.access(named: model.model.name).object(forKey: key)
  }

  // MARK: - Properties

  /// Sets some properties by name.
  func set(_ members: [String: Any?], of object: Object) throws {
    for (property, value) in try values(object.model, GivenValue(members)) {
      try set(property, of: object, to: value, depth: 0)
    }
  }

  /// What a property that is no collection would hold.
  func storedValue(
    _ given: Any?, _ model: _GeneratedModel, _ property: Int
  ) throws -> StandaloneValue {
    let given = GivenValue(given)
    guard let type = model.model.properties[property].type.valueType else {
      throw wrongType(given, model, property)
    }
    return try value(given, .property, type, model, property, 0)
  }

  private func set(
    _ property: Int, of object: Object, to given: GivenValue, depth: Int
  ) throws {
    let model = object.model
    let declared = model.model.properties[property]
    let outer = made.hasCallersPart
    made.hasCallersPart = false
    // What an object that is no part holds is not a value of who links to it.
    defer { made.hasCallersPart = outer || made.hasCallersPart && model.model.isEmbedded }
    switch declared.type {
    case .inverse: return
    case .value(let type):
      let value = try value(
        given, .property, type, model, property, depth, there: part(in: property, of: object))
      try object.setChecked(property, to: value, onlyIfDifferent: keepsEqual)
    case .list(let type), .set(let type):
      guard let elements = given.isNull ? [] : given.elements else {
        throw wrongType(given, model, property)
      }
      let values = try elements.enumerated().map { index, given in
        try element(given, .element(index + 1), type, model, property, depth)
      }
      if case .list = declared.type {
        let core = object.collection(at: property, as: ListCore.self)
        if keepsEqual, core.holds(values) { return }
        core.replaceAll(with: values)
      } else {
        let core = object.collection(at: property, as: SetCore.self)
        if keepsEqual, core.holds(values) { return }
        core.replaceAll(with: values)
      }
    case .map(let type):
      guard let entries = given.isNull ? [] : given.entries else {
        throw wrongType(given, model, property)
      }
      let core = object.collection(at: property, as: MapCore.self)
      let values = try entries.map { key, value in
        let there = updates ? core.element(forKey: key) : nil
        return (
          key,
          try element(
            GivenValue(value), .key(key), type, model, property, depth,
            there: there.map(StandaloneValue.init))
        )
      }
      if keepsEqual, core.holds(values) { return }
      core.replaceAll(with: values)
    }
  }

  /// Whether a value that is there already is not written. A part that the caller has made is, because it becomes a view of what is stored.
  private var keepsEqual: Bool { update == .modified && !made.hasCallersPart }

  /// A collection of objects holds no nil.
  private func element(
    _ given: GivenValue, _ place: GivenPlace, _ type: ValueType, _ model: _GeneratedModel,
    _ property: Int, _ depth: Int, there: StandaloneValue? = nil
  ) throws -> StandaloneValue {
    if case .object = type.base, !type.isOptional, given.isNull {
      throw wrongType(given, model, property, place)
    }
    var part: Object?
    if case .object(let object)? = there { part = object }
    return try value(given, place, type, model, property, depth, there: part)
  }

  /// The embedded object in a property that is updated: what is given for its place changes it, as the object of a key is changed. An element of a list
  /// has no place that says which one it is.
  private func part(in property: Int, of object: Object) -> Object? {
    guard updates, case .value(let type) = object.model.model.properties[property].type,
      case .object(let target) = type.base,
      object.model.siblings?.model(named: target)?.model.isEmbedded == true
    else { return nil }
    return object.linkedObject(at: property)
  }

  /// - Parameter there: the object in the place, of which an embedded one keeps what is not given.
  private func value(
    _ given: GivenValue, _ place: GivenPlace, _ type: ValueType,
    _ model: _GeneratedModel, _ property: Int, _ depth: Int, there: Object? = nil
  ) throws -> StandaloneValue {
    guard case .object(let target) = type.base else {
      if type.base.scalar == .any {
        if let object = given.object { return linked(object) }
        if let target = try namedModel(given, model, property, place) {
          return .object(try object(target, given, depth: depth + 1))
        }
      }
      return .value(try scalar(given, model, property, place))
    }
    if given.isNull { return .value(.null) }
    if let object = given.object {
      guard object.model.model.name == target else {
        throw wrongType(given, model, property, place)
      }
      return linked(object)
    }
    guard let targetModel = model.siblings?.model(named: target),
      given.members != nil || given.elements != nil
    else { throw wrongType(given, model, property, place) }
    if let store, let there, targetModel.model.isEmbedded {
      return .object(try changed(there, by: given, in: store, depth: depth + 1))
    }
    return .object(try object(targetModel, given, depth: depth + 1))
  }

  /// A copy of an embedded object with what is given for its place. The object itself stays as it is until the copy takes its place: what is
  /// given within may lead back to its owner, and it may be the caller's. What this reader has made is its own copy already.
  private func changed(
    _ there: Object, by given: GivenValue, in store: Store, depth: Int
  ) throws -> Object {
    try checkDepth(depth, there.model)
    let isOwn = there.manager == nil && !made.callersParts.contains(ObjectIdentifier(there))
    let copy = isOwn ? there : try there.embeddedCopy(for: store)
    for (property, value) in try values(copy.model, given) {
      try set(property, of: copy, to: value, depth: depth)
    }
    return copy
  }

  /// An object of the caller, who has it still where the rest of the values is wrong.
  private func linked(_ object: Object) -> StandaloneValue {
    if object.manager == nil {
      store?.writing.givenObjects?.areAny = true
      if object.model.model.isEmbedded {
        made.callersParts.insert(ObjectIdentifier(object))
        made.hasCallersPart = true
      }
    }
    return .object(object)
  }

  /// The model that an object in a property of type `any` says under `"$model"`; nil for no object.
  private func namedModel(
    _ given: GivenValue, _ model: _GeneratedModel, _ property: Int, _ place: GivenPlace
  ) throws -> _GeneratedModel? {
    guard let name = given.members?["$model"]?.text else { return nil }
    guard let target = model.siblings?.model(named: name), !target.model.isAbstract,
      !target.model.isEmbedded
    else { throw wrongType(given, model, property, place) }
    return target
  }

  private func scalar(
    _ given: GivenValue, _ model: _GeneratedModel, _ property: Int,
    _ place: GivenPlace = .property
  ) throws -> Value {
    guard let type = model.model.properties[property].type.valueType,
      let scalar = model.schema.storedScalar(of: type.base)
    else { throw wrongType(given, model, property, place) }
    var given = given
    if let wrapper = given.storedEnum {
      given = GivenValue(AnyValue(wrapper._generatedCell).payload)
    }
    if scalar == .date, let seconds = reading.date(given.number) { return .date(seconds) }
    guard let value = given.scalar(scalar) else { throw wrongType(given, model, property, place) }
    if !takesUnknownCases, case .enumeration(let name) = type.base, !value.isNull,
      let enumeration = model.schema.enumeration(named: name),
      !enumeration.cases.contains(where: { $0.rawValue == value })
    {
      throw wrongType(given, model, property, place)
    }
    return value
  }

  private func wrongType(
    _ given: GivenValue, _ model: _GeneratedModel, _ property: Int, _ place: GivenPlace = .property
  ) -> StoreError {
    let declared = model.model.properties[property]
    let found = WrongValue(given: given, place: place, property: declared, model: model)
    return .wrongType(
      model: model.model.name, property: declared.name, expected: declared.type.spelling,
      found: found.description)
  }
}

extension Object {
  /// Sets a property as `_generatedSet` does, and throws at once.
  func setChecked(
    _ property: Int, to value: StandaloneValue, onlyIfDifferent: Bool = false
  ) throws {
    guard let manager, let managedAccess else {
      setStandalone(property, to: value)
      return
    }
    try manager.checkInWriteTransaction()
    guard let cell = value.cell else { return }
    if onlyIfDifferent {
      switch value {
      case .value(let new) where storedValue(at: property) == new: return
      case .object(let object) where object.manager === manager || object.model.model.isEmbedded:
        if let there = linkedObject(at: property), value.isSame(as: .object(there)) { return }
      default: break
      }
    }
    try managedAccess.set(property, of: row, to: cell)
    manager.unreadObjects.add(self)
  }
}
