import StrataSQLite
import StrataSchema

/// What the properties of an object hold, as Swift values.
extension ClassicSession {
  /// A property by name; nil for no value.
  @inline(__always)
  func value(of object: MigrationObject, named name: String) -> Any? {
    guard isOpen, let index = index(of: name, object) else { return nil }
    do {
      if object.face.isScalar[index] {
        try refresh(object)
        if let text = object.row.directText(index) { return text }
        return try swiftValue(try object.row.read(index), isOld: object.face.isOld)
      }
      return try value(of: object, at: index)
    } catch {
      recordRead(error, object)
      return nil
    }
  }

  /// A property that is one value, as it is stored; nil for others.
  func scalar(of object: MigrationObject, named name: String) -> Value? {
    guard isOpen, let index = index(of: name, object) else { return nil }
    guard case .scalar = object.face.accesses[index] else {
      recordRead(
        problem("\(object.className).\(name) is \(spelling(object, index)), not one value."), object
      )
      return nil
    }
    do {
      try refresh(object)
      return try object.row.read(index)
    } catch {
      recordRead(error, object)
      return nil
    }
  }

  @inline(__always)
  func index(of name: String, _ object: MigrationObject) -> Int? {
    if let index = object.face.index(of: name) { return index }
    let side = object.face.isOld ? "in the file" : "in the newest schema"
    recordRead(problem("\(object.className) has no property '\(name)' \(side)."), object)
    return nil
  }

  private func value(of object: MigrationObject, at index: Int) throws -> Any? {
    let name = object.face.names[index]
    switch object.face.accesses[index] {
    case .scalar, .link:
      if !object.face.isOld { try refresh(object) }
      let value = try object.row.read(index)
      guard case .link(let identity) = value, case .link(let model) = object.face.accesses[index]
      else { return try swiftValue(value, isOld: object.face.isOld) }
      return try self.object(of: model, identity: identity, isOld: object.face.isOld)
    case .list: return MigrationList(MigrationCollection(object, name, .list))
    case .set: return MigrationSet(MigrationCollection(object, name, .set))
    case .map: return MigrationMap(MigrationCollection(object, name, .map))
    case .inverse: return try linkingObjects(of: object, at: index)
    case .ignored: return nil
    }
  }

  /// A stored value as its Swift type.
  @inline(__always)
  func swiftValue(_ value: Value, isOld: Bool) throws -> Any? {
    switch value {
    case .string(let text): return text
    case .int(let number): return Int(number)
    case .null: return nil
    case .object(let model, let identity):
      // One that was linked to before its model became embedded: the link becomes nil when the block is through.
      if !isOld, transition.target.model(named: model)?.isEmbedded == true { return nil }
      return try object(of: model, identity: identity, isOld: isOld)
    default: return AnyValue(_GeneratedCell(value)).payload
    }
  }

  /// Reads a new object again when something was stored since. Behind a failure it stays as it was read.
  @inline(__always)
  func refresh(_ object: MigrationObject) throws {
    guard isDraft, !object.face.isOld,
      object.readAfter != workspace.changes || workspace.isOutdated(object.row), isUsable
    else { return }
    try watch.finishingStatements { try reload(object) }
  }

  /// Whether an object went with another one that was deleted.
  func isGone(_ object: MigrationObject) -> Bool {
    // What else keeps it from being read comes up again with its next use.
    try? refresh(object)
    return object.isDeleted
  }

  private func reload(_ object: MigrationObject) throws {
    let wasDeferred = workspace.deferred === object.row
    try workspace.flush()
    guard
      let row = try workspace.row(
        of: object.className, version: version, identity: object.row.identity)
    else {
      object.isDeleted = true
      throw problem("\(object.className) #\(object.row.identity) was deleted.")
    }
    object.row = row
    object.readAfter = workspace.changes
    if wasDeferred { try workspace.begin(writing: row) }
  }

  // MARK: - Collections

  /// Whether a property is a collection of a kind; anything else is an error.
  func isOf(_ kind: MigrationCollection.Kind, _ object: MigrationObject, _ index: Int) -> Bool {
    switch (object.face.accesses[index], kind) {
    case (.list, .list), (.set, .set), (.map, .map): return true
    default:
      let name = object.face.model.properties[index].name
      recordRead(
        problem("\(object.className).\(name) is \(spelling(object, index)), no \(kind)."), object)
      return false
    }
  }

  /// The elements of a collection, a map's with their keys; nothing for a property of another kind, which is an error.
  func elements(
    of object: MigrationObject, named name: String, _ kind: MigrationCollection.Kind
  ) -> [(key: String, value: Any?)] {
    guard isOpen, let index = index(of: name, object), isOf(kind, object, index) else {
      return []
    }
    do {
      let property = object.face.model.properties[index]
      let isOld = object.face.isOld
      if !isOld {
        try fillDraft()
        try refresh(object)
      }
      return try workspace.elements(of: property, in: object.row).compactMap { element in
        let key = element.key ?? ""
        guard case .link(let identity) = element.value, let model = property.type.linkedModel else {
          return (key, try swiftValue(element.value, isOld: isOld))
        }
        return (key, try self.object(of: model, identity: identity, isOld: isOld))
      }
    } catch {
      recordRead(error, object)
      return []
    }
  }

  /// The objects whose links lead to one.
  private func linkingObjects(of object: MigrationObject, at index: Int) throws -> Any? {
    let face = object.face
    guard case .inverse(let model, let name) = face.model.properties[index].type,
      let holder = face.schema.stored(model), let link = holder.property(named: name)
    else { return nil }
    if !face.isOld { try fillDraft() }
    let place = LinkHolder(model: holder, property: link)
    let identities = try watch.finishingStatements {
      try workspace.flush()
      return try Array(
        database.rows(
          """
          SELECT DISTINCT \(place.holderColumn) FROM \
          \(SQL.identifier(place.table, in: face.isOld ? "source" : "main")) \
          WHERE \(SQL.identifier(place.targetColumn)) = ? ORDER BY 1
          """, .integer(object.row.identity)))
    }
    return try identities.compactMap { row in
      try row[0].ifInteger.flatMap {
        try self.object(of: model, identity: $0, isOld: face.isOld)
      }
    }
  }

  func spelling(_ object: MigrationObject, _ index: Int) -> String {
    object.face.model.properties[index].type.spelling
  }
}
