import StrataSchema

/// What a class's declaration says, as the classic API spells it.
extension Object {
  /// The model's name.
  public class func className() -> String { _generatedModel.model.name }

  /// The name of the property that identifies an object; nil for none, and for a key of several (see `primaryKeys()`).
  public class func primaryKey() -> String? {
    let key = _generatedModel.model.primaryKey
    return key.count == 1 ? key[0] : nil
  }

  /// The names of the properties that identify an object, in order.
  public class func primaryKeys() -> [String] { _generatedModel.model.primaryKey }

  /// The properties with an index of their own, sorted by name.
  public class func indexedProperties() -> [String] {
    _generatedModel.model.properties.filter { $0.index == .ordinary || $0.isUnique }.map(\.name)
  }

  /// The properties that are in the class and not in the file.
  public class func ignoredProperties() -> [String] {
    _generatedModel.model.properties.filter(\.isIgnored).map(\.name)
  }

  /// The properties that cannot be nil.
  public class func requiredProperties() -> [String] {
    _generatedModel.model.storedProperties.filter { property in
      if case .value(let type) = property.type { return !type.isOptional }
      return false
    }.map(\.name)
  }

  /// The declared defaults by name.
  public class func defaultPropertyValues() -> [String: Any] {
    let model = _generatedModel
    var values: [String: Any] = [:]
    for (property, value) in zip(model.model.properties, model.defaults) {
      if let value = AnyValue(_GeneratedCell(value)).payload { values[property.name] = value }
    }
    return values
  }

  /// Inverse properties by name: the model and the property that lead to an object.
  public class func linkingObjectsProperties() -> [String: (model: String, property: String)] {
    var result: [String: (model: String, property: String)] = [:]
    for property in _generatedModel.model.properties {
      if case .inverse(let model, let name) = property.type {
        result[property.name] = (model, name)
      }
    }
    return result
  }

  /// What the object's model declares.
  public final var objectSchema: ObjectSchema { ObjectSchema(model.model) }

  /// What the class's model declares.
  public class func sharedSchema() -> ObjectSchema { ObjectSchema(_generatedModel.model) }
}

/// What a model declares.
public struct ObjectSchema: Hashable, Sendable {
  let model: Model

  init(_ model: Model) { self.model = model }

  /// The model's name.
  public var className: String { model.name }
  public var isEmbedded: Bool { model.isEmbedded }
  /// The names of the properties that identify an object, in order.
  public var primaryKey: [String] { model.primaryKey }
  /// Sorted by name.
  public var properties: [PropertySchema] { model.properties.map(PropertySchema.init) }

  public subscript(name: String) -> PropertySchema? {
    model.property(named: name).map(PropertySchema.init)
  }
}

/// What a property is declared as.
public struct PropertySchema: Hashable, Sendable {
  private let property: Property

  init(_ property: Property) { self.property = property }

  public var name: String { property.name }
  /// As the schema language spells it: `string?`, `[Dog]`.
  public var type: String { property.type.spelling }
  public var isOptional: Bool { property.type.valueType?.isOptional == true }
  public var isIndexed: Bool { property.index == .ordinary }
  public var isUnique: Bool { property.isUnique }
  /// The model that the property links to.
  public var linkedModel: String? { property.type.linkedModel }
}

/// What every class can do of itself, with its own type.
public protocol StoredObject: Object {}
extension Object: StoredObject {}

extension StoredObject {
  /// All objects of the class in the store that `Store()` gives.
  ///
  /// - Throws: ``StoreError``
  public static func all(
    isolation: isolated (any Actor)? = #isolation
  ) throws(StoreError) -> Results<Self> { try Store().objects(Self.self) }

  /// The object with this primary key in the store that `Store()` gives.
  ///
  /// - Throws: ``StoreError``
  public static func find(
    _ key: some StoredValue, isolation: isolated (any Actor)? = #isolation
  ) throws(StoreError) -> Self? {
    try Store().object(ofType: Self.self, forPrimaryKey: key)
  }
}
