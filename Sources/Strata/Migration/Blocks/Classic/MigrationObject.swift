import StrataSchema

/// An object of one side of a migration, by the names of its properties.
///
/// ```swift
/// new!["fullName"] = "\(old!["firstName"]!) \(old!["lastName"]!)"
/// let boss = new!["boss"] as? MigrationObject
/// let dogs = new!.list("dogs")
/// ```
///
/// An old object is as it was stored and cannot be changed; a new one has the newest schema's properties and can. A name
/// that the object's model does not have, a value of a wrong type, a change of an old object: each stops the upgrade with
/// an error that names the object, when the body returns at the latest.
public final class MigrationObject {
  let face: ModelFace
  var row: FrozenRow
  /// How much had been stored when the row was read.
  var readAfter: Int
  /// Whether the object was deleted, by the block or with what owned it, or the migration is over.
  public var isInvalidated: Bool { isDeleted || !face.session.isOpen || face.session.isGone(self) }
  var isDeleted = false

  init(_ face: ModelFace, row: FrozenRow, readAfter: Int) {
    self.face = face
    self.row = row
    self.readAfter = readAfter
  }

  /// The name of the object's model.
  public var className: String { face.model.name }

  /// What the object's model declares, on this side of the migration.
  public var objectSchema: ObjectSchema { ObjectSchema(face.model) }

  /// A property by name.
  ///
  /// It is a value of the property's Swift type (every whole number an `Int`, an enum's raw value), a ``MigrationObject`` for a
  /// link, a ``MigrationList``, ``MigrationSet`` or ``MigrationMap`` for a collection, an array of objects for an inverse; nil
  /// for no value. What may be assigned is the same, and what stands for it: an array, a set, a dictionary for a new object.
  /// An old object that is assigned stands for the new one that continues it.
  public subscript(name: String) -> Any? {
    get {
      if let text = directText(name) { return text }
      return isDeleted ? nil : face.session.value(of: self, named: name)
    }
    set {
      if let text = newValue as? String, setDirectly(text, name) { return }
      if !isDeleted { face.session.set(newValue, of: self, named: name) }
    }
  }

  // Most properties are texts, and most bodies look at nothing but their two objects: no need to ask the session, which would
  // be a fifth of the time that an object takes.
  @inline(__always)
  private func directText(_ name: String) -> String? {
    guard !isDeleted, let index = face.nextText(name), let text = row.directText(index) else {
      return nil
    }
    face.stepOver()
    return text
  }

  @inline(__always)
  private func setDirectly(_ text: String, _ name: String) -> Bool {
    guard !isDeleted, !face.isOld, let index = face.nextText(name) else { return false }
    face.stepOver()
    row.write(index, .string(text))
    return true
  }

  /// A property by name; the same as `object[key]`.
  public func value(forKey key: String) -> Any? { self[key] }

  /// Sets a property by name; the same as `object[key] = value`.
  public func setValue(_ value: Any?, forKey key: String) { self[key] = value }

  /// A property as a value of a certain type: nil where it has none, or one of another type.
  public func value<Value: StoredValue>(_ name: String, as type: Value.Type) -> Value? {
    guard !isDeleted, let value = face.session.scalar(of: self, named: name) else { return nil }
    return value.isNull ? nil : Value._generatedValue(of: _GeneratedCell(value))
  }

  /// The list that a property holds. One of another kind stops the upgrade.
  public func list(_ name: String) -> MigrationList {
    MigrationList(MigrationCollection(self, name, .list))
  }

  /// The set that a property holds. One of another kind stops the upgrade.
  public func set(_ name: String) -> MigrationSet {
    MigrationSet(MigrationCollection(self, name, .set))
  }

  /// The map that a property holds. One of another kind stops the upgrade.
  public func map(_ name: String) -> MigrationMap {
    MigrationMap(MigrationCollection(self, name, .map))
  }

  /// The list that a property holds, as Realm calls it.
  public func dynamicList(_ name: String) -> MigrationList { list(name) }

  /// The set that a property holds, as Realm calls it.
  public func dynamicMutableSet(_ name: String) -> MigrationSet { set(name) }

  /// The map that a property holds, as Realm calls it.
  public func dynamicMap(_ name: String) -> MigrationMap { map(name) }

  /// Whether both are the same object: the same one of the same side.
  public func isSameObject(as other: MigrationObject?) -> Bool {
    guard let other else { return false }
    return face === other.face && row.identity == other.row.identity
  }
}

extension MigrationObject: Equatable {
  public static func == (left: MigrationObject, right: MigrationObject) -> Bool {
    left.isSameObject(as: right)
  }
}

extension MigrationObject: CustomStringConvertible {
  /// The model and every value, links by the name of their model.
  public var description: String {
    if isInvalidated { return "\(className) [invalid object]" }
    let lines = face.model.storedProperties.map { property -> String in
      switch self[property.name] {
      case let object as MigrationObject: "\t\(property.name) = \(object.className)"
      case let list as MigrationList: "\t\(property.name) = \(list.count) elements"
      case let set as MigrationSet: "\t\(property.name) = \(set.count) elements"
      case let map as MigrationMap: "\t\(property.name) = \(map.count) elements"
      case let value?: "\t\(property.name) = \(value)"
      case nil: "\t\(property.name) = nil"
      }
    }
    return "\(className) {\n\(lines.joined(separator: "\n"))\n}"
  }
}
