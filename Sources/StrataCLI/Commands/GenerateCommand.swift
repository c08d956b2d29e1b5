import ArgumentParser
import StrataCodegen
import StrataExpression
import StrataFrontend
import StrataSchema
import StrataSource

struct GenerateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "generate",
    abstract: "Turns declarations and frozen versions into Swift, for builds without the plugin.",
    discussion: "Files that are up to date are left untouched.")

  enum Part: String, CaseIterable, ExpressibleByArgument {
    case models
    case migrations
    case all
  }

  @Option(help: ArgumentHelp("Where the files are written.", valueName: "dir")) var output: String
  @Option(help: "What to generate.") var part: Part = .all
  @Option(help: "public, package or internal.") var access: AccessLevel?
  @Option(help: "A file for each model, for each file of declarations (source), or a single one.")
  var layout: GeneratorOptions.Layout = .model
  @Option(name: .customLong("import"), help: "A further module that generated files import.")
  var imports: [String] = []
  @Flag(help: "Write nothing; exit with 1 when the output is not up to date.") var check = false
  @Option(help: ArgumentHelp("Write what was read, for make, CMake and ninja.", valueName: "file"))
  var depfile: String?
  @Flag(help: "Print one JSON object.") var json = false
  @OptionGroup var folders: FolderOptions

  func run() throws {
    let project = try Project.load(folders)
    let files = try generate(project)
    let folder = OutputFolder(output)
    let outdated = folder.outdated(files).map(\.name)
    let obsolete = folder.obsolete(besides: files)
    if !check {
      try folder.write(files)
      folder.removeObsolete(besides: files)
      if let depfile { try writeDependencies(to: depfile, of: files, project) }
    }
    if json {
      Terminal.print(
        JSON.object([
          "format": "strata.generate/1", "output": .string(output),
          "files": .array(files.map { .string($0.name) }),
          "changed": .array(outdated.map(JSON.string)),
          "removed": .array(obsolete.map(JSON.string)),
        ]).prettyText)
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

  private func writeDependencies(
    to path: String, of files: [GeneratedFile], _ project: Project
  ) throws {
    let folder = OutputFolder(output)
    let text = DependencyFile.text(
      for: path, outputs: files.map { folder.path(of: $0.name) },
      inputs: [project.schemasPath] + (project.steps.isEmpty ? [] : [project.migrationsPath])
        + project.paths)
    try OutputFolder(path.folderOfPath).replace(
      GeneratedFile(name: path.nameOfPath, text: text))
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
  /// The paths of everything that was read.
  var paths: [String] { (schemas + versions + steps + (seal.map { [$0] } ?? [])).map(\.path) }
}

extension String {
  /// The folder that holds what this path names.
  var folderOfPath: String {
    guard let slash = lastIndex(of: "/") else { return "." }
    return slash == startIndex ? "/" : String(self[..<slash])
  }

  var nameOfPath: String { lastIndex(of: "/").map { String(self[index(after: $0)...]) } ?? self }
}
