package import StrataFrontend
package import StrataSource

/// The texts of a project, wherever they were read from: folders, or a revision of git.
package struct ProjectFiles: Sendable {
  /// Declarations.
  package var schemas: [SourceFile]
  package var versions: [SourceFile]
  package var lock: SourceFile?
  package var steps: [SourceFile]
  package var swift: [SourceFile]
  package var settings: Settings
  /// Where a new step file would stand.
  package var migrationsPath: String

  package init(
    schemas: [SourceFile] = [], versions: [SourceFile] = [], lock: SourceFile? = nil,
    steps: [SourceFile] = [], swift: [SourceFile] = [], settings: Settings = Settings(),
    migrationsPath: String = "migrations"
  ) {
    self.schemas = schemas
    self.versions = versions
    self.lock = lock
    self.steps = steps
    self.swift = swift
    self.settings = settings
    self.migrationsPath = migrationsPath
  }
}

extension Project {
  /// What stands in the folders.
  func files() throws -> ProjectFiles {
    ProjectFiles(
      schemas: schemas, versions: versions, lock: seal, steps: steps,
      swift: try swiftFiles().files, settings: settings, migrationsPath: migrationsPath)
  }

  /// What stood in the folders at a revision.
  func files(at revision: GitRevision) throws -> ProjectFiles {
    let yaml = SourceFolder.yamlExtensions
    return ProjectFiles(
      schemas: try revision.files(in: schemasPath, extensions: yaml).filter {
        $0.name != Settings.fileName
      },
      versions: try revision.files(in: schemasPath + "/versions", extensions: yaml),
      lock: try revision.files(in: schemasPath, extensions: ["lock"]).first {
        $0.name == "schema.lock"
      }, steps: try revision.files(in: migrationsPath, extensions: yaml),
      swift: try revision.files(in: migrationsPath, extensions: ["swift"]), settings: settings,
      migrationsPath: migrationsPath)
  }
}
