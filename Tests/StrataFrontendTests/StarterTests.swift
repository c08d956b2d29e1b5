import StrataFrontend
import StrataReference
import StrataSchema
import StrataSource
import Testing

@Suite struct StarterTests {
  let starter = Starter(name: "Notes", schemas: "schemas", migrations: "migrations")

  @Test func theStarterIsASchemaInCanonicalForm() throws {
    let files = starter.files.filter { $0.path.hasSuffix(".yaml") }.map {
      SourceFile(path: $0.path, text: $0.text)
    }
    var diagnostics = Diagnostics()
    let schema = SchemaCompiler.compile(files, reporting: &diagnostics)?.schema
    #expect(diagnostics.isEmpty)
    #expect(schema?.name == "Notes" && schema?.version == 0)
    for file in files {
      #expect(SourceFormatter.format(file, reporting: &diagnostics)?.bytes == file.bytes)
    }
  }

  @Test(arguments: [
    ("migrations", "schemas", "../schemas/versions"),
    ("Sources/Steps", "Sources/Models", "../../Sources/Models/versions"),
    ("./migrations", "/elsewhere/schemas", "/elsewhere/schemas/versions"),
  ])
  func theLinkLeadsToTheFrozenVersions(migrations: String, schemas: String, target: String) {
    let starter = Starter(name: "Notes", schemas: schemas, migrations: migrations)
    #expect(starter.versionsLink.target == target)
    #expect(starter.versionsLink.path == migrations + "/versions")
  }

  @Test(arguments: [
    ("schemas", "../strata.schema.json"), ("Sources/My Models", "../../strata.schema.json"),
    ("/elsewhere", "../strata.schema.json"),
  ])
  func foldersOfItsOwnAreNamed(schemas: String, editorSchema: String) {
    let starter = Starter(
      name: "Notes", schemas: schemas, migrations: "m", hasSettings: true)
    var diagnostics = Diagnostics()
    let file = starter.files.first { $0.path == "strata.yaml" }
    let settings = SettingsReader.read(
      SourceFile(path: "strata.yaml", text: file?.text ?? ""), reporting: &diagnostics)
    #expect(diagnostics.isEmpty && settings.schemas == schemas && settings.migrations == "m")
    #expect(starter.files[0].text.contains("$schema=\(editorSchema)\n"))
  }
}

@Suite struct LanguageSchemaTests {
  /// `scripts/check-json-schema` holds it against real files with a validator.
  @Test func everyKeyIsInIt() throws {
    let definitions = try #require(LanguageSchema.json()["definitions"])
    func keys(_ name: String) -> Set<String> {
      Set(definitions[name]?["properties"]?.object?.keys.map { $0 } ?? [])
    }
    #expect(keys("model") == Set(ModelKey.allCases.map(\.rawValue)))
    #expect(keys("longProperty") == Set(PropertyKey.allCases.map(\.rawValue)))
    #expect(keys("enum") == Set(EnumKey.allCases.map(\.rawValue)))
    #expect(keys("stepFile") == Set(StepReader.keys))
    #expect(keys("schemaFile") == ["schema", "version", "language", "models", "enums"])
  }

  /// An editor takes the word for a boolean.
  @Test func trueIsAName() {
    let definitions = LanguageSchema.json()["definitions"]
    for name in ["name", "path"] {
      #expect(definitions?[name]?["type"] == ["string", "boolean"])
    }
    for form in definitions?["type"]?["anyOf"]?.array ?? [] {
      #expect((form["items"] ?? form)["type"] == ["string", "boolean"])
    }
  }

  @Test func theTextIsTheSameEachTime() {
    #expect(LanguageSchema.json().prettyText == LanguageSchema.json().prettyText)
    for kind in LanguageSchema.Kind.allCases {
      #expect(LanguageSchema.json(for: kind)["$schema"]?.string?.contains("draft-07") == true)
    }
  }
}
