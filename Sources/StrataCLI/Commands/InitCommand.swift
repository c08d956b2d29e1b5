import ArgumentParser
import StrataCodegen
import StrataFrontend
import StrataProject
import StrataReference
import StrataSQLite
import StrataSchema

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

struct InitCommand: ParsableCommand, JSONPrinting {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Writes a schema to begin with, and prints the lines to add to Package.swift.",
    discussion: "Files that are there already are never touched.")

  @Argument(help: "The schema's name; that of the current folder when left out.") var name: String?
  @Flag(help: "Print one JSON object.") var json = false
  @OptionGroup var folders: FolderOptions

  func run() throws {
    let settings = try Project.readSettings()
    let named = ProjectFolders(settings ?? Settings())
    let schemas = folders.schemas ?? named.schemas
    let migrations = folders.migrations ?? named.migrations
    let isNamed = (named.schemas, named.migrations) == (schemas, migrations)
    let starter = Starter(
      name: try schemaName(), schemas: schemas, migrations: migrations,
      hasSettings: settings == nil && !isNamed)
    let files = POSIXFiles()
    for path in starter.files.map(\.path) + [starter.versionsLink.path]
    where try files.linkStatus(of: path) != nil {
      throw CommandFailure("\(path) is there already. Nothing was written.")
    }
    if try files.status(of: schemas)?.kind == .folder,
      try files.contents(ofFolder: schemas).contains(where: {
        $0.hasSuffix(".yaml") || $0.hasSuffix(".yml")
      })
    {
      throw CommandFailure("\(schemas) holds a schema already. Nothing was written.")
    }
    for file in starter.files {
      try OutputFolder(file.path.folderOfPath).write([
        GeneratedFile(name: file.path.nameOfPath, text: file.text)
      ])
    }
    let link = starter.versionsLink
    guard symlink(link.target, link.path) == 0 else {
      throw CommandFailure("\(link.path) cannot be made: \(String(cString: strerror(errno))).")
    }
    // A strata.yaml that is there already is not touched.
    report(starter, options: isNamed || starter.hasSettings ? [] : folders.inShell)
  }

  /// - Parameter options: what every command has to be given to find the folders, as a shell reads it.
  private func report(_ starter: Starter, options: [String]) {
    let paths = starter.files.map(\.path) + [starter.versionsLink.path]
    if json {
      Terminal.answer(
        JSON.object([
          "format": "strata.init/1", "schema": .string(starter.name),
          "files": .array(paths.map(JSON.string)), "manifest": .string(starter.manifestLines),
        ]))
    } else {
      for path in paths { Terminal.print("wrote \(path)") }
      Terminal.print("\nAdd to Package.swift:\n\n\(starter.manifestLines)", keepingLines: true)
      let (check, freeze) = (command("check", options), command("freeze", options))
      Terminal.print("`\(check)` judges the schema, `\(freeze)` seals its first version.")
    }
  }

  private func command(_ name: String, _ options: [String]) -> String {
    ([Tool.name, name] + options).joined(separator: " ")
  }

  private func schemaName() throws -> String {
    if let name {
      guard Names.isIdentifier(name), name.utf8.count <= Names.maximumLength,
        !Names.traps.contains(name)
      else {
        throw CommandFailure(
          "'\(name)' cannot be the name of a schema, which is an identifier: a letter or '_', then letters, digits and '_'.",
          status: ExitStatus.usage)
      }
      return name
    }
    let folder = try POSIXFiles().realPath(of: ".").nameOfPath
    let near = Names.identifier(near: folder) ?? "App"
    return near.prefix(1).uppercased() + near.dropFirst()
  }
}
