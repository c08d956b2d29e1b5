package import StrataSchema
package import StrataSource
import Synchronization

/// Where everything in a schema is declared: the schema itself holds no positions.
package struct SourceMap: Sendable {
  package let files: [SourceFile]
  package let header: HeaderDeclaration?
  private let models: [ModelDeclaration]
  private let modelIndexes: [String: Int]
  private let enums: [EnumDeclaration]
  private let enumIndexes: [String: Int]

  init(
    files: [SourceFile], header: HeaderDeclaration?, models: [ModelDeclaration],
    modelIndexes: [String: Int], enums: [EnumDeclaration], enumIndexes: [String: Int]
  ) {
    self.files = files
    self.header = header
    self.models = models
    self.modelIndexes = modelIndexes
    self.enums = enums
    self.enumIndexes = enumIndexes
  }

  /// The name of a model, an enum, a property or a case, where it is declared; of an inherited property
  /// where the ancestor declares it.
  package subscript(path: SchemaPath) -> SourceSpan? {
    guard let name = path.property else {
      if let model = model(path.model) { return span(model.name.range, in: model.file) }
      return enumeration(path.model).map { span($0.name.range, in: $0.file) }
    }
    if let property = property(path) { return span(property.name.range, in: property.file) }
    guard let declared = enumeration(path.model),
      let found = declared.cases?.first(where: { $0.name.value == name })
    else { return nil }
    return span(found.name.range, in: declared.file)
  }

  /// The value of one of a property's keys; the property's name where the key is not written.
  package func span(of path: SchemaPath, key: PropertyKey) -> SourceSpan? {
    guard let property = property(path) else { return self[path] }
    if let place = property.details?.contents.key(key) {
      return span(place.value.isEmpty ? place.range : place.value, in: property.file)
    }
    if key == .type, let type = property.type { return span(type.range, in: property.file) }
    return self[path]
  }

  /// The value of one of a model's keys; the model's name where the key is not written.
  package func span(ofModel name: String, key: ModelKey) -> SourceSpan? {
    guard let model = model(name) else { return nil }
    if let place = model.keys.first(where: { $0.key == key }), !place.value.isEmpty {
      return span(place.value, in: model.file)
    }
    return span(model.name.range, in: model.file)
  }

  /// The name of a rule, where the model or the ancestor that has it declares it; the model's name where none does.
  package func span(ofRule path: SchemaPath) -> SourceSpan? {
    for model in lineOfDescent(path.model) {
      if let rule = model.rules.first(where: { $0.name.value == path.property }) {
        return span(rule.name.range, in: model.file)
      }
    }
    return self[SchemaPath(path.model)]
  }

  /// The number behind `version:`.
  package var version: SourceSpan? {
    header.flatMap { header in header.version.map { span($0.range, in: header.file) } }
  }

  /// The name behind `schema:`.
  package var name: SourceSpan? {
    header.flatMap { header in header.name.map { span($0.range, in: header.file) } }
  }

  /// The names of a model's properties as they are declared, inherited ones first: the order of
  /// arguments in generated initialisers.
  package func propertyOrder(ofModel name: String) -> [String] {
    var order: [String] = []
    var known: Set<String> = []
    for model in lineOfDescent(name).reversed() {
      for property in model.properties where known.insert(property.name.value).inserted {
        order.append(property.name.value)
      }
    }
    return order
  }

  /// The names of all models as they are declared, file by file.
  package var modelOrder: [String] { models.map(\.name.value) }

  /// The names of an enum's cases as they are declared.
  package func caseOrder(ofEnum name: String) -> [String] {
    enumeration(name)?.cases?.map(\.name.value) ?? []
  }

  private func span(_ range: Range<Int>, in file: Int) -> SourceSpan { files[file].span(range) }

  private func model(_ name: String) -> ModelDeclaration? { modelIndexes[name].map { models[$0] } }

  private func enumeration(_ name: String) -> EnumDeclaration? {
    enumIndexes[name].map { enums[$0] }
  }

  private func property(_ path: SchemaPath) -> PropertyDeclaration? {
    for model in lineOfDescent(path.model) {
      if let found = model.properties.first(where: { $0.name.value == path.property }) {
        return found
      }
    }
    return nil
  }

  /// The model and its ancestors.
  private func lineOfDescent(_ name: String) -> [ModelDeclaration] {
    var line: [ModelDeclaration] = []
    var next: String? = name
    while let name = next, line.count <= SchemaCompiler.maximumInheritance,
      let model = model(name)
    {
      line.append(model)
      next = model.extends?.value
    }
    return line
  }
}

/// A schema and where its parts are declared.
package struct Compilation: Sendable {
  package let schema: Schema
  package let sourceMap: SourceMap
  private let knownShape = ShapeMemo()

  init(schema: Schema, sourceMap: SourceMap) {
    self.schema = schema
    self.sourceMap = sourceMap
  }

  /// The digest of the schema's shape, worked out once.
  package var shape: Digest { knownShape.value(for: schema) }
}

/// A digest that is worked out when it is first asked for.
private final class ShapeMemo: Sendable {
  private let shape = Mutex<Digest?>(nil)

  func value(for schema: Schema) -> Digest {
    shape.withLock { shape in
      if let shape { return shape }
      let digest = schema.shape
      shape = digest
      return digest
    }
  }
}
