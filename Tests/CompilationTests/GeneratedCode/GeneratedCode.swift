import Foundation
import StrataCodegen
import StrataExpression
import StrataFrontend
import StrataHistory
import StrataSchema
import StrataSource
import Testing

/// What declarations become, and what the compiler and the linter say to it.
struct GeneratedCode {
  struct Refusal: Error, CustomStringConvertible {
    let description: String
  }

  let files: [GeneratedFile]

  init(files: [GeneratedFile]) { self.files = files }

  /// - Parameter declarations: the YAML of each file, by its name.
  init(
    of declarations: [String: String], options: GeneratorOptions = GeneratorOptions()
  ) throws {
    let compiled = try Self.compile(
      declarations.sorted { $0.key < $1.key }.map { SourceFile(path: $0.key, text: $0.value) })
    files = ModelsGenerator(
      schema: compiled.schema, order: compiled.declarationOrder, options: options
    ).files()
  }

  static func compile(_ files: [SourceFile]) throws -> Compilation {
    var diagnostics = Diagnostics()
    let compiled = SchemaCompiler.compile(files, reporting: &diagnostics)
    guard let compiled, diagnostics.isEmpty else {
      throw Refusal(description: TextRenderer().render(diagnostics))
    }
    return compiled
  }

  /// The frozen types of all of a schema's models, in the chain from that version to the next.
  static func migrations(
    of schema: Schema, options: GeneratorOptions = GeneratorOptions()
  ) -> GeneratedCode {
    var next = schema
    next.version += 1
    let step = MigrationStep(to: next.version, swiftModels: Set(schema.storedModels.map(\.name)))
    let history = History(
      name: schema.name,
      versions: [
        FrozenVersion(
          schema: schema, step: nil, date: "2026-11-21", stepDigest: nil, chain: Digest(of: "0")),
        FrozenVersion(
          schema: next, step: step, date: "2026-11-28", stepDigest: Digest(of: "step"),
          chain: Digest(of: "1")),
      ])
    return GeneratedCode(files: MigrationsGenerator(history: history, options: options).files())
  }

  /// A chain of so many steps with blocks.
  static func steps(_ count: Int, of name: String) -> String {
    let versions = (0...count).map { number in
      FrozenVersion(
        schema: Schema(name: name, version: number),
        step: number == 0 ? nil : MigrationStep(to: number, swiftModels: ["Model"]),
        date: "2026-11-21", stepDigest: nil, chain: Digest(of: "\(number)"))
    }
    let generator = MigrationsGenerator(
      history: History(name: name, versions: versions), options: GeneratorOptions(layout: .single))
    return generator.files().map(\.text).joined()
  }

  /// With files of one's own beside the generated ones.
  func adding(_ text: String, named name: String) -> GeneratedCode {
    GeneratedCode(files: files + [GeneratedFile(name: name, text: text)])
  }

  /// What the compiler says when warnings are errors; empty for nothing.
  func compilerFindings(_ arguments: [String] = []) throws -> String {
    try inTemporaryFolder { folder in
      let result = try SwiftCommand.compile(
        files.map { folder.appendingPathComponent($0.name).path },
        ["-warnings-as-errors", "-module-name", "Generated", "-wmo"] + arguments)
      return result.status == 0 && result.output.isEmpty ? "" : "\(result.status)\n" + result.output
    }
  }

  /// What the linter says in its default configuration; empty for nothing.
  func lintFindings() throws -> String {
    try inTemporaryFolder { folder in
      try SwiftCommand.run(
        ["format", "lint", "--strict", "--recursive", folder.path], executable: "swift"
      ).output
    }
  }

  /// The settings under which a package may compile generated code.
  static let upcomingFeatures = [
    "-enable-upcoming-feature", "ExistentialAny",
    "-enable-upcoming-feature", "InternalImportsByDefault",
    "-enable-upcoming-feature", "MemberImportVisibility",
  ]

  private func inTemporaryFolder<T>(_ body: (URL) throws -> T) throws -> T {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try OutputFolder(folder.path).write(files)
    return try body(folder)
  }
}

/// Fails with what was found.
func expectNothing(_ findings: String, sourceLocation: Testing.SourceLocation = #_sourceLocation) {
  if findings.isEmpty { return }
  let lines = findings.split(separator: "\n")
  let telling = lines.filter { $0.contains("error:") || $0.contains("warning:") }
  Issue.record(
    "\((telling.isEmpty ? lines : telling).prefix(20).joined(separator: "\n"))",
    sourceLocation: sourceLocation)
}
