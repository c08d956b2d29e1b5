import ArgumentParser
import Strata
import StrataExpression
import StrataFiles
import StrataHistory
import StrataSQLite
import StrataSchema
import StrataTesting

struct CreateCommand: FileJSONAnswering {
  static let configuration = CommandConfiguration(
    commandName: "create",
    abstract: "Makes a new database at any frozen version, empty or with sample data.")

  @Argument(help: "The file to make; it must not exist.", transform: PathArgument.parse)
  var file: String
  @Option(parsing: .unconditional, help: "The frozen version; the newest when left out.")
  var version: Int?
  @Option(
    parsing: .unconditional, help: ArgumentHelp("Sample objects of each model.", valueName: "rows"))
  var sample = 0
  @Option(parsing: .unconditional, help: "Decides what the sample objects are.") var seed: UInt64 =
    0
  @Option(
    help: ArgumentHelp(
      "How a file with a key is encrypted: \(CipherKind.allCases.map(\.rawValue).joined(separator: " or ")).",
      valueName: "cipher"))
  var cipher: CipherKind?
  @Flag(help: "Print one JSON object.") var json = false
  @OptionGroup var folders: FolderOptions
  @OptionGroup var key: KeyOptions

  func validate() throws {
    guard (0...SampleDatabase.maximumObjects).contains(sample) else {
      throw ValidationError("--sample is a number from 0 to \(SampleDatabase.maximumObjects).")
    }
  }

  func run() throws {
    let content = try key.apply(cipher)
    let history = try folders.upgradeTarget().history
    let number = version ?? history.newest?.number ?? 0
    guard let frozen = history.version(number) else {
      guard !history.versions.isEmpty else {
        throw CommandFailure(
          "\(history.name) has no frozen version yet. `\(Tool.name) freeze` makes the first one.",
          code: MigrationError(.brokenHistory, "").code)
      }
      let known = history.versions.map { String($0.number) }.joined(separator: ", ")
      throw CommandFailure("\(history.name) has no version \(number); it has \(known).")
    }
    Interruption.watch()
    let database = SampleDatabase(version: frozen, of: history)
    let counts = try database.create(
      at: file, objects: sample, seed: seed, isCancelled: { Interruption.isRequested })
    if json {
      let inspection = try FileInspector().inspect(
        file, target: UpgradeTarget(history: history))
      Terminal.answer(
        JSON.object([
          "format": "strata.create/1", "file": .string(file), "version": .int(Int64(number)),
          "counts": .object(inspection.counts.mapValues { .int(Int64($0)) }),
        ]))
    } else {
      let objects = sample == 0 ? "empty" : "\(grouped(sample)) objects of each model"
      let form = content.map { ", encrypted with \($0.form)" } ?? ""
      Terminal.print("\(file): \(history.name), version \(number), \(objects)\(form)")
      for (model, reason) in database.shortages(counts, objects: sample) {
        Terminal.print("  \(model): \(grouped(counts[model] ?? 0)), because \(reason)")
      }
    }
    if let path = key.path, let note = content?.note(of: path) { Terminal.note(note) }
  }
}
