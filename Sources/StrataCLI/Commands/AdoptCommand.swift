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
      and join tables as lists. What has no equivalent is listed in ADOPTED.md, and values that have \
      none in LEFT-OUT.jsonl; nothing is left out silently. The source is only read.
      """)

  @Argument(help: "The system: coredata, room, drift, realm or sqlite.") var system: AdoptSource
  @Argument(help: "The folder of its history; of Realm and SQLite, the file.") var source: String
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
    if let date, date.utf8.count != 10 || DateText.parse(date) == nil {
      throw ValidationError("--date takes a day such as 2026-11-21.")
    }
  }

  /// What has objects beside a schema; nil for a history.
  private func dataAdoption() throws -> (any DataAdoption)? {
    switch system {
    case .realm: try RealmAdoption(path: source, keyFile: keyFile, name: name)
    case .sqlite: try SQLiteAdoption(path: source, name: name)
    case .coredata, .room, .drift: nil
    }
  }

  func run() throws {
    let folder = try output.map { try AdoptedFolder(path: $0) }
    let file = try dataAdoption()
    let history = try file?.history ?? AdoptedProject.read(system, source, name: name)
    let project: AdoptedProject
    do throws(FreezeError) {
      project = try AdoptedProject(history, date: date ?? FreezeCommand.today)
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
