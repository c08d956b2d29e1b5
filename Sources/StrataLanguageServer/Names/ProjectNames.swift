import StrataFrontend
import StrataProject
import StrataSchema
import StrataSource

/// All names of a project: those of the declarations, of each frozen version, and of the steps between them.
final class ProjectNames {
  let working: DeclarationTable
  /// Files that cannot be read, of which only an older state is known.
  let unreadable: [String]
  private let files: ProjectFiles
  private var frozen: [Int: DeclarationTable] = [:]
  /// The numbers of the frozen versions, in order.
  let versions: [Int]

  init(working: DeclarationTable, files: ProjectFiles, unreadable: [String]) {
    self.working = working
    self.files = files
    self.unreadable = unreadable
    versions = files.versions.compactMap { StepReader.number(of: $0) }.sorted()
  }

  var newestVersion: Int? { versions.last }

  /// The number behind `version:`.
  var workingVersion: Int? { working.header?.version?.value }

  /// Where a new step file would stand.
  func newStepPath(to version: Int) -> String { files.stepPath(to: version) }

  /// The names of a frozen version; those of the declarations without a number.
  func table(_ version: Int?) -> DeclarationTable? {
    guard let version else { return working }
    if let known = frozen[version] { return known }
    guard let file = files.versions.first(where: { StepReader.number(of: $0) == version }) else {
      return nil
    }
    let table = DeclarationTable(
      files: [file], declarations: [FileDeclarations(reading: file, index: 0)])
    frozen[version] = table
    return table
  }

  /// The file of a step.
  func stepFile(to version: Int) -> SourceFile? {
    files.steps.first { StepReader.number(of: $0) == version }
  }

  /// The two versions around a step.
  func versions(around number: Int) -> (
    old: (table: DeclarationTable, version: Int)?,
    new: (
      table: DeclarationTable, version: Int?
    )
  ) {
    let older = versions.last { $0 < number }
    let old = older.flatMap { version in table(version).map { ($0, version) } }
    let reached = versions.contains(number) ? number : nil
    return (old, (table(reached) ?? working, reached))
  }

  /// All names in a file.
  func occurrences(in path: String) -> [Occurrence] {
    if let index = working.files.firstIndex(where: { $0.path == path }) {
      return working.occurrences(inFile: index, version: nil)
    }
    if let file = files.versions.first(where: { $0.path == path }),
      let number = StepReader.number(of: file), let table = table(number)
    {
      return table.occurrences(inFile: 0, version: number)
    }
    if let file = files.steps.first(where: { $0.path == path }), let step = StepText(file),
      let number = StepReader.number(of: file)
    {
      let around = versions(around: number)
      return step.occurrences(old: around.old, new: around.new)
    }
    return []
  }

  /// What a file declares: each model and enum before its properties and cases. None for a step.
  func declarations(in path: String) -> [Occurrence] {
    if let index = working.files.firstIndex(where: { $0.path == path }) {
      return working.declarations(inFile: index, version: nil)
    }
    guard let file = files.versions.first(where: { $0.path == path }),
      let number = StepReader.number(of: file), let table = table(number)
    else { return [] }
    return table.declarations(inFile: 0, version: number)
  }

  /// The name at a place; what ends right before the place counts, too.
  func occurrence(in path: String, at offset: Int) -> Occurrence? {
    let near = occurrences(in: path).filter {
      $0.range.lowerBound <= offset && offset <= $0.range.upperBound
    }
    return near.first { $0.range.contains(offset) } ?? near.first
  }

  /// All places of a symbol, in the order of files.
  func occurrences(of symbol: ScopedSymbol) -> [Occurrence] {
    var found: [Occurrence] = []
    if let table = table(symbol.version) {
      for index in table.files.indices {
        found += table.occurrences(inFile: index, version: symbol.version).filter {
          $0.symbol == symbol
        }
      }
    }
    // A step names those of the version that it reaches, and those of the one before.
    for file in files.steps { found += occurrences(in: file.path).filter { $0.symbol == symbol } }
    return found
  }

  func declaration(of symbol: ScopedSymbol) -> (path: String, range: Range<Int>)? {
    guard let table = table(symbol.version), let place = table.declaration(of: symbol.symbol) else {
      return nil
    }
    return (table.files[place.file].path, place.range)
  }
}
