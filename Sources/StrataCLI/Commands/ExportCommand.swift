import ArgumentParser
import Strata
import StrataFiles

struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Prints all objects of a database as JSON lines.",
    discussion: """
      One object a line: {"$model":"Person","$id":7,"fullName":"Ada","dogs":[{"$id":9}]}. Embedded objects stand \
      inside of their owners. `import` reads the same form. Realm files are read, too; encrypted ones with \
      their key of 64 bytes.
      """)

  @Argument(help: "A database file.", transform: PathArgument.parse) var file: String
  @Option(help: ArgumentHelp("Only objects of this model; may be repeated.", valueName: "name"))
  var model: [String] = []
  @Flag(help: "JSON lines are the only form; accepted for symmetry.") var json = false
  @OptionGroup var folders: FolderOptions
  @OptionGroup var key: KeyOptions

  func run() throws {
    try key.apply()
    if let realm = try RealmCopy(file, key: key) {
      return try realm.with { copy, data in
        try ObjectExporter.exportPieces(of: copy, shownAs: file, target: nil, models: model) {
          if Interruption.isRequested {
            throw MigrationError(.cancelled, "The export of \(file) was cancelled.")
          }
          try Terminal.writeResult($0)
        }
        if data.leftOut > 0 {
          Terminal.note(
            "\(file): \(data.leftOut) values cannot be written in this form; 'adopt realm' keeps them in \(AdoptedData.leftOutName)"
          )
        }
      }
    }
    let target = try folders.optionalUpgradeTarget()
    try ObjectExporter.exportPieces(of: file, target: target, models: model) {
      try Terminal.writeResult($0)
    }
  }
}
