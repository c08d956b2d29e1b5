import StrataSchema
package import StrataSource

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
  ///
  /// - Parameters:
  ///   - cache: has the files that did not change since the last run.
  ///   - isFrozen: whether the file is a frozen version, which cannot be changed any more: what only keeps its classes from
  ///     compiling is no error then.
  package static func compile(
    _ files: [SourceFile], cache: CompilationCache? = nil, isFrozen: Bool = false,
    reporting diagnostics: inout Diagnostics
  ) -> Compilation? {
    let errorsBefore = diagnostics.errorCount
    var read: [FileDeclarations] = []
    read.reserveCapacity(files.count)
    for (index, file) in files.enumerated() {
      let own =
        cache?.declarations(of: file, index: index) ?? FileDeclarations(reading: file, index: index)
      diagnostics.append(own.diagnostics)
      read.append(own)
    }
    var resolver = Resolver(
      files: files, declarations: read, memo: cache?.models, isFrozen: isFrozen,
      diagnostics: diagnostics)
    diagnostics = Diagnostics()
    let compilation = resolver.resolve()
    diagnostics = resolver.diagnostics
    return diagnostics.errorCount == errorsBefore ? compilation : nil
  }
}
