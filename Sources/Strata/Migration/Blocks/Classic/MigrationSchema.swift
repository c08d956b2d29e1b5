import StrataSchema

/// The models of one side of a migration: what the file has, or what the program declares.
public struct MigrationSchema: Sendable {
  let schema: Schema

  init(_ schema: Schema) { self.schema = schema }

  /// The schema's version number.
  public var version: Int { schema.version }

  /// Every model, sorted by name.
  public var objectSchemas: [ObjectSchema] { schema.storedModels.map(ObjectSchema.init) }

  /// A model by its name; nil where there is none.
  public subscript(className: String) -> ObjectSchema? {
    schema.stored(className).map(ObjectSchema.init)
  }
}
