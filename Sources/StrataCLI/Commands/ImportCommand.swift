import ArgumentParser
import Strata
import StrataSchema

struct ImportCommand: FileJSONAnswering {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Stores JSON lines as objects of a database.",
    discussion: """
      An object with a primary key updates the one that has it; every other one is new. Everything is stored in one \
      transaction, or nothing; it begins when the first bytes have come, and others wait for its end. The form is that of `export`; lines that do not say their "$model" need --model.
      """)

  @Argument(help: "A database file.", transform: PathArgument.parse) var file: String
  @Argument(
    help: "Files of JSON lines; standard input when left out.", transform: PathArgument.name)
  var sources: [String] = []
  @Option(help: ArgumentHelp("The model of lines that do not say theirs.", valueName: "name"))
  var model: String?
  @Flag(help: "Print one JSON object.") var json = false
  @OptionGroup var folders: FolderOptions
  @OptionGroup var key: KeyOptions

  func run() throws {
    try key.apply()
    let target = try folders.optionalUpgradeTarget()
    Interruption.watch()
    let lines = LineReader(paths: sources) { Interruption.isRequested }
    let result: (created: Int, updated: Int)
    do {
      result = try ObjectImporter.run(
        into: file, target: target, model: model, isCancelled: { Interruption.isRequested },
        note: { Terminal.note($0) },
        awaitInput: { try Self.storingNothing { try lines.waitForInput() } },
        nextLine: { try Self.storingNothing { try lines.next() } })
    } catch let error as StoreError {
      throw CommandFailure("\(file): \(error)", code: error.code)
    } catch let error as ImportError {
      throw CommandFailure(
        "\(lines.place(ofLine: error.line)): \(error.message). Nothing was stored.",
        code: error.code)
    }
    if json {
      Terminal.answer(
        JSON.object([
          "format": "strata.import/1", "file": .string(file),
          "created": .int(Int64(result.created)), "updated": .int(Int64(result.updated)),
        ]))
    } else {
      Terminal.print(
        "\(file): \(grouped(result.created)) created, \(grouped(result.updated)) updated"
      )
    }
  }

  /// A source that cannot be read ends all.
  private static func storingNothing<Result>(_ read: () throws -> Result) throws -> Result {
    do {
      return try read()
    } catch let error as CommandFailure {
      throw CommandFailure(
        "\(error.message) Nothing was stored.", status: error.status, code: error.code)
    }
  }
}
