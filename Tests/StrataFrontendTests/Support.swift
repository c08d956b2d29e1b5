import StrataFrontend
import StrataSchema
import StrataSource

/// One finding as tests spell it: `3:5-3:15 STR2001 unknown key 'typ'`.
func line(_ diagnostic: Diagnostic) -> String {
  guard let span = diagnostic.span else { return "\(diagnostic.code) \(diagnostic.message)" }
  return "\(span.start.line):\(span.start.column)-\(span.end.line):\(span.end.column) "
    + "\(diagnostic.code) \(diagnostic.message)"
}

/// The findings of a schema of one file or several, `a.yaml`, `b.yaml`, …
func findings(_ texts: String...) -> [String] {
  var diagnostics = Diagnostics()
  _ = SchemaCompiler.compile(files(texts), reporting: &diagnostics)
  return diagnostics.sorted.map(line)
}

/// The findings of declarations that stand below a header; lines are counted from the declarations.
func findings(below declarations: String) -> [String] {
  var diagnostics = Diagnostics()
  let header = SourceFile(path: "header.yaml", text: "schema: Test\nversion: 0\n")
  let file = SourceFile(path: "test.yaml", text: declarations)
  _ = SchemaCompiler.compile([header, file], reporting: &diagnostics)
  return diagnostics.sorted.map(line)
}

/// The schema of declarations that stand below a header, which have to be right.
func schema(below declarations: String) throws -> Schema {
  try compile("schema: Test\nversion: 0\n" + declarations).schema
}

struct UnexpectedFindings: Error, CustomStringConvertible {
  var description: String
}

func compile(_ texts: String...) throws -> Compilation {
  var diagnostics = Diagnostics()
  guard let compilation = SchemaCompiler.compile(files(texts), reporting: &diagnostics) else {
    throw UnexpectedFindings(description: TextRenderer().render(diagnostics))
  }
  return compilation
}

private func files(_ texts: [String]) -> [SourceFile] {
  zip("abcdefghijklmnopqrstuvwxyz", texts).map { SourceFile(path: "\($0).yaml", text: $1) }
}
