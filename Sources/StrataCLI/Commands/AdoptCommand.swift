import ArgumentParser
import StrataAdopt
import StrataEvolution
import StrataSchema
import StrataSource

struct AdoptCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "adopt",
    abstract: "Brings a schema history of another system in.",
    discussion: """
      Reads every version of a Core Data model (FOLDER.xcdatamodeld), of the schemas that Room exports (a folder of N.json) \
      or of drift's (a folder of drift_schema_vN.json), and writes declarations, frozen versions, their seal and the steps \
      between them. What has no equivalent is listed in ADOPTED.md, nothing is left out silently. The source is only read.
      """)

  @Argument(help: "The system: coredata, room or drift.") var system: AdoptSource
  @Argument(help: "The folder of its history.") var source: String
  @Option(help: ArgumentHelp("The folder to write: a new or an empty one.", valueName: "dir"))
  var output: String?
  @Option(help: "The schema's name; made of the source's when left out.") var name: String?
  @Option(
    help: ArgumentHelp("The day of freezing; default: today, in UTC.", valueName: "yyyy-mm-dd"))
  var date: String?
  @Flag(help: "Print what would be written, and write nothing.") var dryRun = false
  @Flag(help: "Print one JSON object.") var json = false

  func validate() throws {
    if output == nil, !dryRun {
      throw ValidationError("--output names the folder to write; --dry-run only looks.")
    }
    if let date, date.utf8.count != 10 || DateText.parse(date) == nil {
      throw ValidationError("--date takes a day such as 2026-11-21.")
    }
  }

  func run() throws {
    let folder = try output.map { try AdoptedFolder(path: $0) }
    let history = try AdoptedProject.read(system, source, name: name)
    let project: AdoptedProject
    do throws(FreezeError) {
      project = try AdoptedProject(history, date: date ?? FreezeCommand.today)
    } catch {
      throw CommandFailure("\(error.message).")
    }
    try project.compareWithSource()
    if !dryRun { try folder?.write(project) }
    if json {
      Terminal.print(project.json(source: source, output: output, isDryRun: dryRun).prettyText)
    } else {
      Terminal.print(project.summary)
      for line in project.reportLines { Terminal.print(line) }
      Terminal.print(dryRun ? "nothing was written (--dry-run)" : "wrote \(output ?? "")")
    }
  }
}

extension AdoptSource: ExpressibleByArgument {}
