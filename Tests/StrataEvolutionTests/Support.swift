import StrataExpression
import StrataFrontend
import StrataHistory
import StrataSchema
import StrataSource
import Testing

/// Compiles declarations; the header may be left out.
func schema(version: Int = 0, _ models: String, enums: String = "") throws -> Schema {
  var text = "schema: People\nversion: \(version)\nmodels:\n"
  text += models.split(separator: "\n", omittingEmptySubsequences: false).map { "  \($0)\n" }
    .joined()
  if !enums.isEmpty {
    text += "enums:\n"
    text += enums.split(separator: "\n", omittingEmptySubsequences: false).map { "  \($0)\n" }
      .joined()
  }
  return try compile(text)
}

func compile(_ text: String) throws -> Schema {
  var diagnostics = Diagnostics()
  let compilation = SchemaCompiler.compile(
    [SourceFile(path: "schema.yaml", text: text)], reporting: &diagnostics)
  #expect(diagnostics.sorted.map(\.message) == [], "\(text)")
  return try #require(compilation).schema
}

func step(_ text: String) throws -> MigrationStep {
  var diagnostics = Diagnostics()
  let to = text.dropFirst(4).prefix { $0.isNumber }
  let reading = StepReader.read(
    SourceFile(path: "migrations/\(to).yaml", text: text), reporting: &diagnostics)
  #expect(diagnostics.sorted.map(\.message) == [], "\(text)")
  return try #require(reading).step
}

func findings(_ step: String, name: String) -> [String] {
  var diagnostics = Diagnostics()
  _ = StepReader.read(SourceFile(path: "migrations/\(name)", text: step), reporting: &diagnostics)
  return diagnostics.sorted.map { "\($0.span?.start.line ?? 0) \($0.code)" }
}
