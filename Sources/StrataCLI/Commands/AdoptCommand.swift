import ArgumentParser
import StrataAdopt
import StrataEvolution
import StrataSchema
import StrataSource

struct AdoptCommand: ParsableCommand {
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
      """)

  @Argument(help: "The system: coredata, room, drift, realm or sqlite.") var system: AdoptSource
  @Argument(
    help:
      "The folder of its history, or a file with objects: a Realm file, a SQLite database, a store."
  ) var source: String
  @Option(help: ArgumentHelp("The folder to write: a new or an empty one.", valueName: "dir"))
  var output: String?
  @Option(help: "The schema's name; made of the source's when left out.") var name: String?
  @Option(
    help: ArgumentHelp("The day of freezing; default: today, in UTC.", valueName: "yyyy-mm-dd"))
  var date: String?
  @Option(
    help: ArgumentHelp(
      "A file with the key of an encrypted Realm file: 64 bytes, or 128 hexadecimal digits.",
      valueName: "file"))
  var keyFile: String?
  @Option(
    help: ArgumentHelp(
      "The model of a Core Data store, all versions of it.", valueName: "folder.xcdatamodeld"))
  var model: String?
  @Option(
    help: ArgumentHelp(
      "Begin at this version, the oldest that an owner still has to read; default: at the first.",
      valueName: "version"))
  var from: Int?
  @Option(
    help: ArgumentHelp(
      "Answer all questions of a kind: required=zero, gone=drop, gone=rename; may be repeated.",
      valueName: "kind=answer"))
  var answer: [String] = []
  @Flag(help: "Print what would be written, and write nothing.") var dryRun = false
  @Flag(help: "Print one JSON object.") var json = false

  func validate() throws {
    if output == nil, !dryRun {
      throw ValidationError("--output names the folder to write; --dry-run only looks.")
    }
    if keyFile != nil, system != .realm {
      throw ValidationError(
        "--key-file is for Realm files; \(system.rawValue) has no encrypted ones.")
    }
    if model != nil, system != .coredata {
      throw ValidationError("--model is the model of a Core Data store.")
    }
    if let date, date.utf8.count != 10 || DateText.parse(date) == nil {
      throw ValidationError("--date takes a day such as 2026-11-21.")
    }
  }

  /// What has objects beside a schema; nil for a history.
  private func dataAdoption() throws -> (any DataAdoption)? {
    switch system {
    case .realm: try RealmAdoption(path: source, keyFile: keyFile, name: name)
    case .sqlite: try SQLiteAdoption(path: source, name: name)
    case .coredata:
      CoreDataAdoption.isFile(source)
        ? try CoreDataAdoption(path: source, model: model, name: name) : nil
    case .room, .drift: nil
    }
  }

  func run() throws {
    let answers = try AdoptAnswers(answer)
    let folder = try output.map { try AdoptedFolder(path: $0) }
    let file = try dataAdoption()
    if model != nil, file == nil {
      throw CommandFailure(
        "\(source) is no store: --model names the model of one. A model alone is adopted without it."
      )
    }
    var history = try file?.history ?? AdoptedProject.read(system, source, name: name)
    if let from {
      history = try AdoptedProject.beginning(history, at: from)
      if let own = (file as? CoreDataAdoption)?.source.recognition.version, own < from {
        throw CommandFailure(
          "\(source) is version \(own), which is before --from \(from). Nothing was written.")
      }
    }
    let project: AdoptedProject
    do throws(FreezeError) {
      project = try AdoptedProject(
        history, date: date ?? FreezeCommand.today, answers: answers)
    } catch {
      throw CommandFailure("\(error.message).")
    }
    try project.compareWithSource()
    let data: AdoptedData?
    if let folder, !dryRun {
      data = try folder.write(project) { try file?.bring(into: $0, of: project) }
    } else {
      data = try file?.bring(into: nil, of: project)
    }
    if json {
      Terminal.print(
        project.json(source: source, output: output, isDryRun: dryRun, data: data).prettyText)
    } else {
      Terminal.print(project.summary)
      for line in project.reportLines { Terminal.print(line) }
      if let data { Terminal.print(data.summary) }
      Terminal.print(dryRun ? "nothing was written (--dry-run)" : "wrote \(output ?? "")")
      if let database = data?.database, let output {
        Terminal.print(
          "next: cd \(output) && \(Tool.name) check && \(Tool.name) inspect \(database)")
      }
    }
  }
}

extension AdoptSource: ExpressibleByArgument {}
