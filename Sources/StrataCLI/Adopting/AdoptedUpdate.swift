import Strata
import StrataAdopt
import StrataCodegen
import StrataEvolution
import StrataFrontend
import StrataHistory
import StrataProject
import StrataSQLite
import StrataSchema
import StrataSource

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A folder of an earlier run: what its source has got since is added, and what is there stays as its owner has made it.
struct AdoptedUpdate {
  let path: String
  /// The frozen versions of the folder, in order.
  let versions: [Schema]
  /// Its steps, by the versions that they reach.
  let steps: [Int: MigrationStep]
  private let lock: VersionLock
  /// The answers of earlier runs, as `--answer` takes them.
  let answers: [String]
  /// What its report says of the objects that the earlier run brought, which stay.
  private let objects: String
  /// What it says of versions, which the source may not have any more.
  private let earlier: EarlierReport
  /// The versions whose steps ask nothing any more.
  let answeredSteps: Set<Int>

  /// Stands for the source's name where a version was frozen in the folder itself.
  private static let ownName = "as it was"
  private static let answerMark = "Answered at once: "

  /// Nil where the folder is new or empty.
  ///
  /// - Throws: `CommandFailure` where the folder holds something else than an adopted history.
  init?(path: String) throws {
    let files = POSIXFiles()
    guard try files.exists("\(path)/ADOPTED.md"), try files.exists("\(path)/schemas/schema.lock")
    else { return nil }
    self.path = path
    let (project, questions) = try Project.load(
      schemas: "\(path)/schemas", migrations: "\(path)/migrations"
    ).settingQuestionsAside()
    let frozen = try project.readHistory(checksSeal: false).history.versions
    versions = frozen.map(\.schema)
    steps = Dictionary(
      frozen.compactMap { version in version.step.map { (version.number, $0) } },
      uniquingKeysWith: { first, _ in first })
    let blocks = try project.swiftFiles().byVersion.filter { _, files in
      files.contains { !BlockQuestion.all(in: $0).isEmpty }
    }
    answeredSteps = Set(versions.map(\.version)).subtracting(questions.keys)
      .subtracting(blocks.keys)
    var diagnostics = Diagnostics()
    guard let seal = project.seal,
      let lock = LockReader.read(seal, reporting: &diagnostics)?.lock
    else {
      try diagnostics.failOnErrors()
      throw CommandFailure("\(path)/schemas/schema.lock cannot be read. Nothing was written.")
    }
    self.lock = lock
    let report = try Self.text(of: "\(path)/ADOPTED.md")
    let line = report.split(separator: "\n").first { $0.hasPrefix(Self.answerMark) } ?? ""
    let words = line.dropFirst(Self.answerMark.count).split(separator: " ")
    answers = words.map { word in String(word.filter { $0 != "`" }) }
    objects = AdoptedData.report(in: report)
    earlier = EarlierReport(report)
  }

  private static func text(of path: String) throws -> String {
    let file = try SourceFolder.read(file: path)
    return file.text(in: 0..<file.bytes.count)
  }

  /// A line of `ADOPTED.md` that the next run reads.
  static func line(_ answers: [String]) -> String {
    answers.isEmpty
      ? "" : "\n\(answerMark)\(answers.map { "`\($0)`" }.joined(separator: " "))\n"
  }

  /// The folder's versions with those of the source that are new.
  ///
  /// - Parameter file: the source, where it is a file; nil for a history.
  /// - Throws: `CommandFailure` where a version of the source is not the one of that number that the folder holds, or where the file is
  ///   older than all of the folder's, so that no step leads from it.
  func extending(_ history: AdoptedHistory, file: (any DataAdoption)? = nil) throws
    -> AdoptedHistory
  {
    if let file, let first = versions.first?.version, file.version < first,
      AdoptedProject.number(of: file, among: versions) == nil
    {
      throw CommandFailure(
        "\(path) begins at version \(first), and the file is version \(file.version): adopt it into a new folder first. Nothing was written."
      )
    }
    var history = history
    let newest = versions.last?.version ?? -1
    for version in history.versions {
      let number = version.schema.version
      guard let known = versions.first(where: { $0.version == number }) else {
        if number > newest || number < (versions.first?.version ?? 0) { continue }
        throw CommandFailure(
          "\(path) has no version \(number), '\(version.name)', and has later ones. Nothing was written."
        )
      }
      guard known.shape == version.schema.shape else {
        let differing = version.schema.models.first { known.model(named: $0.name) != $0 }?.name
        throw CommandFailure(
          "version \(number), '\(version.name)', is another one than the version \(number) of \(path)\(differing.map { ": '\($0)' differs" } ?? ""). Nothing was written."
        )
      }
    }
    let read = Dictionary(
      history.versions.map { ($0.schema.version, $0) }, uniquingKeysWith: { first, _ in first })
    let kept = versions.map { schema in
      read[schema.version]
        ?? AdoptedVersion(
          name: earlier.names[schema.version] ?? Self.ownName, schema: schema,
          notes: earlier.notes(of: schema.version))
    }
    // What is about a source as a whole is told anew where all of its versions are read again.
    if kept.contains(where: { read[$0.schema.version] == nil && $0.name != Self.ownName }) {
      history.notes += earlier.generalNotes
    }
    history.versions = kept + history.versions.filter { $0.schema.version > newest }
    // Reading has noted what is not as it was in steps between two versions that the source has.
    if let place = history.versions.firstIndex(where: { $0.schema.version > newest }), place > 0,
      read[newest] == nil
    {
      history.versions[place].notes += history.notesOfStep(
        from: history.versions[place - 1], to: history.versions[place])
    }
    return history
  }

  /// The numbers of the versions that come.
  func added(_ project: AdoptedProject) -> [Int] {
    let known = Set(versions.map(\.version))
    return project.history.versions.map(\.schema.version).filter { !known.contains($0) }
  }

  /// Writes the new versions, their steps and lines of the lock; the seal last, so that a run that is cut off is made again.
  ///
  /// - Returns: what could not be brought up to date, for people.
  func write(_ project: AdoptedProject) throws -> [String] {
    let added = added(project)
    var notes: [String] = []
    var lines = lock.lines
    for file in project.files {
      let number = Int(file.path.nameOfPath.prefix { $0.isNumber })
      guard let number, added.contains(number), !file.path.hasSuffix(".lock") else { continue }
      try write(file.path, file.text)
    }
    if !added.isEmpty, let text = project.files.first(where: { $0.path.hasSuffix(".lock") })?.text {
      var ignored = Diagnostics()
      let sealed = LockReader.read(
        SourceFile(path: VersionLock.fileName, text: text), reporting: &ignored)?.lock
      for line in sealed?.lines ?? [] where added.contains(line.version) {
        lines.append(
          VersionLock.Line(
            version: line.version, date: line.date, shape: line.shape, rules: line.rules,
            cases: line.cases, step: line.step, after: lines.last?.chain))
      }
      let declarations = "schemas/\(project.history.name).yaml"
      let current = try? Self.text(of: "\(path)/\(declarations)")
      if current == versions.last?.canonicalYAML, let newest = project.history.versions.last {
        try write(declarations, newest.schema.canonicalYAML)
      } else {
        notes.append(
          "\(declarations) was edited and stays as it is: the newest version is schemas/versions/\(added.max() ?? 0).yaml"
        )
      }
    }
    try write("ADOPTED.md", project.report(keeping: objects))
    if !added.isEmpty { try write("schemas/schema.lock", VersionLock(lines: lines).text) }
    return notes
  }

  private func write(_ name: String, _ text: String) throws {
    try SourceFile(path: "\(path)/\(name)", text: text).writeInPlace()
  }
}
