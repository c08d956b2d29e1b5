import StrataSQLite
import StrataSchema

/// What a block does to objects of the newest schema.
extension ClassicSession {
  /// Sets a property by name.
  func set(_ given: Any?, of object: MigrationObject, named name: String) {
    guard isUsable, isNew(object, name), let index = index(of: name, object) else { return }
    let face = object.face
    do {
      switch face.plain[index] {
      case .text:
        if let text = given as? String {
          return try write(.string(text), to: object, at: index)
        }
      case .whole:
        if let number = given as? Int {
          return try write(.int(Int64(number)), to: object, at: index)
        }
      case .other: break
      }
      try set(given, of: object, at: index, depth: 0)
    } catch {
      record(error, object)
    }
  }

  private func isNew(_ object: MigrationObject, _ name: String) -> Bool {
    guard object.face.isOld else { return true }
    record(
      problem(
        "\(object.className).\(name) of an old object cannot be changed: write to the new one."),
      object)
    return false
  }

  /// Adds an element behind those of a list, or to a set.
  func append(_ given: Any?, to collection: MigrationCollection) {
    change(collection) { object, property in
      try workspace.append(
        try element(given, property, object.face, depth: 0), to: property, in: object.row)
    }
  }

  /// Sets the value at a key of a map; nil takes it out.
  func set(_ given: Any?, at key: String, of collection: MigrationCollection) {
    change(collection) { object, property in
      let value = try given.map { try element($0, property, object.face, depth: 0) }
      try workspace.set(value, at: key, of: property, in: object.row)
    }
  }

  /// Changes a collection of a new object without a look at its elements.
  private func change(
    _ collection: MigrationCollection, _ body: (MigrationObject, Property) throws -> Void
  ) {
    let object = collection.object
    guard isUsable, isNew(object, collection.name),
      let index = index(of: collection.name, object), isOf(collection.kind, object, index)
    else { return }
    do {
      try fillDraft()
      try refresh(object)
      try body(object, object.face.model.properties[index])
    } catch {
      record(error, object)
    }
  }

  private func set(_ given: Any?, of object: MigrationObject, at index: Int, depth: Int) throws {
    let face = object.face
    let property = face.model.properties[index]
    switch face.accesses[index] {
    case .scalar(let type):
      let value = try scalar(given, type, property, face)
      try write(value, to: object, at: index)
    case .link(let target):
      // What the object owned before is looked for among all.
      if property.owns(in: face.schema) { try fillDraft() }
      let value = try link(given, to: target, property, face, depth: depth)
      try write(value, to: object, at: index)
    case .list, .set:
      try fillDraft()
      let list = GivenValue(given)
      guard let elements = list.isNull ? [] : list.elements else {
        throw wrongType(given, property, face)
      }
      let values = try elements.map {
        CollectionElement(key: nil, value: try element($0.value, property, face, depth: depth))
      }
      try replace(values, of: property, in: object)
    case .map:
      try fillDraft()
      let map = GivenValue(given)
      let entries: [(key: String, value: Any?)]
      if let given = given as? MigrationMap {
        entries = given.map { ($0.key, $0.value) }
      } else if let given = map.isNull ? [] : map.entries {
        entries = given
      } else {
        throw wrongType(given, property, face)
      }
      let values = try entries.sorted { $0.key.precedesInBytes($1.key) }.map {
        CollectionElement(key: $0.key, value: try element($0.value, property, face, depth: depth))
      }
      try replace(values, of: property, in: object)
    case .inverse, .ignored:
      throw problem("\(face.model.name).\(property.name) is not stored and cannot be set.")
    }
  }

  private func write(_ value: Value, to object: MigrationObject, at index: Int) throws {
    guard isDraft else { return object.row.write(index, value) }
    try refresh(object)
    object.row.write(index, value)
    if let failure = object.row.takeFailure() { throw failure }
    if workspace.deferred !== object.row { object.readAfter = workspace.changes }
  }

  private func replace(
    _ elements: [CollectionElement], of property: Property, in object: MigrationObject
  ) throws {
    try refresh(object)
    try workspace.replaceElements(of: property, in: object.row, with: elements)
  }

  // MARK: - Values

  private func element(
    _ given: Any?, _ property: Property, _ face: ModelFace, depth: Int
  ) throws -> Value {
    guard let type = property.type.valueType else { return .null }
    if case .object(let target) = type.base {
      return try link(given, to: target, property, face, depth: depth)
    }
    return try scalar(given, face.schema.storedScalar(of: type.base) ?? .any, property, face)
  }

  private func scalar(
    _ given: Any?, _ type: ScalarType, _ property: Property, _ face: ModelFace
  ) throws -> Value {
    var value = GivenValue(given)
    guard let declared = property.type.valueType else { return .null }
    if value.isNull {
      guard declared.isOptional || type == .any else {
        throw problem(
          "\(face.model.name).\(property.name) is \(property.type.spelling) and cannot be nil.")
      }
      return .null
    }
    if let object = value.value as? MigrationObject, type == .any {
      return try linkInAny(to: object, property, face)
    }
    if let wrapper = value.storedEnum {
      value = GivenValue(AnyValue(wrapper._generatedCell).payload)
    }
    guard let scalar = value.scalar(type) else { throw wrongType(given, property, face) }
    if case .enumeration(let name) = declared.base,
      let enumeration = face.schema.enumeration(named: name),
      !enumeration.cases.contains(where: { $0.rawValue == scalar })
    {
      throw wrongType(given, property, face)
    }
    return scalar
  }

  /// A value of type `any` that leads to a given object.
  private func linkInAny(
    to object: MigrationObject, _ property: Property, _ face: ModelFace
  ) throws -> Value {
    let name = object.className
    if transition.target.model(named: name)?.isEmbedded == true {
      throw problem(
        "\(face.model.name).\(property.name) is any and cannot lead to a \(name), which is embedded: set it in a property of its owner."
      )
    }
    guard case .link(let identity) = try link(object, to: name, property, face, depth: 0) else {
      return .null
    }
    return .object(model: name, identity: identity)
  }

  /// A link to a given object, or to one that is made of given values.
  private func link(
    _ given: Any?, to target: String, _ property: Property, _ face: ModelFace, depth: Int
  ) throws -> Value {
    let value = GivenValue(given)
    if value.isNull {
      guard property.type.valueType?.isOptional == true else {
        throw problem(
          "\(face.model.name).\(property.name) is \(property.type.spelling) and cannot be nil.")
      }
      return .null
    }
    try fillDraft()
    if let object = value.value as? MigrationObject {
      let name =
        object.face.isOld
        ? transition.model(continuing: object.className)?.target.name
        : object.className
      guard name == target else { throw wrongType(given, property, face) }
      guard
        try workspace.row(of: target, version: version, identity: object.row.identity) != nil
      else {
        throw problem("\(target) #\(object.row.identity) was deleted and cannot be linked to.")
      }
      return .link(object.row.identity)
    }
    guard value.members != nil || value.elements != nil else {
      throw wrongType(given, property, face)
    }
    return .link(try insert(target, given, depth: depth + 1).row.identity)
  }

  private func wrongType(_ given: Any?, _ property: Property, _ face: ModelFace) -> MigrationError {
    let value = GivenValue(given)
    var found = value.typeName
    if let object = value.value as? MigrationObject {
      found = object.className
    } else if let text = value.shownText {
      found += " (\(text))"
    }
    return problem(
      "\(face.model.name).\(property.name) is \(property.type.spelling), found \(found).")
  }

  // MARK: - Creating and deleting

  func create(_ model: String, _ value: Any?) throws -> MigrationObject {
    guard let found = transition.target.stored(model) else {
      throw problem("The newest schema has no model \(model), so that none can be created.")
    }
    guard !found.isEmbedded else {
      throw problem(
        "\(model) is embedded: set it in a property of its owner instead of creating it.")
    }
    return try insert(model, value, depth: 0)
  }

  private func insert(_ name: String, _ given: Any?, depth: Int) throws -> MigrationObject {
    guard depth <= ObjectReader.maximumDepth, let model = transition.target.stored(name) else {
      throw problem("Values of \(name) are nested more than \(ObjectReader.maximumDepth) deep.")
    }
    try fillDraft()
    let face = face(of: model, isOld: false)
    let values = try values(given, of: face)
    let row = try workspace.create(name, version: version) { row in
      for (index, property) in model.properties.enumerated() where property.isRequiredColumn {
        if property.isStored, try row.read(index).isNull {
          row.write(index, transition.form.value(ofNew: property, in: transition.target))
        }
      }
    }
    let object = object(row, isOld: false)
    for (index, value) in values { try set(value, of: object, at: index, depth: depth) }
    object.readAfter = workspace.changes
    return object
  }

  /// The given values by property.
  private func values(_ given: Any?, of face: ModelFace) throws -> [(index: Int, value: Any?)] {
    let properties = face.model.properties
    if let other = given as? MigrationObject {
      return properties.enumerated().compactMap { index, property in
        guard property.isStored, other.face.model.stores(property.name) else { return nil }
        return (index, other[property.name])
      }
    }
    let value = GivenValue(given)
    if let members = value.members {
      let unknown = members.keys.filter { face.model.property(named: $0) == nil }.sorted()
      if let name = unknown.first {
        throw problem("\(face.model.name) has no property '\(name)' in the newest schema.")
      }
      return properties.enumerated().compactMap { index, property in
        guard property.isStored, let value = members[property.name] else { return nil }
        return (index, value.value)
      }
    }
    let order =
      declaredOrder[face.model.name] ?? properties.indices.filter { properties[$0].isStored }
    guard let elements = value.elements, elements.count == order.count else {
      let found = value.elements.map { "an array of \($0.count) values" } ?? value.typeName
      throw problem(
        "\(face.model.name) is made of a dictionary or an array of \(order.count) values, found \(found)."
      )
    }
    return zip(order, elements).map { ($0, $1.value) }
  }

  func delete(_ object: MigrationObject) throws {
    guard !object.face.isOld else {
      throw problem(
        "\(object.className) #\(object.row.identity) of the file cannot be deleted: delete the new object."
      )
    }
    guard !object.isDeleted else { return }
    try fillDraft()
    try refresh(object)
    try workspace.delete(object.row)
    object.isDeleted = true
  }

  /// Deletes all objects of a model; whether either version has such a model.
  func deleteData(of name: String) throws -> Bool {
    guard transition.target.stored(name) != nil else {
      // Its table is not in the new file.
      return transition.source.stored(name) != nil
    }
    try fillDraft()
    for row in try workspace.rows(of: name, version: version) { try workspace.delete(row) }
    return true
  }

  /// What stands for an object that could not be created. The upgrade is stopped already.
  func unusableObject(_ name: String) -> MigrationObject {
    let model = transition.target.stored(name) ?? Model(name: name)
    let row = FrozenRow(model: model, environment: transition.environment, source: .created)
    let object = object(row, isOld: false)
    object.isDeleted = true
    return object
  }
}
