import ArgumentParser
import Strata
import StrataAdopt
import StrataEvolution
import StrataFiles
import StrataSQLite
import StrataSchema
import StrataSource

struct AdoptCommand: FileJSONAnswering {
  static let configuration = CommandConfiguration(
    commandName: "adopt",
    abstract: "Brings a schema history or a database file of another system in.",
    discussion: """
      Reads every version of a Core Data model (FOLDER.xcdatamodeld), of the schemas that Room exports (a folder of N.json) \
      or of drift's (a folder of drift_schema_vN.json), and writes declarations, frozen versions, their seal and the steps \
      between them. Of a Realm file (FILE.realm, formats 2 to 24, also encrypted and compacted) it writes the schema as one \
      frozen version, and a database with all objects; of a SQLite database (FILE.sqlite) the same, with foreign keys as links \
      and join tables as lists; of a store of Core Data or SwiftData, whose version it finds in the folder that --model \
      names, or reads from the store itself, too. What has no equivalent is listed in ADOPTED.md, and values that have \
      none in LEFT-OUT.jsonl; nothing is left out silently. The source is only read.

      Run again on a longer history, with --output naming the folder of the first run, it adds the new versions and leaves the \
      others, with their answers, as they are. With --into the objects of a newer file go into a database that is there, by \
      their primary keys.
      """)

  @Argument(help: "The system: coredata, room, drift, realm or sqlite.") var system: AdoptSource
  @Argument(
    help:
      "The folder of its history, or a file with objects: a Realm file, a SQLite database, a store.",
    transform: PathArgument.parse
  ) var source: String
  @Option(
    help: ArgumentHelp(
      "The folder to write: a new or an empty one, or that of an earlier run.", valueName: "dir"),
    transform: PathArgument.name)
  var output: String?
  @Option(
    help: ArgumentHelp(
      "Bring the file's objects into this database, by primary key, in one transaction.",
      valueName: "database"), transform: PathArgument.parse)
  var into: String?
  @Option(help: "The schema's name; made of the source's when left out.") var name: String?
  @Option(
    help: ArgumentHelp("The day of freezing; default: today, in UTC.", valueName: "yyyy-mm-dd"))
  var date: String?
  @Option(
    help: ArgumentHelp(
      "A file with the key of an encrypted file: of Realm 64 bytes, or 128 hexadecimal digits; of SQLCipher its key or passphrase, which the database that takes its objects has, too. For others STRATA_KEY_FILE names the key of that database.",
      valueName: "file"), transform: PathArgument.name)
  var keyFile: String?
  @Option(
    help: ArgumentHelp(
      "The model of a Core Data store, all versions of it.", valueName: "folder.xcdatamodeld"),
    transform: PathArgument.name)
  var model: String?
  @Option(
    help: ArgumentHelp(
      "The history of a SQLite database, as Room or drift exports it: all its versions.",
      valueName: "folder"), transform: PathArgument.name)
  var history: String?
  @Option(
    help: ArgumentHelp(
      "Begin at this version, the oldest that an owner still has to read; default: at the first.",
      valueName: "version"))
  var from: Int?
  @Option(
    help: ArgumentHelp(
      "Answer all questions of a kind: \(AdoptAnswers.known); may be repeated.",
      valueName: "kind=answer"))
  var answer: [String] = []
  @Flag(help: "Print what would be written, and write nothing.") var dryRun = false
  @Flag(help: "Print one JSON object.") var json = false
  @OptionGroup var colors: ColorOptions

  var file: String { source }
  static let memberOfFile = "source"

  func validate() throws {
    if output == nil, into == nil, !dryRun {
      throw ValidationError(
        "--output names the folder to write, --into a database that is there; --dry-run only looks."
      )
    }
    if keyFile != nil, system != .realm, system != .sqlite {
      throw ValidationError(
        "--key-file is for Realm files and SQLite databases; \(system.rawValue) has no encrypted ones."
      )
    }
    if history != nil, system != .sqlite {
      throw ValidationError("--history is the history of a SQLite database of Room or drift.")
    }
    if model != nil, system != .coredata {
      throw ValidationError("--model is the model of a Core Data store.")
    }
    if let date, date.utf8.count != 10 || DateText.parse(date) == nil {
      throw ValidationError("--date takes a day such as 2026-11-21.")
    }
    do {
      try AdoptAnswers.check(answer)
      if let name { _ = try SchemaName.make(name, near: "") }
    } catch let error as AdoptError {
      throw ValidationError("\(error).")
    }
  }

  /// What has objects beside a schema; nil for a history.
  private func dataAdoption(named name: String?, isAgain: Bool) throws -> (any DataAdoption)? {
    switch system {
    case .realm: try RealmAdoption(path: source, keyFile: keyFile, name: name)
    case .sqlite:
      try sqliteAdoption(named: name, isAgain: isAgain)
    case .coredata:
      CoreDataAdoption.isFile(source)
        ? try CoreDataAdoption(path: source, model: model, name: name) : nil
    case .room, .drift: nil
    }
  }

  /// - Parameter isAgain: whether the folder of an earlier run takes what it gives.
  private func sqliteAdoption(named name: String?, isAgain: Bool) throws -> SQLiteAdoption {
    do {
      // Of a database that cannot be read the merge says so.
      return try SQLiteAdoption(
        path: source, history: history, name: name, hasKey: keyFile != nil,
        as: into.flatMap { try? FileInspector().stored(at: $0).schema }, isAgain: isAgain)
    } catch let error as MigrationError where error.kind == .fileNotEncrypted {
      // Other commands propose `rekey`, which takes files of this package alone.
      throw MigrationError(
        .fileNotEncrypted,
        "\(source) was not opened: --key-file names its key, and it is not encrypted. Leave --key-file out; "
          + "\(KeyOptions.variable) names the key that the database which takes its objects is to have."
      )
    }
  }

  func run() throws {
    Interruption.watch()
    do {
      try adopt()
    } catch {
      // Whatever was going on, and however it has put it.
      try Interruption.check("Adopting \(source)")
      throw error
    }
  }

  private func adopt() throws {
    let update = try output.flatMap { try AdoptedUpdate(path: $0.withoutLastSlash) }
    let answers = try AdoptAnswers((update?.answers ?? []) + answer)
    var options = KeyOptions()
    // A Realm file has a key of its own, which --key-file names; the key of a SQLite database is also that of the one that is written.
    options.keyFile = system == .sqlite ? keyFile : nil
    let other = options.keyFile == nil ? nil : KeyOptions.pathInEnvironment
    var databaseKey: FileKey?
    if system != .room, system != .drift { databaseKey = try options.apply()?.key }
    if let other, let key = try? KeyFile.content(of: other).key, key != databaseKey {
      Terminal.note(
        "note: the key that \(KeyOptions.variable) names is not used: with --key-file the database has the key of the source"
      )
    }
    let folder = update == nil ? try output.map { try AdoptedFolder(path: $0) } : nil
    // The folder of an earlier run has a name.
    let name = self.name ?? update?.versions.last?.name
    let file = try dataAdoption(named: name, isAgain: update != nil || into != nil)
    if into != nil, file == nil {
      throw CommandFailure("\(source) has no objects: --into takes those of a file.")
    }
    if model != nil, file == nil {
      throw CommandFailure(
        "\(source) is no store: --model names the model of one. A model alone is adopted without it."
      )
    }
    var versions = try file?.history ?? AdoptedProject.read(system, source, name: name)
    if let from {
      versions = try AdoptedProject.beginning(versions, at: from)
      if let own = (file as? CoreDataAdoption)?.source.recognition.version
        ?? (file as? SQLiteAdoption)?.source.recognition?.version, own < from
      {
        throw CommandFailure(
          "\(source) is version \(own), which is before --from \(from). Nothing was written.")
      }
    }
    if let update { versions = try update.extending(versions, file: file) }
    var project: AdoptedProject
    do throws(FreezeError) {
      project = try AdoptedProject(
        versions, date: date ?? FreezeCommand.today, answers: answers)
    } catch {
      throw CommandFailure("\(error.message).")
    }
    project.answeredSteps = update?.answeredSteps ?? []
    project.keptSteps = update?.steps ?? [:]
    try project.compareWithSource()
    var data: AdoptedData?
    var merge: MergeReport?
    var notes: [String] = []
    func mergeObjects(with steps: String?) throws {
      guard let into, let file else { return }
      (data, merge) = try self.merge(file, into: into, of: project, steps: steps)
    }
    if let folder, !dryRun {
      let brought = try folder.write(project) {
        try into == nil ? file?.bring(into: $0, of: project) : nil
      } last: {
        try mergeObjects(with: $0)
      }
      data = data ?? brought
    } else if into == nil, dryRun || update == nil {
      // A folder that is there gets versions and no objects.
      data = try file?.bring(into: nil, of: project)
    }
    // Before the folder gets what is new in the source: where the database refuses the objects, nothing is written.
    if folder == nil || dryRun { try mergeObjects(with: update == nil ? nil : output) }
    if let update, !dryRun {
      notes = try update.write(project)
      if file != nil, into == nil {
        notes.append("its objects were not brought in: --into names the database that takes them")
      }
    }
    if !dryRun, let database = into ?? data?.database, let clear = data?.inTheClear(database) {
      Terminal.note("note: \(clear)")
    }
    print(project, data, merge, update, notes, databaseKey)
  }

  /// - Parameter steps: the folder that has the steps to the database's version; nil for none.
  private func merge(
    _ file: some DataAdoption, into database: String, of project: AdoptedProject, steps: String?
  ) throws -> (AdoptedData, MergeReport) {
    do {
      let outcome = try AdoptedMerge(path: database, folder: steps, shownFolder: output)
        .run(file, of: project, commits: !dryRun)
      return (outcome.data, outcome.report)
    } catch let error as MigrationError where error.kind == .fileEncrypted {
      let other = system == .realm ? "; --key-file is for that of the Realm file" : ""
      throw CommandFailure(
        "\(database) is encrypted, and no key of it was given: name the file that holds it with \(KeyOptions.variable)\(other). Nothing was written.",
        code: error.code)
    }
  }

  private func print(
    _ project: AdoptedProject, _ data: AdoptedData?, _ merge: MergeReport?,
    _ update: AdoptedUpdate?, _ notes: [String], _ key: FileKey?
  ) {
    if json {
      Terminal.answer(
        project.json(
          source: source, output: output, isDryRun: dryRun, data: data,
          merge: merge.map { (into ?? "", $0) }, added: update?.added(project)
        ))
      return
    }
    Terminal.print(project.summary, keepingLines: true)
    for line in project.reportLines(data) { Terminal.print(line) }
    if let data { Terminal.print(data.summary, keepingLines: true) }
    if let update {
      let added = update.added(project)
      Terminal.print(
        added.isEmpty
          ? "\(update.path) has all versions of the source"
          : "new in \(update.path): \(added.count == 1 ? "version" : "versions") \(added.map(String.init).joined(separator: ", "))"
      )
    }
    for note in notes { Terminal.print(note) }
    if let merge {
      Terminal.print("\(TerminalText.plain(into ?? "")): \(merge.summary)", keepingLines: true)
    }
    Terminal.print(
      dryRun
        ? "nothing was written (--dry-run)"
        : "wrote \([output, into].compactMap(\.self).joined(separator: " and "))")
    if let database = data?.database, merge == nil, let output {
      let schema = project.history.name
      let words = [output, database].map(\.inShell)
      // Open questions fail the check.
      let isAnswered = project.unansweredSteps.isEmpty
      let (moment, sealing) =
        isAnswered
        ? ("next", "") : ("next, when all is answered", "\(Tool.name) freeze --repair && ")
      // By its whole path, because the line goes to another folder.
      let path = KeyFile.isFromPipe ? "FILE" : KeyOptions.pathInEnvironment?.inShell
      let withKey = key == nil ? "" : path.map { " --key-file \($0)" } ?? ""
      Terminal.print(
        "\(moment): cd \(words[0]) && \(sealing)\(Tool.name) check\(withKey) && \(Tool.name) inspect \(words[1])\(withKey) && \(Tool.name) generate --output Generated"
      )
      let arguments =
        "path: \"\(database)\", schema: \(schema)Schema.self, migrations: \(schema)Migrations.self"
      guard let key else { return Terminal.print("open: try Store(\(arguments))") }
      let property: String
      switch key {
      case .bytes: property = "encryptionKey"
      case .passphrase: property = "passphrase"
      }
      Terminal.print(
        "open, with the package's trait Encryption: var configuration = Store.Configuration(\(arguments)); configuration.\(property) = …; try Store(configuration: configuration)"
      )
    }
  }
}

extension String {
  fileprivate var withoutLastSlash: String {
    count > 1 && hasSuffix("/") ? String(dropLast()) : self
  }

  /// One word of a shell's command line.
  var inShell: String {
    let plain = allSatisfy {
      $0.isASCII && ($0.isLetter || $0.isNumber || "/._-+:@%,".contains($0))
    }
    if plain, !isEmpty { return self }
    // By bytes: a quote with an accent on it is a quote.
    let escaped = utf8.split(separator: UInt8(ascii: "'"), omittingEmptySubsequences: false)
      .joined(separator: "'\\''".utf8)
    return "'" + String(decoding: Array(escaped), as: UTF8.self) + "'"
  }
}

extension AdoptSource: ExpressibleByArgument {}
