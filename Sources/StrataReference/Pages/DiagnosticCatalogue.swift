import StrataFrontend
package import StrataSource
import StrataYAML

/// The kinds of findings of YAML, declarations, steps and the lock, with a page for each.
package enum DiagnosticCatalogue {
  /// The one that compares the declarations with the newest frozen version stands with the rules that do.
  package static let kinds =
    YAMLDiagnostic.all + DeclarationDiagnostic.all
    + HistoryDiagnostic.all.filter { $0 != HistoryDiagnostic.workingVersionNotOpen }

  /// Sorted by code.
  package static let pages = (yaml + form + names + types + properties + models + history)
    .sorted { $0.kind.code < $1.kind.code }

  /// What is said about the files of an example: those in `schemas/` are one schema; with
  /// `schemas/versions/`, `schemas/schema.lock` or `migrations/` they are a history.
  package static func check(_ files: [ExampleFile]) -> Diagnostics {
    var diagnostics = Diagnostics()
    func sources(in folder: String) -> [SourceFile] {
      files.map(\.source).filter {
        $0.path == folder + $0.name && !$0.path.hasSuffix(".lock") && !$0.path.hasSuffix(".swift")
      }
    }
    func hasSwift(in folder: String) -> Bool {
      files.contains { $0.path.hasPrefix(folder) && $0.path.hasSuffix(".swift") }
    }
    let schemas = sources(in: "schemas/")
    if !schemas.isEmpty { _ = SchemaCompiler.compile(schemas, reporting: &diagnostics) }
    let versions = sources(in: "schemas/versions/")
    let steps = sources(in: "migrations/")
    let lock = files.first { $0.path == "schemas/schema.lock" }?.source
    let manifest = files.first { $0.path == "Package.swift" }?.source
    for (folder, files, name) in [
      ("schemas", schemas, "Models.swift"), ("migrations", steps, "Migrations.swift"),
    ] {
      TargetFolder(
        path: folder, files: files, hasSwift: hasSwift(in: folder + "/"), nameOfSwiftFile: name
      ).check(manifest: manifest, reporting: &diagnostics)
    }
    if lock != nil || !versions.isEmpty || !steps.isEmpty {
      _ = HistoryReader.read(
        versions: versions, lock: lock, steps: steps, reporting: &diagnostics)
    }
    return diagnostics
  }

  /// A page whose examples are one declaration file each.
  static func page(
    _ kind: DiagnosticKind, _ explanation: String, failing: String, repaired: String,
    path: String = "schemas/example.yaml"
  ) -> DiagnosticPage {
    DiagnosticPage(
      kind, explanation, failing: [ExampleFile(path, failing)],
      repaired: [ExampleFile(path, repaired)])
  }
}
