import StrataFrontend
import StrataProject
import StrataSource

extension Project {
  /// What stands in the folders.
  func files() throws -> ProjectFiles {
    let swift = try swiftFiles().files
    var files = ProjectFiles(
      schemas: schemas, versions: versions, lock: seal, steps: steps, swift: swift,
      settings: settings, migrationsPath: migrationsPath)
    files.addTargets(
      schemasPath: schemasPath, manifest: try? SourceFolder.read(file: "Package.swift"),
      hasSwift: { ProjectFiles.hasSwift(in: $0) })
    return files
  }

  /// What stood in the folders at a revision.
  func files(at revision: GitRevision) throws -> ProjectFiles {
    let yaml = SourceFolder.yamlExtensions
    return ProjectFiles(
      schemas: try revision.files(in: schemasPath, extensions: yaml).filter {
        $0.name != Settings.fileName
      },
      versions: try revision.files(in: versionsPath, extensions: yaml),
      lock: try revision.files(in: schemasPath, extensions: ["lock"]).first {
        $0.name == "schema.lock"
      }, steps: try revision.files(in: migrationsPath, extensions: yaml),
      swift: try revision.files(in: migrationsPath, extensions: ["swift"]), settings: settings,
      migrationsPath: migrationsPath)
  }
}
