package import StrataSource
import StrataYAML

/// Keeps what was read of each file, for a caller that reads the same project again after one of its files changed.
///
/// A file that has the same bytes is not read again. What is found is the same with and without a cache. Files that the last
/// run did not name are forgotten, so that a cache holds one project at most.
package final class CompilationCache {
  private struct Entry<Value> {
    let bytes: [UInt8]
    let value: Value
    var run: Int
  }

  private typealias Result<Value> = (value: Value?, diagnostics: Diagnostics)

  private struct DeclarationKey: Hashable {
    let path: String
    let index: Int
  }

  private var run = 0
  private var declarations: [DeclarationKey: Entry<FileDeclarations>] = [:]
  private var versions: [String: Entry<Result<Compilation>>] = [:]
  private var steps: [String: Entry<Result<StepCompilation>>] = [:]
  /// What is known of the models of the declarations.
  let models = ResolvedModels()
  /// How many files were read since the cache was made.
  package private(set) var readCount = 0

  /// How many models the last compilation judged, because it could not take over what was known of them.
  package var judgedModelCount: Int { models.judgedCount }

  package init() {}

  /// Begins a run, and forgets the files that the run before it did not name.
  package func beginRun() {
    declarations = declarations.filter { $0.value.run == run }
    versions = versions.filter { $0.value.run == run }
    steps = steps.filter { $0.value.run == run }
    run += 1
  }

  /// What a file of declarations says.
  ///
  /// - Parameter index: the file's place among the files of its schema.
  package func declarations(of file: SourceFile, index: Int) -> FileDeclarations {
    let key = DeclarationKey(path: file.path, index: index)
    return Self.value(&declarations[key], file, run, &readCount) {
      FileDeclarations(reading: file, index: index)
    }
  }

  func version(_ file: SourceFile, reporting diagnostics: inout Diagnostics) -> Compilation? {
    let found = Self.value(&versions[file.path], file, run, &readCount) {
      () -> Result<Compilation> in
      var own = Diagnostics()
      return (SchemaCompiler.compile([file], isFrozen: true, reporting: &own), own)
    }
    diagnostics.append(found.diagnostics)
    return found.value
  }

  /// The step that a file says; nil where it has errors, which are reported.
  package func step(
    _ file: SourceFile, reporting diagnostics: inout Diagnostics
  ) -> StepCompilation? {
    let found = Self.value(&steps[file.path], file, run, &readCount) {
      () -> Result<StepCompilation> in
      var own = Diagnostics()
      return (StepReader.read(file, reporting: &own), own)
    }
    diagnostics.append(found.diagnostics)
    return found.value
  }

  private static func value<Value>(
    _ entry: inout Entry<Value>?, _ file: SourceFile, _ run: Int, _ readCount: inout Int,
    _ read: () -> Value
  ) -> Value {
    if let known = entry, known.bytes == file.bytes {
      entry?.run = run
      return known.value
    }
    let value = read()
    readCount += 1
    entry = Entry(bytes: file.bytes, value: value, run: run)
    return value
  }
}

/// What one file of a schema says, before names are looked up in the others.
package struct FileDeclarations: Sendable {
  package let headers: [HeaderDeclaration]
  package let models: [ModelDeclaration]
  package let enums: [EnumDeclaration]
  /// False where the text cannot be read at all: what it declares is unknown then.
  package let isReadable: Bool
  package let diagnostics: Diagnostics
  /// Tells this reading of the file from others.
  let identity = Identity()

  final class Identity: Sendable {}

  package init(reading file: SourceFile, index: Int) {
    var reader = DeclarationReader(diagnostics: Diagnostics())
    let document = YAMLComposer.compose(file, reporting: &reader.reader.diagnostics)
    if let document { reader.read(document, index: index) }
    headers = reader.headers
    models = reader.models
    enums = reader.enums
    isReadable = document != nil
    diagnostics = reader.reader.diagnostics
  }
}
