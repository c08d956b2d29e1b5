import StrataCodegen
import StrataExpression
import StrataFrontend
import StrataSchema
import StrataSource

/// One run: reads a folder, generates, writes what has changed.
struct Generation {
  let arguments: Arguments

  init(_ arguments: Arguments) { self.arguments = arguments }

  /// The exit status.
  func run() -> Int32 {
    var diagnostics = Diagnostics()
    do {
      let sources = try SourceSet(arguments)
      let options = sources.options(arguments.options, reporting: &diagnostics)
      let files = generate(from: sources, options, reporting: &diagnostics)
      StandardError.write(TextRenderer().render(diagnostics))
      guard let files, !diagnostics.hasErrors else { return 1 }
      try write(files, from: sources)
      return 0
    } catch {
      StandardError.write("error: \(error)\n")
      return 3
    }
  }

  private func generate(
    from sources: SourceSet, _ options: GeneratorOptions, reporting diagnostics: inout Diagnostics
  ) -> [GeneratedFile]? {
    switch arguments.command {
    case .models:
      guard let compiled = SchemaCompiler.compile(sources.schemas, reporting: &diagnostics) else {
        return nil
      }
      sources.judge(compiled, reporting: &diagnostics)
      return ModelsGenerator(
        schema: compiled.schema, order: compiled.declarationOrder, options: options
      ).files()
    case .migrations:
      return sources.history(reporting: &diagnostics).map {
        MigrationsGenerator(history: $0, options: options).files()
      }
    }
  }

  private func write(_ files: [GeneratedFile], from sources: SourceSet) throws {
    try OutputFolder(arguments.output).write(files)
    guard let path = arguments.dependencyFile else { return }
    let text = DependencyFile.text(for: path, inputs: sources.paths)
    try OutputFile(path).write(text)
  }
}

extension String {
  /// The path of the folder that holds what this path names.
  var parentFolder: String {
    guard let slash = lastIndex(of: "/") else { return "." }
    return slash == startIndex ? "/" : String(self[..<slash])
  }
}
