import ArgumentParser
import Strata
import StrataFiles
import StrataSchema

struct SalvageCommand: FileJSONAnswering {
  static let configuration = CommandConfiguration(
    commandName: "salvage",
    abstract: "Saves what is readable of a damaged database in a new one.",
    discussion: """
      Rows around damaged pages are read one by one, and rows on whole pages that only damaged ones name are saved where it is \
      certain which table they are of. Links between objects that were saved are kept, others are taken out. What is \
      not in the new file is listed. The damaged file is not changed. Its own description of the schema has to be readable.
      """)

  @Argument(help: "A database file.", transform: PathArgument.parse) var file: String
  @Option(
    help: ArgumentHelp("The new file; it must not exist.", valueName: "path"),
    transform: PathArgument.parse)
  var output: String
  @Flag(help: "Print one JSON object.") var json = false
  @OptionGroup var key: KeyOptions
  @OptionGroup var printing: OutputOptions

  func run() throws {
    try key.apply()
    Interruption.watch()
    let report = try Salvage(
      path: file, output: output, isCancelled: { Interruption.isRequested }
    ).run()
    if json {
      Terminal.answer(
        JSON.object([
          "format": "strata.salvage/1", "file": .string(file), "output": .string(output),
          "version": .int(Int64(report.version)),
          "models": .array(
            report.models.map {
              .object([
                "model": .string($0.model), "saved": .int(Int64($0.saved)),
                "dropped": .int(Int64($0.dropped)), "cleared": .int(Int64($0.cleared)),
                "unreadable": .array(
                  $0.unreadable.map { .array([.int($0.lowerBound), .int($0.upperBound)]) }),
              ])
            }),
          "losses": .array(report.losses.map(JSON.string)),
          "problems": .array(report.problems.map(\.json)),
        ]))
    } else {
      Terminal.print("\(file) → \(output), version \(report.version)")
      for model in report.models {
        Terminal.print("  saved    \(grouped(model.saved)) \(model.model)")
      }
      for loss in report.losses { Terminal.print("  lost     \(loss)") }
      if report.isComplete {
        Terminal.print("  nothing was lost")
      } else if let first = report.problems.first {
        let more = report.problems.count - 1
        Terminal.print(
          "  damaged  \(first.message)\(more > 0 ? ", and \(grouped(more)) more" : "")"
        )
        if report.problems.contains(where: { $0.check == .sqlite }) {
          Terminal.print(
            "What stood in damaged places may have been read as something else: hold \(output) against a backup."
          )
        }
      }
    }
  }
}
