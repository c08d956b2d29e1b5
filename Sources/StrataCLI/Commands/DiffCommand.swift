import ArgumentParser
import Strata
import StrataEvolution
import StrataExpression
import StrataFrontend
import StrataHistory
import StrataProject
import StrataSchema
import StrataSource

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

struct DiffCommand: JSONAnswering {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Says what changed between two schemas, and what each change asks of a step.",
    discussion: """
      FROM and TO are a version (v1), a folder of declarations, a declaration file, a database file, or git:REVISION; \
      git:REVISION:PATH is a folder or file of the repository as it was. Without \
      them the newest frozen version is compared with the declarations.
      """)

  @Argument(help: "The older side.", transform: PathArgument.name) var from: String?
  @Argument(help: "The newer side.", transform: PathArgument.name) var to: String?
  @Flag(help: "Exit with 1 when there is a difference.") var exitCode = false
  @Flag(help: "Print one JSON object.") var json = false
  @OptionGroup var folders: FolderOptions
  @OptionGroup var key: KeyOptions

  /// The sides that were named.
  var subject: [String: JSON] {
    ["from": from, "to": to].compactMapValues { $0.map(JSON.string) }
  }

  func run() throws {
    try key.apply()
    let project = OutputChoice.keepingFindings { try? Project.load(folders) }
    let sides = SchemaSides(project: project, folders: folders)
    let newer = try to.map { try sides.side($0) } ?? sides.working()
    let older = try from.map { try sides.side($0) } ?? sides.newestFrozen()
    let comparison = try sides.compare(older, newer)
    if json {
      Terminal.answer(comparison.json)
    } else {
      let usesColour = Terminal.usesColour(on: Terminal.results)
      // The lines have colours of their own.
      for line in comparison.lines(usesColour: usesColour) {
        Terminal.write(line + "\n", to: Terminal.results)
      }
    }
    if exitCode, !comparison.changes.isEmpty { throw ExitCode(ExitStatus.findings) }
  }
}

/// The changes from one schema to another, with what the steps between them cover.
struct SchemaComparison {
  struct Entry {
    var change: SchemaChange
    var isCovered: Bool
    var isAccepted: Bool
  }

  var from: String
  var to: String
  var changes: [Entry]

  var json: JSON {
    .object([
      "format": "strata.diff/1", "from": .string(from), "to": .string(to),
      "changes": .array(
        changes.map {
          .object([
            "rule": .string($0.change.kind.name), "code": .string($0.change.kind.code),
            "path": .string($0.change.path.description),
            "oldPath": $0.change.oldPath.map { .string($0.description) } ?? .null,
            "verdict": .string($0.change.verdict.rawValue), "covered": .bool($0.isCovered),
            "message": .string($0.change.message),
          ])
        }),
    ])
  }

  func lines(usesColour: Bool) -> [String] {
    let (from, to) = (TerminalText.plain(from), TerminalText.plain(to))
    guard !changes.isEmpty else { return ["\(from) and \(to): no difference"] }
    var lines = ["\(from) → \(to)"]
    for entry in changes {
      let (word, paint): (String, (String) -> String) =
        entry.change.verdict == .automatic
        ? ("automatic", { Style.good($0, isEnabled: usesColour) })
        : entry.change.verdict == .verified
          ? ("verified", { Style.bold($0, isEnabled: usesColour) })
          : entry.isCovered
            ? (entry.isAccepted ? "accepted" : "covered", { Style.bold($0, isEnabled: usesColour) })
            : ("needs a step", { Style.error($0, isEnabled: usesColour) })
      let code = Style.faint(entry.change.kind.code, isEnabled: usesColour)
      lines.append(
        "  \(paint(word.padded(to: 12)))  \(code)  \(TerminalText.plain(entry.change.message))")
    }
    let open = changes.count { !$0.isCovered }
    lines.append(
      counted(changes.count, "change")
        + (open == 0 ? ", none needs more than is there" : ", \(open) without a step"))
    return lines
  }
}

extension Project {
  /// Without the steps that have questions or mistakes left: what changed can be told all the same.
  fileprivate var withReadableSteps: Project {
    let readable = steps.filter { file in
      var ignored = Diagnostics()
      return StepReader.read(file, reporting: &ignored) != nil
    }
    return Project(
      folders: folders, schemas: schemas,
      versions: versions, seal: seal, steps: readable, settings: settings)
  }
}

/// One side of a comparison.
struct SchemaSide {
  var name: String
  var schema: Schema
  /// Its steps, where they are known: what leads to it and to the versions before it.
  var isOfProject = false
}

/// Finds the schemas that people name. What it read once it does not read again.
final class SchemaSides {
  let project: Project?
  let folders: FolderOptions
  private var knownHistory: History?
  private var knownWorking: Schema?

  init(project: Project?, folders: FolderOptions) {
    self.project = project
    self.folders = folders
  }

  private func required() throws -> Project {
    // Reads again to say what is missing.
    try project ?? Project.load(folders)
  }

  private func history() throws -> History {
    if let knownHistory { return knownHistory }
    let history = try required().withReadableSteps.history()
    knownHistory = history
    return history
  }

  private func workingSchema() throws -> Schema {
    if let knownWorking { return knownWorking }
    let schema = try required().compile().schema
    knownWorking = schema
    return schema
  }

  func working() throws -> SchemaSide {
    let schema = try workingSchema()
    return SchemaSide(
      name: "working version \(schema.version)", schema: schema, isOfProject: true)
  }

  func newestFrozen() throws -> SchemaSide {
    guard let newest = try history().newest else {
      throw CommandFailure("there is no frozen version to compare with.")
    }
    return SchemaSide(name: "v\(newest.number)", schema: newest.schema, isOfProject: true)
  }

  func side(_ name: String) throws -> SchemaSide {
    if name.hasPrefix("git:") {
      if let colon = name.dropFirst(4).firstIndex(of: ":") {
        let files = try GitRevision(
          String(name[name.index(name.startIndex, offsetBy: 4)..<colon]),
          of: project?.schemasPath ?? "."
        ).yamlFiles(at: String(name[name.index(after: colon)...]))
        return side(name, of: try compile(files))
      }
      let project = try required()
      let files = try project.files(
        at: GitRevision(String(name.dropFirst(4)), of: project.schemasPath))
      guard !files.schemas.isEmpty else {
        throw CommandFailure("\(name) has no declarations in \(project.schemasPath).")
      }
      return SchemaSide(name: name, schema: try compile(files.schemas), isOfProject: true)
    }
    if name.hasPrefix("v"), let number = Int(name.dropFirst()) {
      guard let version = try history().version(number) else {
        throw CommandFailure("there is no frozen version \(number).")
      }
      return SchemaSide(name: name, schema: version.schema, isOfProject: true)
    }
    do {
      let files = try SourceFolder.read(name)
      guard !files.isEmpty else { throw CommandFailure("'\(name)' holds no declarations.") }
      return side(name, of: try compile(files))
    } catch let error as SourceError {
      guard error.reason == .notAFolder else { throw CommandFailure("\(error).") }
    }
    if SourceFolder.yamlExtensions.contains(where: { name.hasSuffix("." + $0) }) {
      return side(name, of: try compile([try SourceFolder.read(file: name)]))
    }
    let stored = try FileInspector().stored(at: name)
    return SchemaSide(name: name, schema: stored.schema, isOfProject: true)
  }

  /// A file or folder that says what the project says of that version is the project's own: its steps count.
  private func side(_ name: String, of schema: Schema) -> SchemaSide {
    guard let project else { return SchemaSide(name: name, schema: schema) }
    // A broken project is no reason not to compare files: it is looked at without a word.
    var ignored = Diagnostics()
    if !project.versions.isEmpty, knownHistory == nil {
      knownHistory =
        HistoryReader.read(
          versions: project.versions, lock: project.seal, steps: project.steps,
          reporting: &ignored)?.history
    }
    if knownWorking == nil {
      knownWorking = SchemaCompiler.compile(project.schemas, reporting: &ignored)?.schema
    }
    let isOwn = schema == knownWorking || schema == knownHistory?.version(schema.version)?.schema
    return SchemaSide(name: name, schema: schema, isOfProject: isOwn)
  }

  private func compile(_ files: [SourceFile]) throws -> Schema {
    var diagnostics = Diagnostics()
    // A file or a revision may be a frozen version, and no classes are made of either.
    let compilation = SchemaCompiler.compile(
      files.filter { $0.name != Settings.fileName }, isFrozen: true, reporting: &diagnostics)
    try diagnostics.failOnErrors()
    guard let compilation else { throw CommandFailure("there is no schema to compare.") }
    return compilation.schema
  }

  // MARK: Comparing

  /// Both sides, with the project's steps between their versions where they are of its schema.
  func compare(_ older: SchemaSide, _ newer: SchemaSide) throws -> SchemaComparison {
    var steps: [(older: Schema, newer: Schema, step: MigrationStep?)] = []
    var frozen: [Schema] = []
    if older.isOfProject, newer.isOfProject, older.schema.version < newer.schema.version,
      let project,
      older.schema.name == newer.schema.name
    {
      var diagnostics = Diagnostics()
      let readable = project.steps.compactMap { StepReader.read($0, reporting: &diagnostics)?.step }
      let byVersion = Dictionary(
        readable.map { ($0.to, $0) }, uniquingKeysWith: { first, _ in first })
      // Nor here is a broken project a reason.
      let history =
        project.versions.isEmpty
        ? nil : OutputChoice.keepingFindings { try? self.history() }
      frozen = (history?.versions ?? []).map(\.schema)
      let between = frozen.filter {
        $0.version > older.schema.version && $0.version < newer.schema.version
      }
      var previous = older.schema
      for schema in between + [newer.schema] {
        steps.append((previous, schema, byVersion[schema.version]))
        previous = schema
      }
    }
    let chain = StepChain(steps, sealedVersions: Set(frozen.map(\.version)))
    let diff = SchemaDiff(from: older.schema, to: newer.schema, chain.correspondence)
    let covers = chain.coverage(from: older.schema, to: newer.schema)
    return SchemaComparison(
      from: older.name, to: newer.name,
      changes: diff.changes.map {
        .init(change: $0, isCovered: covers($0), isAccepted: chain.accepts($0))
      })
  }
}
