import StrataSchema
import StrataSource
import StrataYAML

/// The third station: looks up every name that declarations mention, and judges what only all of them
/// together can tell.
///
/// What is wrong is reported once, where it was written. A part that could not be resolved counts as
/// existing, so that nothing else complains about it.
struct Resolver {
  let files: [SourceFile]
  let headers: [HeaderDeclaration]
  let models: [ModelDeclaration]
  let enums: [EnumDeclaration]
  /// False where a file could not be read: then nothing can be said to be missing.
  let isComplete: Bool
  /// Whether this is a frozen version, of which no classes are generated.
  let isFrozen: Bool
  var diagnostics: Diagnostics

  /// The first declaration of each name.
  var modelIndexes: [String: Int] = [:]
  var enumIndexes: [String: Int] = [:]
  /// The models that are the first of their name.
  var declaredModels: Set<Int> = []
  /// What a name stands for where a type is written.
  var typeMeanings: [String: TypeMeaning] = [:]
  /// By model, whether it is embedded, by its own word or that of the nearest ancestor that says so.
  var embeddedFlags: [Bool] = []
  var resolvedEnums: [EnumType?] = []
  /// By model and by the order of declaration, what each of its own properties is; nil where it is wrong.
  var ownProperties: [[Property?]] = []
  /// By model, which of its own properties are stored links.
  var ownLinks: [[OwnLink]] = []
  /// By model, what it has with all that it inherits.
  var lines: [ResolvedModel] = []
  /// What earlier runs found out about models, and by model which declaration it is; nil and empty without a cache.
  private let memo: ResolvedModels?
  private var origins: [ResolvedModels.Origin] = []
  /// By model, what is known of it already; nil for one that is judged in this run.
  var known: [ResolvedModels.Verdict?] = []
  /// By model, whether something was found in it.
  private var hasFindings: [Bool] = []
  private var comparisonCount = 0
  private var sortedModelNames: [String]?
  private var sortedTypeNames: [String]?

  /// How many names are compared with ones that do not exist, to say which was meant: enough for every
  /// mistake of an ordinary schema, and a bound for large ones.
  static let maximumComparisons = 200_000

  init(
    files: [SourceFile], declarations: [FileDeclarations], memo: ResolvedModels? = nil,
    isFrozen: Bool = false, diagnostics: Diagnostics
  ) {
    self.files = files
    self.isFrozen = isFrozen
    self.memo = memo
    if memo != nil {
      origins = declarations.flatMap { own in
        own.models.indices.map { .init(file: own.identity, position: $0) }
      }
    }
    headers = declarations.flatMap(\.headers)
    models = declarations.flatMap(\.models)
    enums = declarations.flatMap(\.enums)
    self.diagnostics = diagnostics
    // What an unreadable file declares is unknown, so that nothing can be said to be missing.
    isComplete = declarations.allSatisfy(\.isReadable)
  }

  mutating func resolve() -> Compilation? {
    let header = resolveHeader()
    guard checkModelCount() else { return nil }
    collectNames()
    resolvedEnums = enums.indices.map { resolveEnum(at: $0) }
    embeddedFlags = models.indices.map { isEmbedded($0) }
    let surroundings = memo == nil ? [] : self.surroundings
    known =
      memo?.verdicts(in: surroundings, of: origins)
      ?? Array(repeating: nil, count: models.count)
    hasFindings = Array(repeating: false, count: models.count)
    judge { $0.checkPropertyNames(ofModel: $1) }
    resolveProperties()
    guard inherit() else { return nil }
    judge { $0.checkKeys(ofModel: $1) }
    judge { $0.checkInverses(ofModel: $1) }
    judge { $0.checkRuleNames(ofModel: $1) }
    checkCycles()
    guard let header, let name = header.name, let version = header.version else { return nil }
    let resolvedModels = models.indices.map { known[$0]?.model ?? schemaModel(at: $0) }
    memo?.keep(
      models.indices.map { verdict(ofModel: $0, resolvedModels[$0]) }, of: origins, in: surroundings
    )
    let schema = Schema(
      name: name.value, version: version.value,
      language: header.language?.value ?? SchemaCompiler.newestLanguage,
      models: models.indices.filter { modelIndexes[models[$0].name.value] == $0 }.map {
        resolvedModels[$0]
      },
      enums: resolvedEnums.indices.filter { enumIndexes[enums[$0].name.value] == $0 }.compactMap {
        resolvedEnums[$0]
      })
    checkRules(of: schema)
    return Compilation(
      schema: schema,
      sourceMap: SourceMap(
        files: files, header: header, models: models, modelIndexes: modelIndexes, enums: enums,
        enumIndexes: enumIndexes))
  }

  // MARK: - Models that did not change

  /// Looks at each model of which nothing is known yet, and notes where something is found.
  mutating func judge(_ look: (inout Resolver, Int) -> Void) {
    for index in models.indices where known[index] == nil {
      let before = diagnostics.count
      look(&self, index)
      if diagnostics.count != before { hasFindings[index] = true }
    }
  }

  /// What a later run may take over of a model; nil where it depends on more than its surroundings, or has findings.
  private func verdict(ofModel index: Int, _ model: Model) -> ResolvedModels.Verdict? {
    if let known = known[index] { return known }
    guard !hasFindings[index], models[index].extends == nil,
      !models[index].properties.contains(where: { $0.inverse != nil })
    else { return nil }
    return ResolvedModels.Verdict(
      properties: ownProperties[index], links: ownLinks[index], line: lines[index], model: model)
  }

  // MARK: - Reporting

  mutating func report(
    _ kind: DiagnosticKind, _ message: String, at range: Range<Int>, in file: Int,
    labels: [Diagnostic.Label] = [], help: String? = nil, replacement: String? = nil
  ) {
    let span = files[file].span(range)
    diagnostics.report(
      kind, message, at: span, labels: labels, help: help,
      fixIt: replacement.map { FixIt("write \($0)", replacing: span, with: $0) })
  }

  /// Whether a name that is near to another one may as well be that of something that is not declared yet, and so be no slip: a short one.
  static func mayBeMeant(_ name: String) -> Bool { name.utf8.count < leastSlip }
  private static let leastSlip = 5

  /// Reports a name that is wrong. One that is meant is offered as the repair; of several, each as probable as the others, only
  /// the help tells.
  mutating func report(
    _ kind: DiagnosticKind, _ message: String, at range: Range<Int>, in file: Int,
    meaning near: [String], isGuess: Bool = false, else other: String? = nil
  ) {
    let span = files[file].span(range)
    let help = [NearestName.question(near), other].compactMap { $0 }.joined(separator: " ")
    diagnostics.report(
      kind, message, at: span, help: help,
      fixIt: near.count == 1
        ? FixIt("write \(near[0])", replacing: span, with: near[0], isGuess: isGuess) : nil)
  }

  /// Reports a key that does not belong where it stands, with removing it as the repair.
  mutating func reportSuperfluous(
    _ kind: DiagnosticKind, _ message: String, key: PropertyKey,
    at place: (range: Range<Int>, value: Range<Int>), in file: Int, pointsAtValue: Bool = false,
    help: String? = nil
  ) {
    let source = files[file]
    let removal = source.removalRange(ofKey: place.range, value: place.value)
    diagnostics.report(
      kind, message, at: source.span(pointsAtValue ? place.value : place.range),
      help: help ?? "remove '\(key.rawValue)'",
      fixIt: FixIt(
        "remove '\(key.rawValue)'",
        edits: [FixIt.Edit(path: source.path, range: removal, replacement: "")]))
  }

  func label(_ message: String, at range: Range<Int>, in file: Int) -> Diagnostic.Label {
    Diagnostic.Label(message, at: files[file].span(range))
  }

  mutating func nearest(_ name: String, among candidates: [String]) -> [String] {
    guard comparisonCount + candidates.count <= Self.maximumComparisons else { return [] }
    comparisonCount += candidates.count
    return NearestName.all(name, among: candidates)
  }

  /// The names of everything that can be written as a type.
  mutating func typeNames() -> [String] {
    if let sortedTypeNames { return sortedTypeNames }
    let names =
      ScalarType.allCases.map(\.rawValue) + modelNames() + enumIndexes.keys.sorted()
    sortedTypeNames = names
    return names
  }

  /// The names of all models, sorted, so that what is suggested is the same each time.
  mutating func modelNames() -> [String] {
    if let sortedModelNames { return sortedModelNames }
    let names = modelIndexes.keys.sorted()
    sortedModelNames = names
    return names
  }

  // MARK: - Header

  private mutating func resolveHeader() -> HeaderDeclaration? {
    guard let header = headers.first else {
      if isComplete {
        diagnostics.report(
          DeclarationDiagnostic.headerMissing, "no file says the schema's name and version",
          at: files.first.map { $0.span(0..<0) },
          help: "begin one file with 'schema: Name' and 'version: 0'")
      }
      return nil
    }
    for other in headers.dropFirst() {
      report(
        DeclarationDiagnostic.headerTwice, "the schema has a header already", at: other.range,
        in: other.file, labels: [label("it is here", at: header.range, in: header.file)],
        help: "one file of the folder carries 'schema:', 'version:' and 'language:'")
    }
    if !header.hasName || !header.hasVersion {
      let missing = header.hasName ? "version: 0" : "schema: Name"
      report(
        DeclarationDiagnostic.missingKey,
        "the header has no '\(header.hasName ? "version" : "schema")'", at: header.range,
        in: header.file, help: "add '\(missing)' beside it")
    }
    if let name = header.name {
      _ = checkIdentifier(name, what: "a schema", in: header.file)
    }
    return header
  }

  private mutating func checkModelCount() -> Bool {
    guard models.count > SchemaCompiler.maximumModels else { return true }
    let first = models[SchemaCompiler.maximumModels]
    report(
      DeclarationDiagnostic.schemaTooLarge,
      "the schema has \(models.count) models, more than \(SchemaCompiler.maximumModels)",
      at: first.name.range, in: first.file, help: "this is the first one too many")
    return false
  }
}

/// What a type's name stands for: models and enums by their indexes.
enum TypeMeaning {
  case scalar(ScalarType)
  case model(Int)
  case enumeration(Int)
}

/// A stored link of a model, by the index of the property that declares it.
struct OwnLink {
  var property: Int
  var target: Int
  var isRequired: Bool
  var deleteRule: Property.DeleteRule
}

/// A model with everything it inherits, in the order of declaration.
struct ResolvedModel {
  struct Member {
    /// Which model declares it, and as which of its properties.
    var model: Int { Int(compactModel) }
    var index: Int { Int(compactIndex) }

    private let compactModel: UInt32
    private let compactIndex: UInt32

    init(model: Int, index: Int) {
      compactModel = UInt32(model)
      compactIndex = UInt32(index)
    }
  }

  /// Of the model itself and its ancestors, the model first.
  var line: [Int]
  var members: [Member]
  var isEmbedded: Bool
  var isAbstract: Bool
  /// The declared primary key and the model that declares it.
  var primaryKey: (model: Int, key: CompoundDeclaration)?
  /// The model's own and inherited ones.
  var indexes: [(model: Int, key: CompoundDeclaration)] = []
  var uniques: [(model: Int, key: CompoundDeclaration)] = []
  /// By their place in the model that declares them.
  var rules: [(model: Int, index: Int)] = []
}
