import StrataFrontend
import StrataHistory
import StrataProject
import StrataSource

/// What the disk holds of one project, read as `check` reads it.
struct ProjectFolder {
  /// How many folders above a file are looked through for its project.
  static let maximumDepth = 64

  /// The folder that the paths of messages are relative to, where `check` would run.
  let root: String
  /// The same behind all links.
  private var rootPlace: String
  private(set) var settingsFile: SourceFile?
  /// What it says; what is wrong with it is left out.
  private(set) var settings = Settings()
  /// What is wrong with it.
  private(set) var settingsFindings = Diagnostics()
  /// The folders as the settings name them.
  private var names = ProjectFolders(Settings())
  private var hasSchemas = false
  private var hasMigrations = false
  private var schemas: [SourceFile] = []
  private var versions: [SourceFile] = []
  private var lock: SourceFile?
  private var steps: [SourceFile] = []
  private var swift: [SourceFile] = []
  private var manifest: SourceFile?
  private var foldersWithSwift: Set<String> = []
  /// What keeps the folder from being read, as it keeps `check` from it.
  private(set) var problem: SourceError?
  /// The folders that were read.
  private var schemasFolder: Folder
  private var versionsFolder: Folder
  private var migrationsFolder: Folder

  /// A folder that a check reads.
  private struct Folder {
    /// As the settings write it, which may be `./schemas/`: so `check` writes it in messages.
    let written: String
    /// Where it is behind all links.
    let place: String
    /// The same by the editor's name of the project's folder, where that leads there.
    let absolute: String

    init(_ written: String, in root: String) {
      self.written = written
      let path = ProjectFolder.diskPath(written, in: root)
      place = ProjectFolder.place(of: path)
      // A `..` may lead elsewhere behind a link than in the editor's path.
      let normal = ProjectFolder.normal(path)
      absolute = ProjectFolder.place(of: normal) == place ? normal : place
    }

    /// The path of a file in it, as `check` writes it.
    func path(_ name: String) -> String { SourceFolder.path(of: name, in: written) }

    /// Whether a path, as `check` writes it, is one of a file in it.
    func holds(_ path: String) -> Bool { path == self.path(ProjectFolder.name(path)) }
  }

  /// - Parameter settings: the text of `strata.yaml` as an editor has it; nil for that of the disk.
  init(root: String, settings: SourceFile?) {
    self.root = root
    rootPlace = Self.place(of: root)
    schemasFolder = Folder(names.schemas, in: root)
    versionsFolder = Folder(names.versions, in: root)
    migrationsFolder = Folder(names.migrations, in: root)
    read(settings: settings)
  }

  /// The folder of the project that the files in a folder belong to: the nearest one with a `strata.yaml`, else the nearest one
  /// in whose `schemas` or `migrations` they stand.
  static func root(ofFilesIn inner: String) -> String? {
    var folder = inner
    var usual: String?
    for _ in 0..<maximumDepth {
      if exists(folder + "/" + Settings.fileName) { return folder }
      if usual == nil,
        ["/schemas/", "/migrations/"].contains(where: { (inner + "/").hasPrefix(folder + $0) }),
        exists(folder + "/schemas")
      {
        usual = folder
      }
      guard folder != "/", !folder.isEmpty else { break }
      folder = parent(folder)
    }
    return usual
  }

  /// Whether a folder looks like a project's.
  static func isRoot(_ folder: String) -> Bool {
    exists(folder + "/" + Settings.fileName) || exists(folder + "/schemas")
  }

  /// Reads everything again.
  ///
  /// - Parameter settings: the text of `strata.yaml` as an editor has it; nil for that of the disk.
  mutating func read(settings: SourceFile?) {
    problem = nil
    rootPlace = Self.place(of: root)
    settingsFile = settings ?? file(Settings.fileName)
    settingsFindings = Diagnostics()
    self.settings =
      settingsFile.map { SettingsReader.read($0, reporting: &settingsFindings) } ?? Settings()
    names = ProjectFolders(self.settings)
    schemasFolder = Folder(names.schemas, in: root)
    versionsFolder = Folder(names.versions, in: root)
    migrationsFolder = Folder(names.migrations, in: root)
    let yaml = SourceFolder.yamlExtensions
    let declarations = files(in: schemasFolder, yaml)
    hasSchemas = declarations != nil
    schemas = declarations ?? []
    versions = files(in: versionsFolder, yaml) ?? []
    lock = file(names.lock)
    let stepFiles = files(in: migrationsFolder, yaml)
    hasMigrations = stepFiles != nil
    steps = stepFiles ?? []
    swift = files(in: migrationsFolder, ["swift"]) ?? []
    manifest = (try? SourceFolder.read(file: diskPath("Package.swift"))).map {
      SourceFile(path: "Package.swift", bytes: $0.bytes)
    }
    foldersWithSwift = Set(
      [schemasFolder.written, migrationsFolder.written].filter {
        ProjectFiles.hasSwift(in: diskPath($0))
      })
  }

  /// Where `check` would look: the system follows `..` behind links, so that paths which are read stay as they are written.
  private func diskPath(_ path: String) -> String { Self.diskPath(path, in: root) }

  private static func diskPath(_ path: String, in root: String) -> String {
    path.hasPrefix("/") ? path : root + "/" + path
  }

  private var folders: [Folder] { [schemasFolder, versionsFolder, migrationsFolder] }

  /// Where a file is whose path is one that `check` writes, by the editor's name of the project's folder.
  func absolute(_ path: String) -> String {
    guard let folder = folders.first(where: { $0.holds(path) }) else {
      return Self.normal(diskPath(path))
    }
    return SourceFolder.path(of: Self.name(path), in: folder.absolute)
  }

  /// Where a file is whose path is one that `check` writes, behind all links.
  func place(of path: String) -> String {
    guard let folder = folders.first(where: { $0.holds(path) }) else {
      return FilePlace(absolute(path)).place
    }
    return SourceFolder.path(of: Self.name(path), in: folder.place)
  }

  /// The path, as `check` writes it, of a file that a check reads; nil for other files.
  ///
  /// Strings are compared, not bytes: an editor may write `é` as one scalar in the folder's URI and as two in the file's.
  ///
  /// - Parameter place: where the file is, behind all links.
  func path(of place: String) -> String? {
    let folder = Self.parent(place)
    let name = Self.name(place)
    if name == Settings.fileName { return folder == rootPlace ? name : nil }
    guard !name.hasPrefix(".") else { return nil }
    if name == VersionLock.fileName { return folder == schemasFolder.place ? names.lock : nil }
    let known = Self.isYAML(name) ? folders : name.hasSuffix(".swift") ? [migrationsFolder] : []
    return known.first { $0.place == folder }?.path(name)
  }

  /// Whether a path, as `check` writes it, is one of a file in the folder of steps.
  func isStep(_ path: String) -> Bool { migrationsFolder.holds(path) }

  /// The project's texts, with those that an editor has open in place of the disk's.
  ///
  /// - Parameter open: those of files that a check reads, by path as `check` writes it.
  func files(open: [String: [UInt8]]) -> ProjectFiles {
    func merged(_ disk: [SourceFile], _ folder: Folder, _ extensions: [String]) -> [SourceFile] {
      var result: [SourceFile] = []
      result.reserveCapacity(disk.count)
      var added = open.filter { path, _ in
        folder.holds(path) && extensions.contains { path.hasSuffix("." + $0) }
      }
      for file in disk {
        guard let bytes = added.removeValue(forKey: file.path) else {
          result.append(file)
          continue
        }
        result.append(SourceFile(path: file.path, bytes: bytes))
      }
      guard !added.isEmpty else { return result }
      result += added.map { SourceFile(path: $0.key, bytes: $0.value) }
      return result.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }
    let yaml = SourceFolder.yamlExtensions
    var files = ProjectFiles(
      schemas: merged(schemas, schemasFolder, yaml),
      versions: merged(versions, versionsFolder, yaml),
      lock: open[names.lock].map { SourceFile(path: names.lock, bytes: $0) } ?? lock,
      steps: merged(steps, migrationsFolder, yaml),
      swift: merged(swift, migrationsFolder, ["swift"]), settings: settings,
      migrationsPath: migrationsFolder.written)
    files.addTargets(
      schemasPath: schemasFolder.written, manifest: manifest,
      hasSwift: { foldersWithSwift.contains($0) })
    return files
  }

  /// What the settings name and the project does not have, as it would end a check; nil for nothing.
  ///
  /// A usual folder that is not there is not missed: a project may be begun with its settings.
  func missing(in files: ProjectFiles) -> ProjectProblem? {
    var problem: ProjectProblem?
    if files.isEmpty {
      problem = hasSchemas ? names.noDeclarations(tool: "strata") : names.noSchemas(tool: "strata")
    } else if !hasMigrations, files.steps.isEmpty, files.swift.isEmpty {
      problem = names.noMigrations(lock: files.lock)
    }
    return problem.flatMap { $0.entry == nil ? nil : $0 }
  }

  /// The files of a folder; nil where it is not there. None where it cannot be read.
  private mutating func files(in folder: Folder, _ extensions: [String]) -> [SourceFile]? {
    let path = diskPath(folder.written)
    do {
      return try SourceFolder.read(path, extensions: extensions)
        .filter { $0.name != Settings.fileName }
        .map { SourceFile(path: folder.path($0.name), bytes: $0.bytes) }
    } catch {
      if error.reason == .missing, error.path == path { return nil }
      if error.reason != .missing { problem = problem ?? error }
      return []
    }
  }

  private mutating func file(_ path: String) -> SourceFile? {
    do {
      return SourceFile(path: path, bytes: try SourceFolder.read(file: diskPath(path)).bytes)
    } catch {
      if error.reason != .missing { problem = problem ?? error }
      return nil
    }
  }

  // MARK: Paths

  /// An absolute path without `.`, `..` and empty parts, as editors write it.
  ///
  /// By bytes: to Swift, a slash and a mark that combines with it are one character.
  static func normal(_ path: String) -> String {
    var parts: [Substring] = []
    for part in path.utf8.split(separator: UInt8(ascii: "/")).map({ Substring($0) })
    where part != "." {
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    return "/" + parts.joined(separator: "/")
  }

  /// Where a folder is behind all links.
  static func place(of folder: String) -> String { normal(SourceFolder.place(of: folder)) }

  /// Whether a file is one of declarations or of a step by its name.
  static func isYAML(_ path: String) -> Bool {
    SourceFolder.yamlExtensions.contains { path.hasSuffix("." + $0) }
  }

  static func parent(_ path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "" }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  static func name(_ path: String) -> String {
    path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[path.index(after: $0)...]) }
      ?? path
  }

  private static func exists(_ path: String) -> Bool {
    do throws(SourceError) {
      _ = try SourceFolder.list(path)
      return true
    } catch {
      return error.reason == .notAFolder
    }
  }
}
