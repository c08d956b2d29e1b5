package import StrataSchema
import Synchronization

/// The enum that stands for a schema in generated code: `PeopleSchema`.
public protocol GeneratedSchema: SendableMetatype {
  /// The models in the form that a store works from.
  static var definition: SchemaDefinition { get }
}

/// A schema with the classes that were generated for it.
///
/// Only generated code makes one; it is parsed once, when it is first used.
public final class SchemaDefinition: Sendable {
  package let schema: Schema
  /// One for each model of the schema, by its index, abstract ones included.
  public let models: [_GeneratedModel]
  private let family: ModelFamily

  /// Reads a schema's canonical text.
  ///
  /// - Parameters:
  ///   - json: the schema in its canonical form.
  ///   - classes: the class of each model that is not abstract, in the models' order.
  ///   - declared: the properties of each model as they were declared, `Dog name age;Person id name`; a model that
  ///     is missing declares them by name.
  public init(json: String, classes: [Object.Type], declared: String = "") {
    do {
      schema = try Schema(json: try JSON.parse(json))
    } catch {
      misuse("The generated schema was changed by hand and cannot be read: \(error)")
    }
    checkUse(
      classes.count == schema.storedModels.count,
      "The generated schema \(schema.name) names \(classes.count) classes for its "
        + "\(schema.storedModels.count) models.")
    var rest = classes[...]
    let family = ModelFamily()
    let orders = Self.declarationOrders(declared)
    var models: [_GeneratedModel] = []
    for (index, model) in schema.models.enumerated() {
      let type = model.isAbstract ? Object.self : rest.popFirst() ?? Object.self
      models.append(
        _GeneratedModel(
          schema: schema, index: index, type: type, family: family,
          order: orders[model.name]?.compactMap(model.indexOfProperty(named:))))
    }
    self.models = models
    self.family = family
    family.become(models)
  }

  deinit { family.become([]) }

  /// The model of this name, for its class, which was generated with the schema.
  public func _model(named name: String) -> _GeneratedModel {
    guard let index = schema.indexOfModel(named: name) else {
      misuse("The generated schema \(schema.name) has no model \(name): generate it anew.")
    }
    return models[index]
  }

  private static func declarationOrders(_ text: String) -> [String: [String]] {
    var orders: [String: [String]] = [:]
    for model in text.split(separator: ";") {
      let names = model.split(separator: " ").map { String($0) }
      if let name = names.first { orders[name] = Array(names.dropFirst()) }
    }
    return orders
  }

  /// A schema without classes, as a file describes itself: all of its objects are ``DynamicObject``.
  package init(dynamic schema: Schema) {
    self.schema = schema
    let family = ModelFamily()
    models = schema.models.indices.map {
      _GeneratedModel(
        schema: schema, index: $0, type: DynamicObject.self, family: family, order: nil)
    }
    self.family = family
    family.become(models)
  }
}

/// The models of one schema, for each of them to find the others. Emptied with the definition, which ends the circle.
final class ModelFamily: Sendable {
  private let models = Mutex<[_GeneratedModel]>([])

  func become(_ models: [_GeneratedModel]) { self.models.withLock { $0 = models } }

  func model(named name: String) -> _GeneratedModel? {
    models.withLock { $0.first { $0.model.name == name } }
  }
}

/// One model of a schema, with its class.
public final class _GeneratedModel: Sendable {
  package let schema: Schema
  /// The position in `Schema.models`.
  package let index: Int
  package let model: Model
  package let type: Object.Type
  /// What a new object holds before it is given values, by property; null for a required property
  /// without a default.
  let defaults: [Value]
  /// Those of them that are something.
  let givenDefaults: [(property: Int, value: Value)]
  let hasGenerators: Bool
  /// Whether no property is a collection, nor holds an embedded object.
  let holdsSingleValues: Bool
  /// Whether the class has stored properties of its own.
  let hasIgnoredProperties: Bool

  /// What queries have been understood: most are asked again and again.
  let conditions = ConditionCache()
  let siblings: ModelFamily?
  /// The stored properties as they were declared.
  let declaredOrder: [Int]
  /// Of each property what copies and forms of an object ask again and again.
  let shapes: [PropertyShape]

  init(schema: Schema, index: Int, type: Object.Type, family: ModelFamily, order: [Int]?) {
    siblings = family
    self.schema = schema
    self.index = index
    self.type = type
    let model = schema.models[index]
    self.model = model
    defaults = model.properties.map { $0.defaultValue ?? .null }
    givenDefaults = defaults.enumerated().filter { !$0.element.isNull }
      .map { (property: $0.offset, value: $0.element) }
    hasGenerators = model.properties.contains { $0.generate != nil }
    holdsSingleValues = model.properties.allSatisfy { property in
      guard property.isStored else { return true }
      guard case .value = property.type else { return false }
      return property.type.linkedModel.flatMap(schema.model(named:))?.isEmbedded != true
    }
    hasIgnoredProperties = model.properties.contains(where: \.isIgnored)
    declaredOrder = (order ?? Array(model.properties.indices)).filter {
      model.properties[$0].isStored
    }
    shapes = model.properties.map { PropertyShape($0, of: model, in: schema) }
  }

  /// A standalone object of the model.
  func newObject() -> Object {
    let object = type.init()
    object.standaloneModel = self
    return object
  }
}
