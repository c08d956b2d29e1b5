import StrataFrontend
import StrataProject
import StrataSource

/// What the disk holds of one project, read as `check` reads it.
struct ProjectFolder {
  /// How many folders above a file are looked through for its project.
  static let maximumDepth = 64

  /// The folder that the paths of messages are relative to, where `check` would run.
  let root: String
  private(set) var settingsFile: SourceFile?
  private var schemas: [SourceFile] = []
  private var versions: [SourceFile] = []
  private var lock: SourceFile?
  private var steps: [SourceFile] = []
  private var swift: [SourceFile] = []
  private var manifest: SourceFile?
  private var foldersWithSwift: Set<String> = []
  /// The folders that were read.
  private(set) var schemasPath = "schemas"
  private(set) var migrationsPath = "migrations"

  init(root: String) {
    self.root = root
    read(settings: nil)
  }

  /// The folder of the project that a file belongs to: the nearest one with a `strata.yaml`, else the nearest one in whose
  /// `schemas` or `migrations` the file stands.
  static func root(of path: String) -> String? {
    var folder = parent(path)
    var usual: String?
    for _ in 0..<maximumDepth {
      if exists(folder + "/" + Settings.fileName) { return folder }
      if usual == nil,
        path.hasPrefix(folder + "/schemas/") || path.hasPrefix(folder + "/migrations/"),
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
    settingsFile =
      settings
      ?? (try? SourceFolder.read(file: absolute(Settings.fileName))).map {
        SourceFile(path: Settings.fileName, bytes: $0.bytes)
      }
    var ignored = Diagnostics()
    let said = settingsFile.map { SettingsReader.read($0, reporting: &ignored) } ?? Settings()
    schemasPath = said.schemas ?? "schemas"
    migrationsPath = said.migrations ?? "migrations"
    let yaml = SourceFolder.yamlExtensions
    schemas = files(in: schemasPath, yaml)
    versions = files(in: schemasPath + "/versions", yaml)
    lock = (try? SourceFolder.read(file: absolute(schemasPath + "/schema.lock"))).map {
      SourceFile(path: schemasPath + "/schema.lock", bytes: $0.bytes)
    }
    steps = files(in: migrationsPath, yaml)
    swift = files(in: migrationsPath, ["swift"])
    manifest = (try? SourceFolder.read(file: absolute("Package.swift"))).map {
      SourceFile(path: "Package.swift", bytes: $0.bytes)
    }
    foldersWithSwift = Set(
      [schemasPath, migrationsPath].filter { ProjectFiles.hasSwift(in: absolute($0)) })
  }

  func absolute(_ path: String) -> String { path.hasPrefix("/") ? path : root + "/" + path }

  /// The path as `check` writes it; nil for a file outside of the project.
  func relative(_ path: String) -> String? {
    for folder in [schemasPath, migrationsPath] where folder.hasPrefix("/") {
      if Self.rest(of: path, in: folder) != nil { return path }
    }
    return Self.rest(of: path, in: root)
  }

  /// What of a path stands behind a folder that holds it, however deep; nil for other paths.
  ///
  /// Folders are counted, not bytes or characters: an editor may write `é` as one scalar in the folder's URI and as two in
  /// the file's.
  private static func rest(of path: String, in folder: String) -> String? {
    let slash = UInt8(ascii: "/")
    var depth = folder.utf8.count { $0 == slash }
    guard
      let end = path.utf8.firstIndex(where: { byte in
        guard byte == slash else { return false }
        depth -= 1
        return depth < 0
      }), path[..<end] == folder
    else { return nil }
    return String(path[path.utf8.index(after: end)...])
  }

  /// Whether a path, as `check` writes it, is one of the files that a check reads.
  func holds(_ path: String) -> Bool {
    guard !Self.name(path).hasPrefix(".") else { return false }
    let isYAML = SourceFolder.yamlExtensions.contains { path.hasSuffix("." + $0) }
    return switch Self.parent(path) {
    case schemasPath: isYAML || path.hasSuffix("/schema.lock")
    case schemasPath + "/versions": isYAML
    case migrationsPath: isYAML || path.hasSuffix(".swift")
    default: path == Settings.fileName
    }
  }

  /// The project's texts, with those that an editor has open in place of the disk's.
  ///
  /// - Parameter open: by path as `check` writes it.
  func files(open: [String: [UInt8]], settings: Settings) -> ProjectFiles {
    func merged(_ disk: [SourceFile], _ folder: String, _ extensions: [String]) -> [SourceFile] {
      var result: [SourceFile] = []
      result.reserveCapacity(disk.count)
      var added = open.filter { path, _ in
        Self.parent(path) == folder && !Self.name(path).hasPrefix(".")
          && Self.name(path) != Settings.fileName
          && extensions.contains { path.hasSuffix("." + $0) }
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
    let lockPath = schemasPath + "/schema.lock"
    var files = ProjectFiles(
      schemas: merged(schemas, schemasPath, yaml),
      versions: merged(versions, schemasPath + "/versions", yaml),
      lock: open[lockPath].map { SourceFile(path: lockPath, bytes: $0) } ?? lock,
      steps: merged(steps, migrationsPath, yaml), swift: merged(swift, migrationsPath, ["swift"]),
      settings: settings, migrationsPath: migrationsPath)
    files.addTargets(
      schemasPath: schemasPath, manifest: manifest, hasSwift: { foldersWithSwift.contains($0) })
    return files
  }

  private func files(in folder: String, _ extensions: [String]) -> [SourceFile] {
    let read = (try? SourceFolder.read(absolute(folder), extensions: extensions)) ?? []
    return read.filter { $0.name != Settings.fileName }.map { file in
      SourceFile(path: folder + "/" + file.name, bytes: file.bytes)
    }
  }

  // MARK: Paths

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
