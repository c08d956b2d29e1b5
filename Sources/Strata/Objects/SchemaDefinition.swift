package import StrataSchema

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
  public let models: [GeneratedModel]

  /// Reads a schema's canonical text.
  ///
  /// - Parameter classes: the class of each model that is not abstract, in the models' order.
  public init(json: String, classes: [Object.Type]) {
    do {
      schema = try Schema(json: try JSON.parse(json))
    } catch {
      preconditionFailure("The generated schema was changed by hand and cannot be read: \(error)")
    }
    precondition(
      classes.count == schema.storedModels.count,
      "The generated schema \(schema.name) names \(classes.count) classes for its "
        + "\(schema.storedModels.count) models.")
    var rest = classes[...]
    var models: [GeneratedModel] = []
    for (index, model) in schema.models.enumerated() {
      let type = model.isAbstract ? Object.self : rest.popFirst() ?? Object.self
      models.append(GeneratedModel(schema: schema, index: index, type: type))
    }
    self.models = models
  }

  /// A schema without classes, as a file describes itself: all of its objects are ``DynamicObject``.
  package init(dynamic schema: Schema) {
    self.schema = schema
    models = schema.models.indices.map {
      GeneratedModel(schema: schema, index: $0, type: DynamicObject.self)
    }
  }
}

/// One model of a schema, with its class.
public final class GeneratedModel: Sendable {
  package let schema: Schema
  /// The position in `Schema.models`.
  package let index: Int
  package let model: Model
  package let type: Object.Type
  /// What a new object holds before anybody gives it values, by property; null for a required property
  /// without a default.
  let defaults: [Value]
  let hasGenerators: Bool
  /// Whether the class has stored properties of its own.
  let hasIgnoredProperties: Bool

  init(schema: Schema, index: Int, type: Object.Type) {
    self.schema = schema
    self.index = index
    self.type = type
    let model = schema.models[index]
    self.model = model
    defaults = model.properties.map { $0.defaultValue ?? .null }
    hasGenerators = model.properties.contains { $0.generate != nil }
    hasIgnoredProperties = model.properties.contains(where: \.isIgnored)
  }

  /// A standalone object of the model.
  func newObject() -> Object {
    let object = type.init()
    object.standaloneModel = self
    return object
  }
}
