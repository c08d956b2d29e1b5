import StrataCodegen
import StrataExpression
import StrataFrontend
import StrataSchema
import StrataSource

/// The files that one run reads.
struct SourceSet {
  /// The declarations that are being worked on; none where a history stands alone.
  private(set) var schemas: [SourceFile] = []
  private(set) var versions: [SourceFile] = []
  private(set) var steps: [SourceFile] = []
  private(set) var seal: SourceFile?
  private var settings: SourceFile?

  private let folders: [String]
  /// Where the steps stand, or would.
  let stepsFolder: String

  init(_ arguments: Arguments) throws(SourceError) {
    folders = [arguments.schemas, arguments.migrations, arguments.versions].compactMap { $0 }
    stepsFolder = arguments.migrations ?? "migrations"
    if let path = arguments.settings { settings = try SourceFolder.read(file: path) }
    switch arguments.command {
    case .models:
      schemas = try Self.yamlFiles(in: arguments.schemas ?? "")
      if schemas.isEmpty {
        throw SourceError(path: arguments.schemas ?? "", reason: .missing)
      }
      try readHistory(beside: arguments.schemas ?? "", steps: arguments.migrations)
    case .migrations:
      let folder = arguments.migrations ?? ""
      let frozen = arguments.versions ?? folder + "/versions"
      steps = try Self.yamlFiles(in: folder)
      versions =
        try Self.optional { () throws(SourceError) in try Self.yamlFiles(in: frozen) } ?? []
      // Declarations and seal stand beside the frozen versions; beside the steps themselves there are none.
      let beside = arguments.schemas ?? frozen.parentFolder
      if beside != folder {
        schemas =
          try Self.optional { () throws(SourceError) in try Self.yamlFiles(in: beside) } ?? []
      }
      if schemas.isEmpty, versions.isEmpty { throw SourceError(path: frozen, reason: .missing) }
      seal = try Self.optional { () throws(SourceError) in
        try SourceFolder.read(file: beside + "/schema.lock")
      }
    }
  }

  /// The frozen versions of the declarations, and their steps, where those are known.
  private mutating func readHistory(
    beside schemas: String, steps folder: String?
  ) throws(SourceError) {
    versions =
      try Self.optional { () throws(SourceError) in try Self.yamlFiles(in: schemas + "/versions") }
      ?? []
    seal = try Self.optional { () throws(SourceError) in
      try SourceFolder.read(file: schemas + "/schema.lock")
    }
    guard let folder else { return }
    steps =
      try Self.optional { () throws(SourceError) in try Self.yamlFiles(in: folder) } ?? []
  }

  /// What the project's strata.yaml says; what is wrong with it is said elsewhere.
  func readSettings() -> Settings {
    var ignored = Diagnostics()
    return settings.map { SettingsReader.read($0, reporting: &ignored) } ?? Settings()
  }

  /// The folders that were looked through, and the files that were read.
  var paths: [String] {
    folders + (schemas + versions + steps + [seal, settings].compactMap { $0 }).map(\.path)
  }

  /// The options of the command line, and what the settings say where the command line says nothing.
  func options(
    _ given: GeneratorOptions, reporting diagnostics: inout Diagnostics
  ) -> GeneratorOptions {
    guard let settings else { return given }
    let generation = SettingsReader.read(settings, reporting: &diagnostics).generation
    var options = given
    options.imports += generation.imports
    if let access = generation.access.flatMap({ AccessLevel(rawValue: $0.rawValue) }) {
      options.access = access
    }
    return options
  }

  /// Nil for what is not there; it may come later.
  private static func optional<T>(_ read: () throws(SourceError) -> T) throws(SourceError) -> T? {
    do {
      return try read()
    } catch  where error.reason == .missing {
      return nil
    }
  }

  private static func yamlFiles(in folder: String) throws(SourceError) -> [SourceFile] {
    try SourceFolder.read(folder).filter { $0.name != Settings.fileName }
  }
}
