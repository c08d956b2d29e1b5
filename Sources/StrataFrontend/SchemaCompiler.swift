import StrataSchema
package import StrataSource
import StrataYAML

/// From the text of a schema's files to the schema.
package enum SchemaCompiler {
  /// The edition of the language that is read when `language:` is not written.
  package static let newestLanguage = 1
  package static let maximumModels = 10_000
  package static let maximumProperties = 1_000
  /// Of all models together, inherited ones counted each time.
  package static let maximumTotalProperties = 1_000_000
  /// How many models may stand above one another by `extends`.
  package static let maximumInheritance = 16

  /// Reads the files of one schema. All errors are reported at once; nil where there is any.
  package static func compile(
    _ files: [SourceFile], reporting diagnostics: inout Diagnostics
  ) -> Compilation? {
    let errorsBefore = diagnostics.errorCount
    var declarations = DeclarationReader(diagnostics: diagnostics)
    diagnostics = Diagnostics()
    // What an unreadable file declares is unknown, so that nothing can be said to be missing.
    var isComplete = true
    for (index, file) in files.enumerated() {
      if let document = YAMLComposer.compose(file, reporting: &declarations.reader.diagnostics) {
        declarations.read(document, index: index)
      } else {
        isComplete = false
      }
    }
    var resolver = Resolver(files: files, declarations: declarations, isComplete: isComplete)
    let compilation = resolver.resolve()
    diagnostics = resolver.diagnostics
    return diagnostics.errorCount == errorsBefore ? compilation : nil
  }
}
