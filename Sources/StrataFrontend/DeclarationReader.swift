import StrataSchema
import StrataSource
import StrataYAML

/// The second station: from YAML to declarations. What a declaration says is looked at alone; whether
/// names exist and types fit is for the resolver.
struct DeclarationReader {
  static let rootKeys = ["schema", "version", "language", "models", "enums"]

  var reader: NodeReader
  private(set) var headers: [HeaderDeclaration] = []
  var models: [ModelDeclaration] = []
  private(set) var enums: [EnumDeclaration] = []
  /// The index of the file that is being read.
  private(set) var file = 0

  init(diagnostics: Diagnostics) {
    reader = NodeReader(file: SourceFile(path: "", bytes: []), diagnostics: diagnostics)
  }

  mutating func read(_ document: YAMLDocument, index: Int) {
    file = index
    reader.file = document.file
    guard let root = document.root, !root.isNull, !root.isRefused else { return }
    guard case .mapping(let entries, _) = root.content else {
      reader.report(
        DeclarationDiagnostic.wrongKind, "a schema file is a mapping, and this is \(root.kindName)",
        at: root.range, help: "begin with 'schema:', 'models:' or 'enums:'")
      return
    }
    var header: HeaderDeclaration?
    for entry in entries {
      switch entry.key {
      case "schema", "version", "language":
        header = header ?? HeaderDeclaration(file: index, range: entry.keyRange)
        readHeader(entry, into: &header)
      case "models":
        for model in reader.entries(entry, of: "for each model") ?? [] { readModel(model) }
      case "enums":
        for declared in reader.entries(entry, of: "for each enum") ?? [] { readEnum(declared) }
      default: reader.unknownKey(entry, of: "a schema file", known: Self.rootKeys, among: entries)
      }
    }
    if let header { headers.append(header) }
  }

  private mutating func readHeader(_ entry: YAMLEntry, into header: inout HeaderDeclaration?) {
    switch entry.key {
    case "schema":
      header?.hasName = true
      header?.name = reader.text(entry, expected: "the schema's name")
    case "version":
      header?.hasVersion = true
      header?.version = integer(
        entry, upTo: Int(Int32.max), kind: DeclarationDiagnostic.versionInvalid,
        help: "a version is an integer from 0 to \(Int32.max)")
    default:
      header?.language = integer(
        entry, upTo: SchemaCompiler.newestLanguage, from: 1,
        kind: DeclarationDiagnostic.languageUnknown,
        help:
          "this tool knows edition \(SchemaCompiler.newestLanguage); a newer one needs a newer tool"
      )
    }
  }

  private mutating func integer(
    _ entry: YAMLEntry, upTo maximum: Int, from minimum: Int = 0, kind: DiagnosticKind,
    help: String
  ) -> Located<Int>? {
    guard !entry.value.isRefused else { return nil }
    if let scalar = entry.value.scalar, scalar.isPlain,
      scalar.text.utf8.allSatisfy({ (48...57).contains($0) }), let value = Int(scalar.text),
      (minimum...maximum).contains(value)
    {
      return Located(value, at: entry.value.range)
    }
    reader.report(
      kind, "'\(entry.key)' is \(entry.value.kindName)",
      at: entry.value.range.isEmpty ? entry.keyRange : entry.value.range, help: help)
    return nil
  }

  // MARK: - Enums

  private mutating func readEnum(_ entry: YAMLEntry) {
    var declaration = EnumDeclaration(file: file, name: Located(entry.key, at: entry.keyRange))
    defer { enums.append(declaration) }
    guard let entries = reader.entries(entry, of: "with 'type' and 'cases'") else { return }
    var hasCases = false
    for entry in entries {
      switch EnumKey(rawValue: entry.key) {
      case .doc: declaration.doc = doc(entry)
      case .type: declaration.rawType = reader.word(entry, as: EnumType.RawType.self)
      case .cases:
        hasCases = true
        declaration.casesRange = entry.value.range.isEmpty ? entry.keyRange : entry.value.range
        declaration.cases = readCases(entry)
      case nil:
        reader.unknownKey(
          entry, of: "an enum", known: EnumKey.allCases.map(\.rawValue), among: entries)
      }
    }
    if !hasCases {
      reader.report(
        DeclarationDiagnostic.missingKey, "the enum '\(entry.key)' has no 'cases'",
        at: entry.keyRange, help: "add 'cases: [first, second]'")
    }
  }

  private mutating func readCases(_ entry: YAMLEntry) -> [EnumDeclaration.Case]? {
    switch entry.value.content {
    case .sequence(let elements, _):
      var cases: [EnumDeclaration.Case] = []
      for element in elements where !element.isRefused {
        guard let scalar = element.scalar, !scalar.isNull else {
          reader.report(
            DeclarationDiagnostic.wrongKind, "a case is a name, and this is \(element.kindName)",
            at: element.range, help: "raw values are written as a mapping: {calm: c, angry: a}")
          continue
        }
        cases.append(EnumDeclaration.Case(name: Located(scalar.text, at: element.range)))
      }
      return cases
    case .mapping(let entries, _):
      return entries.map {
        EnumDeclaration.Case(name: Located($0.key, at: $0.keyRange), rawValue: $0.value)
      }
    default:
      reader.wrongKind(entry, expected: "a list of names, or a mapping of names to raw values")
      return nil
    }
  }

  /// Any text, nothing included.
  mutating func doc(_ entry: YAMLEntry) -> String? {
    if let scalar = entry.value.scalar { return scalar.isNull ? nil : scalar.text }
    reader.wrongKind(entry, expected: "a text")
    return nil
  }
}
