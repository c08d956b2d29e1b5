import StrataEvolution
import StrataExpression
package import StrataFrontend
package import StrataHistory
package import StrataSchema
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
  /// The folder in which a new step file would stand, as it is written.
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
  /// Whether there is nothing to check: neither declarations nor anything of a history.
  package var isEmpty: Bool { schemas.isEmpty && versions.isEmpty && lock == nil }

  /// Where a new step file would stand.
  package func stepPath(to number: Int) -> String {
    SourceFolder.path(of: "\(number).yaml", in: migrationsPath)
  }

  /// The schema of a version's file; nil where it is missing or has errors.
  package func schema(ofVersion number: Int) -> Schema? {
    var ignored = Diagnostics()
    return versions.first { StepReader.number(of: $0) == number }
      .flatMap { SchemaCompiler.compile([$0], isFrozen: true, reporting: &ignored)?.schema }
  }

  /// Of a seal that was never set.
  private static let anyDate = "2026-11-21"

  /// The lock that would fit the files, each line with a day that means nothing.
  package var impliedLock: VersionLock { impliedLock(dated: Self.anyDate) }

  /// The lock that would fit the files, for a project whose own cannot be read.
  ///
  /// - Parameter date: the day of each line; empty where it is to be seen that none is known.
  package func impliedLock(dated date: String) -> VersionLock {
    var ignored = Diagnostics()
    let blocks = SwiftFiles(swift).byVersion
    let numbers = versions.compactMap { StepReader.number(of: $0) }.sorted()
    var lines: [VersionLock.Line] = []
    for number in numbers {
      guard let schema = schema(ofVersion: number) else { continue }
      let step = steps.first { StepReader.number(of: $0) == number }
        .flatMap { StepReader.read($0, reporting: &ignored)?.step }
      lines.append(
        VersionLock.Line(
          version: number, date: date, shape: schema.shape,
          rules: schema.rulesDigest, cases: schema.casesDigest,
          step: StepDigest.digest(of: step, blocks: blocks[number, default: []].map(\.bytes)),
          after: lines.last?.chain))
    }
    return VersionLock(lines: lines)
  }
}

extension ProjectFiles {
  /// The folders of YAML that may be targets of the package, for the check that each has a Swift file.
  ///
  /// - Parameters:
  ///   - hasSwift: whether a Swift file stands in a folder or in one of its folders.
  package mutating func addTargets(
    schemasPath: String, manifest: SourceFile?, hasSwift: (String) -> Bool
  ) {
    guard let manifest else { return }
    self.manifest = manifest
    targets = [
      TargetFolder(
        path: schemasPath, files: schemas, hasSwift: hasSwift(schemasPath),
        nameOfSwiftFile: TargetFolder.nameOfModels),
      TargetFolder(
        path: migrationsPath, files: steps, hasSwift: !swift.isEmpty || hasSwift(migrationsPath),
        nameOfSwiftFile: TargetFolder.nameOfMigrations),
    ]
  }

  /// Whether a Swift file stands in a folder or in one of its folders.
  package static func hasSwift(in folder: String, depth: Int = 3) -> Bool {
    let names = (try? SourceFolder.list(folder)) ?? []
    return names.contains { name in
      name.hasSuffix(".swift")
        || (depth > 0 && !name.contains(".") && hasSwift(in: "\(folder)/\(name)", depth: depth - 1))
    }
  }
}
