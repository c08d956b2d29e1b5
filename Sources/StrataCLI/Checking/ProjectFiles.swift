import StrataEvolution
import StrataExpression
package import StrataFrontend
import StrataHistory
import StrataSchema
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
  /// The folders that may be targets of a Swift package, and its manifest.
  package var targets: [TargetFolder] = []
  package var manifest: SourceFile?

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

extension ProjectFiles {
  /// What a version's file means; nil where it is missing or has errors.
  func shape(ofVersion number: Int) -> Digest? {
    var ignored = Diagnostics()
    return versions.first { StepReader.number(of: $0) == number }
      .flatMap { SchemaCompiler.compile([$0], reporting: &ignored)?.schema.shape }
  }

  /// Of a seal that nobody has set.
  private static let anyDate = "2026-11-21"

  /// The lock that would fit the files, for a project whose own cannot be read.
  var impliedLock: VersionLock {
    var ignored = Diagnostics()
    let blocks = SwiftFiles(swift).byVersion
    let numbers = versions.compactMap { StepReader.number(of: $0) }.sorted()
    var lines: [VersionLock.Line] = []
    for number in numbers {
      guard let shape = shape(ofVersion: number) else { continue }
      let step = steps.first { StepReader.number(of: $0) == number }
        .flatMap { StepReader.read($0, reporting: &ignored)?.step }
      lines.append(
        VersionLock.Line(
          version: number, date: Self.anyDate, shape: shape,
          step: StepDigest.digest(of: step, blocks: blocks[number, default: []].map(\.bytes)),
          after: lines.last?.chain))
    }
    return VersionLock(lines: lines)
  }
}

extension Project {
  /// What stands in the folders.
  func files() throws -> ProjectFiles {
    let swift = try swiftFiles().files
    var files = ProjectFiles(
      schemas: schemas, versions: versions, lock: seal, steps: steps, swift: swift,
      settings: settings, migrationsPath: migrationsPath)
    files.manifest = try? SourceFolder.read(file: "Package.swift")
    if files.manifest != nil {
      files.targets = [
        TargetFolder(
          path: schemasPath, files: schemas, hasSwift: Self.hasSwift(in: schemasPath),
          nameOfSwiftFile: "Models.swift"),
        TargetFolder(
          path: migrationsPath, files: steps,
          hasSwift: !swift.isEmpty || Self.hasSwift(in: migrationsPath),
          nameOfSwiftFile: "Migrations.swift"),
      ]
    }
    return files
  }

  /// Whether a Swift file stands in a folder or in one of its folders.
  private static func hasSwift(in folder: String, depth: Int = 3) -> Bool {
    let names = (try? SourceFolder.list(folder)) ?? []
    return names.contains { name in
      name.hasSuffix(".swift")
        || (depth > 0 && !name.contains(".") && hasSwift(in: "\(folder)/\(name)", depth: depth - 1))
    }
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
