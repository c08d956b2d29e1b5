package import StrataSQLite

/// Refuses an output, a backup, a report or a journal that would take the name of something else that a command reads, or that it, or
/// SQLite, writes.
package struct WrittenNames {
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
    if let output {
      try checkLeadsSomewhere(output, "--output")
      try check(output, "--output", against: file)
    }
    guard let backup else { return }
    try checkLeadsSomewhere(backup, "--backup")
    try check(backup, "--backup", against: file)
    if let output {
      try check(backup, "--backup", against: output)
      try check(output, "--output", against: backup)
    }
  }

  /// Refuses a symbolic link to what is not there, as on a disk that is not mounted: the file would take the place of the link.
  private func checkLeadsSomewhere(_ name: Name, _ option: String) throws {
    guard try files.linkStatus(of: name.shown)?.kind == .link, try !files.exists(name.shown) else {
      return
    }
    let target = try files.readLink(name.shown)
    throw MigrationError(
      .inputOutput,
      """
      \(name.shown) is a link to \(target), which is not there; \(option) names a file that does not exist, and no link. \
      Nothing was written.
      """)
  }

  private func check(_ name: Name, _ option: String, against base: Name) throws {
    if name.place == base.place { throw Self.taken(name, option) }
    if Self.belongs(name.place, to: base.place), !(options.keepsOldFile && option == "--backup") {
      throw Self.belonging(name, to: base, "\(option) names another file")
    }
  }

  private static func taken(_ name: Name, _ option: String) -> MigrationError {
    MigrationError(
      .inputOutput,
      "\(name.shown) exists already, or is to be written: \(option) names a file of its own.")
  }

  private static func belonging(
    _ name: Name, to base: Name, _ help: String
  ) -> MigrationError {
    MigrationError(
      .inputOutput,
      """
      \(name.shown) is a name that belongs to \(base.shown): what it is written or opened with is \
      called so. \(help).
      """)
  }

  // MARK: - Files that are no databases

  /// Checks the name of a file that a command writes beside databases: a report, a journal, the new file of a salvage.
  ///
  /// Names are compared as places: another spelling, a symbolic or a hard link is the same file.
  /// - Parameters:
  ///   - option: that names it, for sentences.
  ///   - databases: those that the command reads and writes; what SQLite, an upgrade or the keeping of old files has beside one belongs
  ///     to it.
  ///   - inputs: other files that the command reads.
  /// - Throws: `MigrationError` for the name of one of them, or of what belongs to one.
  package static func check(
    _ path: String, _ option: String, databases: [String], inputs: [String] = [],
    files: any FileOperations = POSIXFiles()
  ) throws {
    let name: Name = (path, try place(of: path, files))
    let status = try files.status(of: path)
    // What is wrong with another name is told where it is used.
    let bases = databases.map { (shown: $0, place: (try? place(of: $0, files)) ?? $0) }
    let others = inputs.map { (shown: $0, place: (try? place(of: $0, files)) ?? $0) }
    for other in bases + others {
      let isLinked = status.map { isSame($0, (try? files.status(of: other.place)) ?? nil) } ?? false
      if name.place == other.place || isLinked { throw taken(name, option) }
    }
    for base in bases where belongs(name.place, to: base.place) {
      throw belonging(name, to: base, "\(option) names another file")
    }
  }

  private static func isSame(_ status: FileStatus, _ other: FileStatus?) -> Bool {
    other.map { $0.inode == status.inode && $0.device == status.device } ?? false
  }

  /// Checks the name of a new database: SQLite takes a file for the log of the database beside it that is called alike.
  static func checkIsNoLog(_ path: String, _ files: any FileOperations) throws {
    let place = try place(of: path, files)
    for suffix in suffixes where place.utf8.count > suffix.utf8.count && place.hasSuffix(suffix) {
      let database = String(place.dropLast(suffix.count))
      guard try files.status(of: database)?.kind == .file else { continue }
      throw belonging((path, place), to: (database, database), "Choose another name")
    }
  }

  // MARK: - Places

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

  /// The path without symbolic links and `..`, also where nothing stands there yet, nor folders that lead there.
  static func place(of path: String, _ files: any FileOperations) throws -> String {
    if try files.exists(path) { return try files.realPath(of: path) }
    let folder = FilePaths.folder(of: path)
    guard folder != path, try folder != "." || files.exists(folder) else { return path }
    let real = try place(of: folder, files)
    switch FilePaths.name(of: path) {
    case "", ".": return real
    case "..": return FilePaths.folder(of: real)
    case let name: return (real == "/" ? "" : real) + "/" + name
    }
  }
}
