import StrataExpression
package import StrataHistory
import StrataSchema

/// Translates a history into the chain that migrations run, and into the frozen types that Swift blocks work with.
package struct MigrationsGenerator {
  /// The chain: the embedded history and the list of Swift blocks.
  package static let chainFileName = "Migrations" + ModelsGenerator.fileSuffix
  /// The frozen types.
  package static let frozenTypesFileName = "FrozenTypes" + ModelsGenerator.fileSuffix
  /// Every file that is generated, whatever the history says.
  package static let fileNames = [frozenTypesFileName, chainFileName]

  let history: History
  let options: GeneratorOptions
  /// Classes of every version may stand in the chain's own module, or in one that it imports.
  private let names: SwiftTypeNames

  /// - Parameter history: the frozen versions and, where declarations have changed since the newest, the working
  ///   version behind them.
  package init(history: History, options: GeneratorOptions) {
    self.history = history
    self.options = options
    let schemas = history.versions.map(\.schema)
    names = SwiftTypeNames(
      schema: schemas.last ?? Schema(name: history.name, version: 0),
      declared: schemas.reduce(into: []) { $0.formUnion($1.declaredTypeNames) })
  }

  package func files() -> [GeneratedFile] {
    let files = [frozenTypesFile(), chainFile()]
    guard options.layout == .single else {
      return files.map { GeneratedFile(name: $0.name, text: SwiftPrinter.text(of: $0)) }
    }
    var whole = SwiftFile(name: Self.chainFileName, header: header(of: history.json))
    for file in files.reversed() {
      whole.excusedLintRules.formUnion(file.excusedLintRules)
      whole.declarations += file.declarations
    }
    whole.imports = files.max { $0.imports.count < $1.imports.count }?.imports ?? []
    return [GeneratedFile(name: whole.name, text: SwiftPrinter.text(of: whole))]
  }

  /// The name of the generated chain.
  var chainName: String { history.name + "Migrations" }

  /// Says what the file was made by and of: the chain of the whole history, frozen types of their versions alone, so that
  /// they stay as they are when a version is added.
  private func header(of content: JSON) -> [String] {
    GeneratedHeader.lines(
      from: "the history of \(history.name)", digest: Digest(of: content.canonicalText))
  }

  // MARK: - The chain

  private func chainFile() -> SwiftFile {
    let access = options.access.rawValue
    let step = names.strata("Step")
    var type = SwiftType(
      doc: "The versions of \(history.name), and the steps between them.", "\(access) enum",
      chainName, inherits: [names.strata("MigrationChain")])
    type.members.append(
      .property(
        SwiftProperty(
          doc: "Every version with its declarative step. Parsed only when a file needs an upgrade.",
          "\(access) static let", "history", type: nil,
          .stored(
            .call(
              names.strata("EmbeddedHistory"),
              [("json", .longText(history.withoutDocs.json.sourceText))])))))
    let blocks = history.versions.filter { $0.step?.hasBlock ?? false }
    type.members.append(
      .property(
        SwiftProperty(
          doc: """
            The Swift blocks. A name that is missing belongs to a step that says `swift:` and has no block yet:
            write `static let toVersionN = \(step)(to: N) { step in … }` in an extension of \
            this type.
            """,
          "\(access) static var", "steps", type: "[\(step)]",
          .getter(.array(blocks.map { .verbatim("toVersion\($0.number)") })))))
    var file = SwiftFile(name: Self.chainFileName, header: header(of: history.json))
    file.imports = imports()
    file.excusedLintRules = SwiftIdentifier.lintRulesBroken(byType: chainName)
    file.declarations = [.type(type)]
    return file
  }

  private func imports() -> [SwiftImport] {
    options.furtherImports + [.module("Strata", options.access)]
  }

  // MARK: - Frozen types

  private func frozenTypesFile() -> SwiftFile {
    let selections = FrozenSelection.all(in: history)
    var file = SwiftFile(
      name: Self.frozenTypesFileName, header: header(of: .array(selections.map(\.schema.json))))
    if !selections.isEmpty { file.imports = imports() }
    var needed: [SwiftImport] = []
    for selection in selections {
      let generator = FrozenTypesGenerator(selection: selection, access: options.access)
      var scope = SwiftType("extension", chainName)
      scope.members = [.type(generator.versionType())]
      file.declarations.append(.type(scope))
      file.excusedLintRules.formUnion(generator.lintRulesBroken)
      if let foundation = generator.foundationImport { needed.append(foundation) }
    }
    // One import for all versions: the whole of Foundation where one of them needs its name.
    let whole = needed.first { if case .module = $0 { true } else { false } }
    if let foundation = whole ?? needed.first { file.imports.append(foundation) }
    return file
  }
}

extension History {
  /// The same without documentation, which no migration reads.
  fileprivate var withoutDocs: History {
    History(
      name: name,
      versions: versions.map { version in
        var version = version
        version.schema = version.schema.withoutDocs
        return version
      })
  }
}

extension Schema {
  fileprivate var withoutDocs: Schema {
    Schema(
      name: name, version: version, language: language,
      models: models.map { model in
        Model(
          name: model.name, swiftName: model.swiftName, isEmbedded: model.isEmbedded,
          isAbstract: model.isAbstract, extends: model.extends, primaryKey: model.primaryKey,
          indexes: model.indexes, uniques: model.uniques,
          properties: model.properties.map { property in
            var property = property
            property.doc = nil
            return property
          }, rules: model.rules)
      },
      enums: enums.map { enumeration in
        var enumeration = enumeration
        enumeration.doc = nil
        return enumeration
      })
  }
}
