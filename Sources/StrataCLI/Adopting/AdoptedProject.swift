package import StrataAdopt
package import StrataEvolution
import StrataFrontend
import StrataHistory
import StrataProject
package import StrataSchema
package import StrataSource

/// The files of an adopted history, and what `check` says of them, before anything is written.
package struct AdoptedProject {
  package let history: AdoptedHistory
  package let frozen: FrozenAdoption
  /// The day of freezing.
  let date: String
  /// Path inside the output folder → text, sorted.
  package let files: [(path: String, text: String)]
  /// What `strata check` finds in them.
  package let findings: Diagnostics
  /// The answers to all questions of a kind, which the report keeps for the next run.
  let answers: [String]
  /// Whether databases are made to be merged into another one, which is then known by its number and shape.
  var isForMerging = false
  /// The versions whose steps the folder of an earlier run has, without a question. They stay as they are, whatever this run would
  /// have asked.
  var answeredSteps: Set<Int> = []
  /// The steps that the folder of an earlier run has, by the versions that they reach.
  var keptSteps: [Int: MigrationStep] = [:]

  package static func read(_ system: AdoptSource, _ source: String, name: String?) throws
    -> AdoptedHistory
  {
    switch system {
    case .coredata: try CoreDataFolder.read(source, name: name)
    case .room: try RoomFolder.read(source, name: name)
    case .drift: try DriftFolder.read(source, name: name)
    case .realm: try RealmSource(path: source, key: nil, name: name).history
    case .sqlite: try SQLiteAdoption(path: source, name: name).history
    }
  }

  package init(
    _ history: AdoptedHistory, date: String, answers: AdoptAnswers = AdoptAnswers()
  ) throws(FreezeError) {
    self.answers = answers.texts
    self.history = history
    self.date = date
    frozen = try history.freeze(date: date, answers: answers)
    var files: [(path: String, text: String)] = frozen.files.map { file in
      switch file.place {
      case .version(let number): ("schemas/versions/\(number).yaml", file.text ?? "")
      case .lock: ("schemas/schema.lock", file.text ?? "")
      case .migration(let name): ("migrations/\(name)", file.text ?? "")
      }
    }
    if let newest = history.versions.last {
      files.append(("schemas/\(history.name).yaml", newest.schema.canonicalYAML))
    }
    for name in [
      "schemas/\(TargetFolder.nameOfModels)", "migrations/\(TargetFolder.nameOfMigrations)",
    ] {
      files.append((name, TargetFolder.textOfSwiftFile))
    }
    // By version, not by the digits of its number.
    self.files = files.sorted {
      ($0.path.folderOfPath, Int($0.path.nameOfPath.prefix { $0.isNumber }) ?? -1, $0.path)
        < ($1.path.folderOfPath, Int($1.path.nameOfPath.prefix { $0.isNumber }) ?? -1, $1.path)
    }
    findings = ProjectCheck.run(Self.projectFiles(files))
  }

  /// The history from a version on: no owner of an older file is left.
  static func beginning(_ history: AdoptedHistory, at number: Int) throws -> AdoptedHistory {
    guard let place = history.versions.firstIndex(where: { $0.schema.version == number }) else {
      let numbers = history.versions.map { String($0.schema.version) }
      throw CommandFailure(
        "--from \(number): there is no such version; the versions are \(numbers.prefix(20).joined(separator: ", "))\(numbers.count > 20 ? ", …" : "")."
      )
    }
    var history = history
    let older = history.versions[..<place].map { $0.schema.version }
    history.versions.removeFirst(place)
    if let first = older.first, let last = older.last {
      history.notes.append(
        AdoptNote(
          kind: .leftOut, entity: "", property: nil,
          reason: first == last
            ? "version \(first) is before --from \(number)"
            : "\(older.count) versions from \(first) to \(last) are before --from \(number)"))
    }
    return history
  }

  private static func projectFiles(_ files: [(path: String, text: String)]) -> ProjectFiles {
    func sources(in folder: String, _ suffix: String) -> [SourceFile] {
      files.filter {
        $0.path.folderOfPath == folder && $0.path.hasSuffix(suffix)
      }.map { SourceFile(path: $0.path, text: $0.text) }
    }
    return ProjectFiles(
      schemas: sources(in: "schemas", ".yaml"), versions: sources(in: "schemas/versions", ".yaml"),
      lock: sources(in: "schemas", ".lock").first, steps: sources(in: "migrations", ".yaml"),
      swift: sources(in: "migrations", ".swift"))
  }

  /// Compiles what is written and holds it against what was read from the source.
  package func compareWithSource() throws {
    for version in history.versions {
      let path = "schemas/versions/\(version.schema.version).yaml"
      guard let file = files.first(where: { $0.path == path }) else { continue }
      var diagnostics = Diagnostics()
      let compiled = SchemaCompiler.compile(
        [SourceFile(path: file.path, text: file.text)], isFrozen: true, reporting: &diagnostics)
      guard let compiled else {
        let first = diagnostics.sorted.first
        throw CommandFailure(
          "version \(version.schema.version), '\(version.name)', cannot be said in this language: \(first?.message ?? "it does not compile"). Nothing was written."
        )
      }
      guard compiled.schema == version.schema else {
        let place = zip(compiled.schema.models, version.schema.models).first { $0 != $1 }?.1.name
        throw CommandFailure(
          "version \(version.schema.version), '\(version.name)', reads back as something else\(place.map { " in '\($0)'" } ?? ""). Nothing was written."
        )
      }
    }
  }

  /// How many changes of all steps have a verdict.
  package func count(of verdict: Verdict) -> Int {
    frozen.steps.reduce(0) { $0 + $1.changes.count { $0.verdict == verdict } }
  }

  /// The steps with questions.
  package var openSteps: [AdoptedStep] { frozen.steps.filter { !$0.open.isEmpty } }

  /// Those of them that no earlier run has answered.
  var unansweredSteps: [AdoptedStep] {
    openSteps.filter { !answeredSteps.contains($0.version) }
  }
}
