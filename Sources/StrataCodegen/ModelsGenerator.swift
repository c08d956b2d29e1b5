package import StrataSchema

/// Translates a schema into its live classes, enums and protocols, and the type that stands for all of it.
///
/// The output depends on the schema, the declared order and the options, on nothing else.
package struct ModelsGenerator {
  let schema: Schema
  let order: DeclarationOrder
  let options: GeneratorOptions
  private(set) var names: SwiftTypeNames
  /// What the classes and enums are called. Each file asks for it.
  private let declaredNames: Set<String>
  /// The names that stand for the files of declarations in those of generated ones, by their lowercased names.
  private let fileStems: [String: String]

  package init(schema: Schema, order: DeclarationOrder, options: GeneratorOptions) {
    self.schema = schema
    self.order = order
    self.options = options
    declaredNames = schema.declaredTypeNames
    fileStems = order.fileStems
    names = SwiftTypeNames(schema: schema, declared: declaredNames.union([schema.swiftName]))
  }

  /// The generated files, sorted by name.
  package func files() -> [GeneratedFile] {
    groups().map { name, group in
      GeneratedFile(name: name, text: SwiftPrinter.text(of: file(named: name, group)))
    }
  }

  // MARK: - Files

  /// What one file is generated from.
  private struct Group {
    var models: [Model] = []
    var enums: [EnumType] = []
    var hasSchema = false
  }

  private func groups() -> [(String, Group)] {
    var groups: [String: Group] = [:]
    let shared = sharedStems
    func name(_ stem: String) -> String { (shared[stem.lowercased()] ?? stem) + Self.fileSuffix }
    for model in schema.models {
      groups[name(stem(of: model.name, swiftName: model.swiftName)), default: Group()]
        .models.append(model)
    }
    for enumeration in schema.enums {
      groups[name(stem(of: enumeration.name, swiftName: nil)), default: Group()]
        .enums.append(enumeration)
    }
    groups[name(schemaStem), default: Group()].hasSchema = true
    if options.layout == .source {
      for source in order.files {
        let name = fileStem(of: source) + Self.fileSuffix
        if groups[name] == nil { groups[name] = Group() }
      }
    }
    return groups.sorted { $0.key < $1.key }
  }

  /// What is added to the name of a declaration for its file, so that a hand-written file can bear the plain name.
  package static let fileSuffix = "+Strata.swift"

  /// The name of the file with the type that stands for the schema, without its suffix.
  private var schemaStem: String {
    switch options.layout {
    case .source: fileStem(of: order.headerFile ?? schema.name)
    case .model: schema.swiftName
    case .single: schema.name
    }
  }

  private func stem(of name: String, swiftName: String?) -> String {
    switch options.layout {
    case .source: fileStem(of: order.sources[name] ?? name)
    case .model: swiftName ?? name
    case .single: schemaStem
    }
  }

  private func fileStem(of source: String) -> String {
    fileStems[source.lowercased()] ?? source
  }

  /// The first of the types' names that differ only in case, by what they have in common: they would be one file on some disks.
  private var sharedStems: [String: String] {
    guard options.layout == .model else { return [:] }
    let stems =
      schema.models.map { $0.swiftName ?? $0.name } + schema.enums.map(\.name) + [schemaStem]
    return Dictionary(stems.map { ($0.lowercased(), $0) }, uniquingKeysWith: min)
  }

  private func file(named name: String, _ group: Group) -> SwiftFile {
    var file = SwiftFile(name: name, header: header(of: group))
    let access = options.access
    file.imports = options.furtherImports
    if group.hasSchema || !group.models.isEmpty || !group.enums.isEmpty {
      // The compiler takes an enum's conformances for no use of a package import.
      let isEnumsOnly = group.models.isEmpty && !group.hasSchema
      file.imports.append(
        .module("Strata", access == .package && isEnumsOnly ? .internal : access))
    }
    if group.models.contains(where: needsFoundation) {
      file.imports.append(foundationImport(for: group.models))
    }
    for enumeration in group.enums {
      file.declarations.append(.type(enumType(enumeration)))
      file.excusedLintRules.formUnion(SwiftIdentifier.lintRulesBroken(byType: enumeration.name))
      for enumCase in enumeration.cases {
        file.excusedLintRules.formUnion(SwiftIdentifier.lintRulesBroken(byMember: enumCase.name))
      }
    }
    for model in group.models {
      let type = model.isAbstract ? protocolType(model) : inside(model).classType(model)
      file.declarations.append(.type(type))
      file.excusedLintRules.formUnion(
        SwiftIdentifier.lintRulesBroken(byType: model.swiftName ?? model.name))
      for property in model.properties {
        file.excusedLintRules.formUnion(
          SwiftIdentifier.lintRulesBroken(byMember: property.swiftName ?? property.name))
      }
    }
    if group.hasSchema {
      file.declarations.append(.type(schemaType()))
      file.excusedLintRules.formUnion(SwiftIdentifier.lintRulesBroken(byType: schema.swiftName))
    }
    return file
  }

  /// Says what the file was made by and of. The digest is of the file's own declarations, so that a change elsewhere
  /// leaves the file, and its compiled form, as it is.
  private func header(of group: Group) -> [String] {
    let content = JSON.array(
      group.models.map { Schema(name: "", version: 0, models: [$0]).json }
        + group.enums.map { Schema(name: "", version: 0, enums: [$0]).json }
        + (group.hasSchema ? [schema.json] : []))
    return GeneratedHeader.lines(
      from: GeneratedHeader.origin(ofSchema: schema.name),
      digest: Digest(of: content.canonicalText))
  }

  private func needsFoundation(_ model: Model) -> Bool {
    model.properties.contains { $0.type.valueType?.needsFoundation ?? false }
  }

  /// The part of Foundation that suffices, unless a type has to be told from something of the schema by its module's name.
  private func foundationImport(for models: [Model]) -> SwiftImport {
    let members = Set(models.flatMap(\.memberNames))
    return .foundation(
      options.access, unless: { declaredNames.contains($0) || members.contains($0) })
  }

  /// The same for a class's own code, where its properties hide types of their names.
  private func inside(_ model: Model) -> ModelsGenerator {
    var generator = self
    generator.names = names.hidden(by: model.memberNames)
    return generator
  }
}

extension Model {
  /// The names of the properties in Swift.
  fileprivate var memberNames: [String] { properties.map { $0.swiftName ?? $0.name } }
}

extension Schema {
  /// The name of the generated type that stands for the schema.
  package var swiftName: String { name + "Schema" }
}

extension DeclarationOrder {
  /// By lowercased name of a file of declarations, the name that stands for it in that of its generated one. Names that differ only
  /// in case would be one file on some disks, and share the first one's.
  fileprivate var fileStems: [String: String] {
    Dictionary(files.map { ($0.lowercased(), $0) }, uniquingKeysWith: min)
  }

  /// The properties of a model as declared, those that the order does not know last.
  func properties(of model: Model) -> [(index: Int, property: Property)] {
    let ranks = Dictionary(
      (properties[model.name] ?? []).enumerated().map { ($0.element, $0.offset) },
      uniquingKeysWith: min)
    return model.properties.enumerated().map { (index: $0.offset, property: $0.element) }
      .sorted {
        (ranks[$0.property.name] ?? .max, $0.index) < (ranks[$1.property.name] ?? .max, $1.index)
      }
  }

  /// The cases of an enum as declared.
  func cases(of enumeration: EnumType) -> [EnumType.Case] {
    let ranks = Dictionary(
      (cases[enumeration.name] ?? []).enumerated().map { ($0.element, $0.offset) },
      uniquingKeysWith: min)
    return enumeration.cases.enumerated()
      .sorted {
        (ranks[$0.element.name] ?? .max, $0.offset) < (ranks[$1.element.name] ?? .max, $1.offset)
      }
      .map(\.element)
  }
}
