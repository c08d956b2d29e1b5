import Strata
import StrataExpression
import StrataFrontend
import StrataHistory
import StrataProject
import StrataSchema
import StrataSource

/// The folders of a project: declarations, frozen versions, the seal and the steps.
struct Project {
  let folders: ProjectFolders
  let schemas: [SourceFile]
  let versions: [SourceFile]
  let seal: SourceFile?
  private(set) var steps: [SourceFile]
  let settings: Settings

  /// Reads the folders that the options name, else `strata.yaml`, else the usual ones: `schemas` and `migrations`.
  ///
  static func load(_ options: FolderOptions) throws -> Project {
    try load(schemas: options.schemas, migrations: options.migrations)
  }

  static func load(
    schemas schemasOption: String?, migrations migrationsOption: String?
  ) throws -> Project {
    let settings = try readSettings() ?? Settings()
    let folders = ProjectFolders(
      settings, schemas: schemasOption, migrations: migrationsOption)
    do {
      let schemas = try yamlFiles(in: folders.schemas)
      let versions = try optional { () throws(SourceError) in try yamlFiles(in: folders.versions) }
      let seal = try optional { () throws(SourceError) in
        try SourceFolder.read(file: folders.lock)
      }
      let steps = try optional { () throws(SourceError) in try yamlFiles(in: folders.migrations) }
      if steps == nil, let problem = folders.noMigrations(lock: seal) {
        throw CommandFailure(problem)
      }
      return Project(
        folders: folders, schemas: schemas, versions: versions ?? [], seal: seal,
        steps: steps ?? [], settings: settings)
    } catch let error as SourceError {
      // Of a link that leads nowhere only its own name helps.
      guard error.reason == .missing, error.path == folders.schemas else {
        throw CommandFailure("\(error).")
      }
      throw CommandFailure(folders.noSchemas(tool: Tool.name))
    }
  }

  /// What `strata.yaml` says; nil where there is none. What is wrong with it is printed.
  static func readSettings() throws -> Settings? {
    let file = try optional { () throws(SourceError) in
      try SourceFolder.read(file: Settings.fileName)
    }
    guard let file else { return nil }
    var diagnostics = Diagnostics()
    let settings = SettingsReader.read(file, reporting: &diagnostics)
    try diagnostics.failOnErrors()
    return settings
  }

  var schemasPath: String { folders.schemas }
  var migrationsPath: String { folders.migrations }
  var versionsPath: String { folders.versions }

  /// Compiles the declarations. What is wrong with them is printed.
  func compile() throws -> Compilation {
    try requireDeclarations()
    var diagnostics = Diagnostics()
    let compilation = SchemaCompiler.compile(schemas, reporting: &diagnostics)
    try diagnostics.failOnErrors()
    guard let compilation else { throw CommandFailure("\(schemasPath) holds no schema.") }
    return compilation
  }

  /// Whether a schema can be made of the declarations, or there are none.
  var hasReadableDeclarations: Bool {
    var ignored = Diagnostics()
    return schemas.isEmpty || SchemaCompiler.compile(schemas, reporting: &ignored) != nil
  }

  /// A folder without declarations is the wrong folder, or one that has yet to be begun.
  func requireDeclarations() throws {
    guard schemas.isEmpty else { return }
    throw CommandFailure(folders.noDeclarations(tool: Tool.name))
  }

  /// Reads the frozen versions and their steps. What is wrong with them is printed.
  func readHistory(checksSeal: Bool = true) throws -> HistoryReading {
    var diagnostics = Diagnostics()
    let reading = HistoryReader.read(
      versions: versions, lock: seal, steps: steps, checksSeal: checksSeal,
      reporting: &diagnostics)
    try diagnostics.failOnErrors()
    guard let reading else { throw CommandFailure("\(schemasPath) has no history to read.") }
    return reading
  }

  /// The same without the steps that have questions but nothing else against them, and what each of these asks.
  func settingQuestionsAside() -> (project: Project, questions: [Int: String]) {
    var project = self
    var questions: [Int: String] = [:]
    project.steps = steps.filter { file in
      var diagnostics = Diagnostics()
      _ = StepReader.read(file, reporting: &diagnostics)
      guard let first = diagnostics.sorted.first(where: { $0.severity == .error }),
        let number = StepReader.number(of: file), diagnostics.haveOnlyQuestions
      else { return true }
      let asked = first.message.split(separator: ": ", maxSplits: 1).last
      questions[number] = String(asked ?? "")
      return false
    }
    return (project, questions)
  }

  /// The frozen versions.
  func history() throws -> History {
    let reading = try readHistory()
    guard !reading.history.versions.isEmpty else {
      throw CommandFailure(
        "\(schemasPath) has no frozen version yet. `\(Tool.name) freeze` makes the first one.",
        code: MigrationError(.brokenHistory, "").code)
    }
    return reading.history
  }

  /// The frozen versions; none where there is a working version.
  func history(allowingNone working: FrozenVersion?) throws -> History {
    guard let working, versions.isEmpty else { return try history() }
    return History(name: working.schema.name)
  }

  /// The declarations as a version, where they lead beyond the newest frozen one. A command that only upgrades files does not tell
  /// what is wrong with them.
  func workingVersion() throws -> FrozenVersion? {
    var ignored = Diagnostics()
    guard !schemas.isEmpty,
      let schema = SchemaCompiler.compile(schemas, reporting: &ignored)?.schema, !ignored.hasErrors
    else { return nil }
    let reading = HistoryReader.read(
      versions: versions, lock: seal, steps: steps, checksSeal: false, reporting: &ignored)
    let history = reading?.history ?? History(name: schema.name)
    let step = reading?.steps[schema.version]?.step
    guard let newest = try? history.including(working: schema, step: step).newest, !newest.isFrozen
    else { return nil }
    return newest
  }

  private static func yamlFiles(in folder: String) throws(SourceError) -> [SourceFile] {
    try SourceFolder.read(folder).filter { $0.name != Settings.fileName }
  }

  /// Nil for what is not there; it may come later.
  private static func optional<T>(_ read: () throws(SourceError) -> T) throws(SourceError) -> T? {
    do {
      return try read()
    } catch  where error.reason == .missing {
      return nil
    }
  }
}

extension Diagnostics {
  /// Prints what was found: as text on standard error, in a form for programs on standard output. Errors end the
  /// command.
  ///
  /// - Parameters:
  ///   - hasAnswered: whether the object that `--json` asks for is printed already.
  ///   - status: what the command ends with.
  func failOnErrors(hasAnswered: Bool = false, status: Int32 = ExitStatus.failed) throws {
    let choice = OutputChoice.current
    if choice.keepsFindings {
      if hasErrors { throw CommandFailure(count: errorCount, status: status) }
      return
    }
    // Where the command goes on, that object is its own.
    let format =
      choice.isJSON ? hasErrors && !hasAnswered ? .json : .text : choice.format
    if format == .text {
      let text = TextRenderer(usesColour: Terminal.usesColour(on: 2)).render(self)
      if !text.isEmpty { Terminal.write(text, to: 2) }
    } else if !isEmpty {
      Terminal.write(rendered(as: format), to: Terminal.results)
    }
    if hasErrors { throw CommandFailure(count: errorCount, status: status) }
  }

  /// The text in a form, with all that the tool could have found described where the form has room for it.
  func rendered(
    as format: DiagnosticFormat, usesColour: Bool = false, failingFrom threshold: Severity = .error
  ) -> String {
    let text = format.render(
      format.isOfRepository ? inRepository : self, kinds: Explanations.kinds,
      toolVersion: Tool.version, usesColour: usesColour, failingFrom: threshold)
    return text.isEmpty || text.hasSuffix("\n") ? text : text + "\n"
  }
}

extension DiagnosticFormat {
  /// Whether a service reads it that knows files by their paths in the repository.
  fileprivate var isOfRepository: Bool { [.github, .gitlab, .sarif].contains(self) }
}

extension Diagnostics {
  /// With the paths that files have in the repository of the current folder.
  fileprivate var inRepository: Diagnostics {
    guard !isEmpty, let repository = GitRevision.repository(of: ".") else { return self }
    let top = repository.top + "/"
    return renamingPaths { path in
      guard path.hasPrefix("/") else { return Self.resolved(repository.prefix + path) }
      return path.hasPrefix(top) ? String(path.dropFirst(top.count)) : path
    }
  }

  /// `apps/club/../shared/schemas/A.yaml` → `apps/shared/schemas/A.yaml`.
  private static func resolved(_ path: String) -> String {
    var parts: [Substring] = []
    for part in path.split(separator: "/") where part != "." {
      if part == "..", let last = parts.last, last != ".." {
        parts.removeLast()
      } else {
        parts.append(part)
      }
    }
    return parts.joined(separator: "/")
  }
}

extension CommandFailure {
  init(_ problem: ProjectProblem) { self.init(problem.message) }

  /// Findings were printed already, in the form that was asked for.
  init(count: Int, status: Int32 = ExitStatus.failed) {
    self.init(
      count == 1 ? "1 error was found." : "\(count) errors were found.", status: status,
      isAnswered: true)
  }
}
