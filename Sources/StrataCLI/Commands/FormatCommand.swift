import ArgumentParser
import StrataFrontend
import StrataSQLite
import StrataSchema
import StrataSource

struct FormatCommand: ParsableCommand, JSONPrinting {
  static let configuration = CommandConfiguration(
    commandName: "format",
    abstract: "Writes declaration and step files in canonical form, comments kept.",
    discussion: """
      Without paths, the files of the schema's folder and of the steps' folder; frozen versions are left as they are. \
      Formatting changes neither what a file means nor the order in which it says it.
      """)

  @Argument(help: "Files, or folders of files.", transform: PathArgument.name)
  var paths: [String] = []
  @Flag(help: "Write nothing; exit with 1 when a file is not in canonical form.") var check = false
  @Flag(help: "Print one JSON object.") var json = false
  @OptionGroup var folders: FolderOptions

  func run() throws {
    var diagnostics = Diagnostics()
    var changed: [SourceFile] = []
    let files = try files()
    for file in files {
      guard let formatted = SourceFormatter.format(file, reporting: &diagnostics),
        formatted.bytes != file.bytes
      else { continue }
      changed.append(formatted)
    }
    // A file that cannot be read does not keep the others from being formatted.
    if !check {
      for file in changed { try file.writeInPlace() }
    }
    if json {
      Terminal.answer(
        JSON.object([
          "format": "strata.format/1", "files": .int(Int64(files.count)),
          "changed": .array(changed.map { .string($0.path) }),
        ]))
    } else {
      for file in changed {
        Terminal.print(check ? "\(file.path) is not in canonical form" : file.path)
      }
    }
    try diagnostics.failOnErrors(hasAnswered: json)
    if check, !changed.isEmpty { throw ExitCode(ExitStatus.findings) }
  }

  private func files() throws -> [SourceFile] {
    guard !paths.isEmpty else {
      let project = try Project.load(folders)
      return project.schemas + project.steps
    }
    var files: [SourceFile] = []
    for path in paths {
      do {
        if try POSIXFiles().status(of: path)?.kind == .folder {
          files += try SourceFolder.read(path)
        } else {
          let file = try SourceFolder.read(file: path)
          // Much else is YAML, too, as all JSON: it would be written over.
          guard SourceFolder.isSource(path) else {
            throw CommandFailure(
              "'\(path)' is no file of declarations or steps: their names end with .yaml or .yml. Nothing was written."
            )
          }
          files.append(file)
        }
      } catch let error as SourceError {
        throw CommandFailure("\(error).")
      }
    }
    return files
  }
}
