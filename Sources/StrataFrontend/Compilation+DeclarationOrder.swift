package import StrataSchema
import StrataSource

extension Compilation {
  /// In which order, and in which files, everything of the schema is declared.
  package var declarationOrder: DeclarationOrder {
    let stems = sourceMap.files.map(\.stem)
    var order = DeclarationOrder(
      files: stems, headerFile: sourceMap.header.map { stems[$0.file] })
    let stemsByPath = Dictionary(
      zip(sourceMap.files.map(\.path), stems), uniquingKeysWith: { first, _ in first })
    for model in schema.models {
      order.properties[model.name] = sourceMap.propertyOrder(ofModel: model.name)
      order.sources[model.name] = sourceMap[SchemaPath(model.name)].flatMap { stemsByPath[$0.path] }
    }
    for enumeration in schema.enums {
      order.cases[enumeration.name] = sourceMap.caseOrder(ofEnum: enumeration.name)
      order.sources[enumeration.name] =
        sourceMap[SchemaPath(enumeration.name)].flatMap { stemsByPath[$0.path] }
    }
    return order
  }
}

extension SourceFile {
  /// The name without folder and extension.
  fileprivate var stem: String {
    name.lastIndex(of: ".").map { String(name[..<$0]) } ?? name
  }
}
