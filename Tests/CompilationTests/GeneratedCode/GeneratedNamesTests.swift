import StrataCodegen
import StrataFrontend
import StrataSchema
import StrataSource
import Testing

/// Whatever name the language accepts, the compiler accepts what is generated of it, without a warning.
@Suite struct GeneratedNamesTests {
  /// All of Swift's words, what they mean in their places, and what generated code and its surroundings are made of.
  static let words: [String] = {
    let keywords = """
      Any Protocol Self Type actor any as associatedtype associativity async await borrowing break case catch class consume
      consuming continue convenience copy default defer deinit didSet discard distributed do dynamic each else enum
      extension fallthrough false fileprivate final for func get guard if import in indirect infix init inout internal
      is isolated lazy left let macro mutating nil none nonisolated nonmutating nonsending open operator optional
      override package postfix precedence precedencegroup prefix private protocol public reasync repeat required rethrows
      return right safe self sending set some static struct subscript super switch then throw throws true try
      typealias unowned unsafe var weak where while willSet yield
      """
    let members = """
      all allCases buffer className cursor customMirror debugDescription decoder defaultPropertyValues description detached
      elements encode encoder find freeze _generatedCell _generatedModel _generatedFallback _generatedRead _generatedSet
      _generatedValue generation hash hashValue hasher ignoredProperties index indexedProperties isEqual isFrozen
      isInvalidated isSameObject json keyPath kind linkingObjects linkingObjectsProperties list manager map model
      models name names newValue oldValue objectSchema objects observe other _ownModel primaryKey primaryKeys properties rawValue
      requiredProperties row schema setValue sharedSchema standalone store thaw type value values version
      definition module path other steps history toVersion1 V0 V1 modelName
      """
    let types = """
      AnyHashable AnyObject AnyValue Array Bool CaseIterable Character Codable Collection Comparable CustomStringConvertible
      Data Date Decimal Decodable Decoder Dictionary Double Encodable Encoder Equatable Error EmbeddedHistory Float
      Foundation FoundationEssentials FrozenLink FrozenList FrozenMap FrozenObject FrozenRow _GeneratedAccess _GeneratedCell
      _GeneratedModel GeneratedSchema _GeneratedValue Hashable Hasher ID Identifiable Int Int16 Int32 Int64 Int8 KeyPath
      LinkingObjects List Map MigrationChain MutableSet Never Object ObjectID ObjectSchema Optional RawRepresentable
      Result Results SchemaDefinition Sendable Sequence Set Step Store StoreError StoredElement StoredEnum StoredValue
      Strata String Substring Swift UInt URL UUID Void Generated NamesSchema NamesMigrations Names
      """
    return (keywords + " " + members + " " + types).split { $0.isWhitespace }.map(String.init)
      + ["größe", "名", "_underscored", "a_b", "Ünder", "x1"]
  }()

  /// The words that are accepted in a place, those once that differ in case only.
  private func accepted(_ declaration: (String) -> String) -> [String] {
    var seen: Set<String> = []
    return Self.words.filter { word in
      guard !seen.contains(word.lowercased()) else { return false }
      var diagnostics = Diagnostics()
      let file = SourceFile(
        path: "a.yaml", text: "schema: Names\nversion: 0\n" + declaration(word))
      guard SchemaCompiler.compile([file], reporting: &diagnostics) != nil, diagnostics.isEmpty
      else { return false }
      return seen.insert(word.lowercased()).inserted
    }
  }

  /// - Parameter other: other ways to generate it, where they may matter.
  private func check(_ yaml: String, other: [GeneratorOptions] = []) throws {
    let declarations = ["Names.yaml": "schema: Names\nversion: 0\n" + yaml]
    for options in [GeneratorOptions()] + other {
      let code = try GeneratedCode(of: declarations, options: options)
      expectNothing(try code.compilerFindings(GeneratedCode.upcomingFeatures))
      expectNothing(try code.lintFindings())
    }
    let schema = try GeneratedCode.compile(
      declarations.map { SourceFile(path: $0.key, text: $0.value) }
    ).schema
    let frozen = GeneratedCode.migrations(of: schema).adding(
      "import Strata\nextension NamesMigrations { static let toVersion1 = Step(to: 1) { _ in } }\n",
      named: "Block.swift")
    expectNothing(try frozen.compilerFindings())
    expectNothing(try frozen.lintFindings())
  }

  @Test func ofProperties() throws {
    let names = accepted { "models:\n  M:\n    properties:\n      \($0): int\n" }
    #expect(names.count > 200)
    func properties(_ type: (Int) -> String) -> String {
      names.enumerated().map { "      \"\($0.element)\": \(type($0.offset))\n" }.joined()
    }
    let types = [
      "int", "string?", "[string]", "map<double>", "set<date>", "E?", "Scalars?", "[Scalars]",
      "{ type: uuid, generate: uuid }", "{ type: data, default: '0102' }", "any?",
      "{ type: E, default: one, ignored: true }", "decimal?",
    ]
    try check(
      "models:\n  Scalars:\n    properties:\n" + properties { _ in "int" }
        + "  Kinds:\n    properties:\n" + properties { types[$0 % types.count] }
        + "enums:\n  E: { type: string, cases: [one] }\n",
      other: [GeneratorOptions(access: .internal, layout: .single)])
  }

  @Test func ofModels() throws {
    let names = accepted { "models:\n  \($0):\n    properties: { a: int }\n" }
    #expect(names.count > 200)
    try check(
      "models:\n"
        + names.map { name in
          """
            "\(name)":
              properties: { when: date?, key: data, link: "\(name)?", list: ["\(name)"], map: "map<\(name)>",
                tags: set<string>, back: { linkingObjects: \(name).list } }

          """
        }.joined())
  }

  @Test func ofEnums() throws {
    let names = accepted { "enums:\n  \($0): { type: string, cases: [a] }\n" }
    #expect(names.count > 200)
    let properties = names.enumerated().map { index, name in
      "      p\(index): { type: \(name), default: a }\n      q\(index): [\"\(name)?\"]\n"
    }
    try check(
      "models:\n  M:\n    properties:\n" + properties.joined() + "enums:\n"
        + names.map { "  \"\($0)\": { type: string, cases: [a] }\n" }.joined())
  }

  @Test(arguments: ["string", "int"]) func ofCases(_ type: String) throws {
    let names =
      accepted { "enums:\n  E: { type: \(type), cases: { \($0): 1 } }\n" }
      + accepted { "enums:\n  E: { type: string, cases: { \($0): x } }\n" }
    let unique = Set(names).sorted()
    #expect(unique.count > 200)
    let cases = unique.enumerated().map { index, name in
      "\"\(name)\": \(type == "int" ? String(index) : "\"case \(index)\"")"
    }
    let properties = unique.enumerated().map { index, name in
      "      p\(index): { type: E?, default: \"\(name)\" }\n"
    }
    try check(
      "models:\n  M:\n    properties:\n" + properties.joined() + "enums:\n  E:\n    type: \(type)\n"
        + "    cases: { \(cases.joined(separator: ", ")) }\n")
  }

  @Test func ofSchemas() throws {
    for name in ["class", "Self", "Object", "Strata", "größe", "default", "List"] {
      var diagnostics = Diagnostics()
      let text = "schema: \(name)\nversion: 0\nmodels:\n  M:\n    properties: { a: int }\n"
      guard
        SchemaCompiler.compile([SourceFile(path: "a", text: text)], reporting: &diagnostics) != nil,
        diagnostics.isEmpty
      else { continue }
      expectNothing(try GeneratedCode(of: ["a": text]).compilerFindings())
      expectNothing(try GeneratedCode(of: ["a": text]).lintFindings())
    }
  }

  /// Whatever stands in documentation: the end of a comment, of a string, code.
  @Test func inDocumentation() throws {
    let doc =
      #""Ends a comment */ and begins /* one.\n\n```swift\nlet a = \"x\" // \\(b)\n```\n\n- Parameter x: `y`\n\t\u202Etab  \n///\n#if os(Linux)\n""#
    try check(
      """
      models:
        M:
          doc: \(doc)
          properties: { a: { type: int, doc: \(doc) }, b: { type: "[int]", doc: "One line." } }
      enums:
        E: { doc: \(doc), type: string, cases: [a] }

      """)
  }
}
