import ArgumentParser
import Strata
import StrataCodegen
import StrataExpression
import StrataFrontend
import StrataHistory
import StrataSchema
import StrataSource

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

struct GenerateCommand: ParsableCommand, JSONPrinting {
  static let configuration = CommandConfiguration(
    commandName: "generate",
    abstract: "Turns declarations and frozen versions into Swift, for builds without the plugin.",
    discussion: "Files that are up to date are left untouched.")

  enum Part: String, CaseIterable, ExpressibleByArgument {
    case models
    case migrations
    case all
  }

  @Option(
    help: ArgumentHelp("Where the files are written.", valueName: "dir"),
    transform: PathArgument.name)
  var output: String
  @Option(help: "What to generate.") var part: Part = .all
  @Option(help: "public, package or internal.") var access: AccessLevel?
  @Option(help: "A file for each model, for each file of declarations (source), or a single one.")
  var layout: GeneratorOptions.Layout = .model
  @Option(name: .customLong("import"), help: "A further module that generated files import.")
  var imports: [String] = []
  @Flag(help: "Write nothing; exit with 1 when the output is not up to date.") var check = false
  @Option(
    help: ArgumentHelp("Write what was read, for make, CMake and ninja.", valueName: "file"),
    transform: PathArgument.name)
  var depfile: String?
  @Flag(help: "Print one JSON object.") var json = false
  @OptionGroup var folders: FolderOptions

  func run() throws {
    let project = try Project.load(folders)
    let files = try generate(project)
    let folder = OutputFolder(output)
    if let depfile {
      try WrittenNames.check(
        depfile, "--depfile", databases: [],
        inputs: project.paths + files.map { folder.path(of: $0.name) })
    }
    let outdated = folder.outdated(files).map(\.name)
    let obsolete = folder.obsolete(besides: files)
    if !check {
      try folder.write(files)
      folder.removeObsolete(besides: files)
      if let depfile { try writeDependencies(to: depfile, project) }
    }
    if json {
      Terminal.answer(
        JSON.object([
          "format": "strata.generate/1", "output": .string(output),
          "files": .array(files.map { .string($0.name) }),
          "changed": .array(outdated.map(JSON.string)),
          "removed": .array(obsolete.map(JSON.string)),
        ]))
    } else {
      for name in outdated {
        Terminal.print(check ? "\(folder.path(of: name)) is not up to date" : folder.path(of: name))
      }
      for name in obsolete {
        Terminal.print(
          "\(folder.path(of: name)) \(check ? "is of nothing that is still declared" : "is removed")"
        )
      }
    }
    if check, !(outdated.isEmpty && obsolete.isEmpty) { throw ExitCode(ExitStatus.findings) }
  }

  private func writeDependencies(to path: String, _ project: Project) throws {
    // Where a build names its files in full, it takes other paths for those of a folder of its own.
    let folder = path.hasPrefix("/") ? currentFolder : ""
    let inputs = project.paths.map { $0.hasPrefix("/") ? $0 : folder + $0 }
    let text = DependencyFile.text(for: path, inputs: inputs)
    try OutputFolder(path.folderOfPath).replace(
      GeneratedFile(name: path.nameOfPath, text: text))
  }

  /// With a slash behind it.
  private var currentFolder: String {
    guard let path = getcwd(nil, 0) else { return "" }
    defer { free(path) }
    return String(cString: path) + "/"
  }

  private func generate(_ project: Project) throws -> [GeneratedFile] {
    var options = GeneratorOptions()
    let settings = project.settings.generation
    options.layout = layout
    if let level = access ?? settings.access.flatMap({ AccessLevel(rawValue: $0.rawValue) }) {
      options.access = level
    }
    options.imports = imports.isEmpty ? settings.imports : imports
    let compilation = try project.compile()
    var files: [GeneratedFile] = []
    if part != .migrations {
      files += ModelsGenerator(
        schema: compilation.schema, order: compilation.declarationOrder, options: options
      ).files()
    }
    if part == .migrations || (part == .all && !project.versions.isEmpty) {
      let reading = try project.readHistory()
      do {
        let history = try reading.history.including(
          working: compilation.schema, step: reading.steps[compilation.schema.version]?.step)
        files += MigrationsGenerator(history: history, options: options).files()
      } catch {
        throw CommandFailure("\(error); \(error.help)", status: ExitStatus.findings)
      }
    }
    return files
  }
}

extension AccessLevel: ExpressibleByArgument {}
extension GeneratorOptions.Layout: ExpressibleByArgument {}

extension Project {
  /// The paths of everything that was read, and of the folders that were looked through.
  var paths: [String] {
    let folders = [schemasPath, schemasPath + "/versions", migrationsPath]
      .filter { (try? SourceFolder.read($0)) != nil }
    let settings = try? SourceFolder.read(file: Settings.fileName)
    return folders
      + (schemas + versions + steps + [seal, settings].compactMap { $0 }).map(\.path)
  }
}

extension String {
  /// The folder that holds what this path names.
  var folderOfPath: String {
    guard let slash = lastIndex(of: "/") else { return "." }
    return slash == startIndex ? "/" : String(self[..<slash])
  }

  var nameOfPath: String { lastIndex(of: "/").map { String(self[index(after: $0)...]) } ?? self }
}
