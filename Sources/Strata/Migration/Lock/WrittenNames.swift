import StrataSQLite

/// Refuses an output or a backup that would take the name of something else that the upgrade, or SQLite, writes.
struct WrittenNames {
  let path: String
  let options: Upgrade.Options
  let files: any FileOperations

  /// What stands behind a database's name in the names of what belongs to it.
  private static let suffixes = ["-wal", "-shm", "-journal"]

  private typealias Name = (shown: String, place: String)

  func check() throws {
    let file: Name = (path, try place(of: path))
    let output: Name? = try options.output.map { ($0, try place(of: $0)) }
    let backup: Name? = try options.backup.map { ($0, try place(of: $0)) }
    if let output { try check(output, "--output", against: file) }
    guard let backup else { return }
    try check(backup, "--backup", against: file)
    if let output {
      try check(backup, "--backup", against: output)
      try check(output, "--output", against: backup)
    }
  }

  private func check(_ name: Name, _ option: String, against base: Name) throws {
    if name.place == base.place {
      throw MigrationError(
        .inputOutput,
        "\(name.shown) exists already, or is to be written: \(option) names a file of its own.")
    }
    if Self.belongs(name.place, to: base.place), !(options.keepsOldFile && option == "--backup") {
      throw MigrationError(
        .inputOutput,
        """
        \(name.shown) is a name that belongs to \(base.shown): what it is written or opened with is \
        called so. \(option) names another file.
        """)
    }
  }

  /// Whether a file of this name is taken for one that SQLite, an upgrade or the keeping of old files has made beside a database.
  static func belongs(_ name: String, to database: String) -> Bool {
    guard name.utf8.starts(with: database.utf8) else { return false }
    let rest = name.utf8.dropFirst(database.utf8.count)
    return suffixes.contains { rest.elementsEqual($0.utf8) }
      || rest.starts(with: AsideFile.suffix.utf8)
        && AsideFile.isOurs(rest.dropFirst(AsideFile.suffix.utf8.count))
      || KeptFiles.end(of: rest) != nil
  }

  private func place(of path: String) throws -> String { try Self.place(of: path, files) }

  /// The path without symbolic links, also where nothing stands there yet.
  static func place(of path: String, _ files: any FileOperations) throws -> String {
    if try files.exists(path) { return try files.realPath(of: path) }
    let folder = FilePaths.folder(of: path)
    guard try files.exists(folder) else { return path }
    let real = try files.realPath(of: folder)
    return (real == "/" ? "" : real) + "/" + FilePaths.name(of: path)
  }
}
