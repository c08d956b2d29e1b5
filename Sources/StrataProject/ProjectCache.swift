import StrataEvolution
package import StrataFrontend
package import StrataSource

/// What a check leaves for the next one over the same project, so that an editor is answered after each keystroke.
///
/// Not for several threads at once.
package final class ProjectCache {
  let compilations = CompilationCache()
  let checks = CheckCache()
  private var frozen: [[UInt8]] = []

  /// The declarations as the last run read them; nil where they have errors.
  package var working: Compilation?
  /// The frozen versions and the steps as the last run read them; nil where they cannot be read.
  package var history: HistoryReading?

  package init() {}

  /// How many pairs of versions were compared since the cache was made.
  package var comparedPairCount: Int { checks.comparedPairCount }

  /// How many files were read since the cache was made: those whose text had changed.
  package var readFileCount: Int { compilations.readCount }

  /// How many models the last run judged; the others had been judged by a run before it.
  package var judgedModelCount: Int { compilations.judgedModelCount }

  /// What one file of declarations says, whatever the others say.
  ///
  /// - Parameter index: the file's place among the files of its schema.
  package func declarations(of file: SourceFile, index: Int) -> FileDeclarations {
    compilations.declarations(of: file, index: index)
  }

  func beginRun(_ files: ProjectFiles) {
    compilations.beginRun()
    working = nil
    history = nil
    // Everything that findings between frozen versions depend on.
    let newest = files.versions.compactMap { StepReader.number(of: $0) }.max() ?? -1
    let steps = files.steps.filter { (StepReader.number(of: $0) ?? 0) <= newest }
    let now =
      [files.settings.source.map(\.bytes) ?? [], files.lock?.bytes ?? []]
      + (files.versions + steps + files.swift).flatMap { [Array($0.path.utf8), $0.bytes] }
    if now != frozen { checks.forget() }
    frozen = now
  }
}
