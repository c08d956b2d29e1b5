import StrataFrontend
import StrataHistory
import StrataProject
import StrataSchema
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
    guard seal != nil, try revision.lock(in: schemasPath) == nil,
      let moved = try movedFolder(at: revision)
    else { return own }
    // What stands beside the repository is none of its folders.
    let above = moved == revision.top ? moved : moved.folderOfPath
    let name = migrationsPath.split(separator: "/").last.map(String.init) ?? migrationsPath
    let migrations = SourceFolder.path(of: name, in: above)
    let extensions = SourceFolder.yamlExtensions + ["swift"]
    let isThere = try !revision.files(in: migrations, extensions: extensions).isEmpty
    return (moved, isThere ? migrations : migrationsPath)
  }

  /// The folder that held our declarations at a revision, and is gone.
  ///
  /// - Returns: nil where there is none, and where it may be one of several.
  private func movedFolder(at revision: GitRevision) throws -> String? {
    let gone = try revision.folders(ofGone: VersionLock.fileName)
    let lines = Self.lines(of: seal)
    // A project that began as a copy of another one has the first lines of its lock.
    let alike = try gone.map { folder in
      try zip(lines, Self.lines(of: revision.lock(in: folder))).prefix { $0 == $1 }.count
    }
    let most = alike.max() ?? 0
    let found =
      most > 0
      ? zip(gone, alike).filter { $0.1 == most }.map(\.0)
      : try gone.filter { try isNamesake($0, at: revision) }
    return found.count == 1 ? found[0] : nil
  }

  /// Whether the oldest version in a folder is of the same schema as ours, where the locks have nothing in common: the names are equal,
  /// and so are at least half of the models. Another project may have the name alone.
  private func isNamesake(_ folder: String, at revision: GitRevision) throws -> Bool {
    let there = try revision.files(
      in: versions(in: folder), extensions: SourceFolder.yamlExtensions)
    guard let theirs = Self.oldest(of: there), let ours = Self.oldest(of: versions),
      theirs.name == ours.name
    else { return false }
    let models = (Set(theirs.models.map(\.name)), Set(ours.models.map(\.name)))
    return 2 * models.0.intersection(models.1).count >= max(models.0.count, models.1.count)
  }

  private func versions(in schemas: String) -> String {
    SourceFolder.path(of: versionsPath.nameOfPath, in: schemas)
  }

  /// The lines of a lock, the oldest version's first; none where it cannot be read.
  private static func lines(of lock: SourceFile?) -> [VersionLock.Line] {
    var ignored = Diagnostics()
    return lock.flatMap { LockReader.read($0, reporting: &ignored)?.lock.lines } ?? []
  }

  /// The schema of the oldest version that can be read.
  private static func oldest(of versions: [SourceFile]) -> Schema? {
    let numbered = versions.compactMap { file in StepReader.number(of: file).map { ($0, file) } }
    return numbered.sorted { $0.0 < $1.0 }.lazy.compactMap { _, file in
      var ignored = Diagnostics()
      return SchemaCompiler.compile([file], isFrozen: true, reporting: &ignored)?.schema
    }.first
  }
}

extension GitRevision {
  fileprivate func lock(in folder: String) throws -> SourceFile? {
    try files(in: folder, extensions: ["lock"]).first { $0.name == VersionLock.fileName }
  }
}
