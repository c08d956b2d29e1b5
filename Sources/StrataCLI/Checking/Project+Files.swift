import StrataFrontend
import StrataHistory
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

  /// What stood in the folders at a revision, wherever they were then.
  func files(at revision: GitRevision) throws -> ProjectFiles {
    let yaml = SourceFolder.yamlExtensions
    let (schemas, migrations) = try folders(at: revision)
    return ProjectFiles(
      schemas: try revision.files(in: schemas, extensions: yaml).filter {
        $0.name != Settings.fileName
      },
      versions: try revision.files(in: versions(in: schemas), extensions: yaml),
      lock: try revision.lock(in: schemas),
      steps: try revision.files(in: migrations, extensions: yaml),
      swift: try revision.files(in: migrations, extensions: ["swift"]), settings: settings,
      migrationsPath: migrationsPath)
  }

  /// The lock at a revision; an empty one where there was none yet.
  func lock(at revision: GitRevision) throws -> SourceFile {
    try revision.lock(in: folders(at: revision).schemas)
      ?? SourceFile(path: VersionLock.fileName, text: VersionLock().text)
  }

  // MARK: - Folders that have moved

  /// Where the folders were: a lock that is in no place of the revision's any more, and is ours, tells it. Without that a project that
  /// has moved would count as new, and its versions as released to no one.
  private func folders(at revision: GitRevision) throws -> (schemas: String, migrations: String) {
    let own = (schemas: schemasPath, migrations: migrationsPath)
    guard seal != nil, try revision.lock(in: schemasPath) == nil else { return own }
    let moved = try revision.folders(ofGone: VersionLock.fileName).filter {
      try isOurs($0, at: revision)
    }
    // Of several none can be told to be it.
    guard moved.count == 1 else { return own }
    let migrations = moved[0].folderOfPath + "/" + migrationsPath.nameOfPath
    let extensions = SourceFolder.yamlExtensions + ["swift"]
    let isThere = try !revision.files(in: migrations, extensions: extensions).isEmpty
    return (moved[0], isThere ? migrations : migrationsPath)
  }

  /// Whether a folder held this project: the lock begins alike, or the frozen versions name the same schema.
  private func isOurs(_ folder: String, at revision: GitRevision) throws -> Bool {
    let first = try Self.firstLine(of: revision.lock(in: folder))
    if first != nil, first == Self.firstLine(of: seal) { return true }
    let there = try revision.files(
      in: versions(in: folder), extensions: SourceFolder.yamlExtensions)
    let name = there.lazy.compactMap(Self.schemaName).first
    return name != nil && name == versions.lazy.compactMap(Self.schemaName).first
  }

  private func versions(in schemas: String) -> String {
    schemas + "/" + versionsPath.nameOfPath
  }

  /// That of the oldest version, with all that it is sealed with.
  private static func firstLine(of lock: SourceFile?) -> String? {
    var ignored = Diagnostics()
    return lock.flatMap { LockReader.read($0, reporting: &ignored)?.lock.lines.first?.text }
  }

  /// As `freeze` writes it.
  private static func schemaName(_ version: SourceFile) -> Substring? {
    let mark = "schema: "
    return String(decoding: version.bytes, as: UTF8.self).split(separator: "\n")
      .first { $0.hasPrefix(mark) }?.dropFirst(mark.count)
  }
}

extension GitRevision {
  fileprivate func lock(in folder: String) throws -> SourceFile? {
    try files(in: folder, extensions: ["lock"]).first { $0.name == VersionLock.fileName }
  }
}
