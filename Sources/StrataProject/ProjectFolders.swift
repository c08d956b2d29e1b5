import StrataEvolution
package import StrataFrontend
import StrataHistory
package import StrataSource

/// Where the folders of a project are, as they are written: as a command's options name them, else `strata.yaml`, else the usual ones.
package struct ProjectFolders: Sendable {
  package let schemas: String
  package let migrations: String
  private let settings: Settings
  private let isSchemasOption: Bool
  private let isMigrationsOption: Bool

  /// - Parameters:
  ///   - schemas: the folder of declarations, where an option names it.
  ///   - migrations: the folder of steps, where an option names it.
  package init(_ settings: Settings, schemas: String? = nil, migrations: String? = nil) {
    self.settings = settings
    self.schemas = schemas ?? settings.schemas ?? "schemas"
    self.migrations = migrations ?? settings.migrations ?? "migrations"
    isSchemasOption = schemas != nil
    isMigrationsOption = migrations != nil
  }

  /// The folder of frozen versions.
  package var versions: String { SourceFolder.path(of: "versions", in: schemas) }

  /// The file of the seal.
  package var lock: String { SourceFolder.path(of: VersionLock.fileName, in: schemas) }

  // MARK: What is missing

  /// The folder of declarations is not there.
  ///
  /// - Parameter tool: the command's name.
  package func noSchemas(tool: String) -> ProjectProblem {
    let advice =
      schemasEntry == nil
      ? "with --schemas, or run this where it is" : "there, or with --schemas"
    return ProjectProblem(
      schemasEntry, of: settings,
      "there is no '\(schemas)'. Name the schema's folder \(advice); `\(tool) init` writes one to begin with."
    )
  }

  /// The folder of declarations has none, nor anything of a history: it is the wrong one, or one that has yet to be begun.
  ///
  /// - Parameter tool: the command's name.
  package func noDeclarations(tool: String) -> ProjectProblem {
    ProjectProblem(
      schemasEntry, of: settings,
      "'\(schemas)' holds no declarations, which are files named *.yaml. `\(tool) init` writes some to begin with."
    )
  }

  /// The folder of steps is not there; nil where it may come later. Where one is named and steps are sealed, it is a mistyped name, and
  /// not steps that are gone one by one.
  package func noMigrations(lock: SourceFile?) -> ProjectProblem? {
    var ignored = Diagnostics()
    guard isMigrationsOption || migrationsEntry != nil, let lock,
      let reading = LockReader.read(lock, reporting: &ignored),
      reading.lock.lines.contains(where: { $0.step != nil })
    else { return nil }
    let advice = migrationsEntry == nil ? "with" : "there, or with"
    return ProjectProblem(
      migrationsEntry, of: settings,
      "there is no '\(migrations)', and \(self.lock) says that versions have steps. Name the folder of the steps \(advice) --migrations, or restore it from version control."
    )
  }

  /// The entry that names the folder of declarations, where no option does.
  private var schemasEntry: Settings.Reference? {
    isSchemasOption || settings.schemas == nil ? nil : .schemas
  }

  private var migrationsEntry: Settings.Reference? {
    isMigrationsOption || settings.migrations == nil ? nil : .migrations
  }
}

/// What a project names and does not have: the sentence with which commands end, and which an editor shows at the entry of
/// `strata.yaml`.
package struct ProjectProblem: Error, Hashable, Sendable {
  /// The entry that names it; nil where an option does, or where it is the usual folder.
  package let entry: Settings.Reference?
  package let message: String

  /// - Parameter reason: what is wrong, in sentences.
  package init(_ entry: Settings.Reference?, of settings: Settings, _ reason: String) {
    self.entry = entry
    message = settings.spelling(of: entry).map { "\($0): \(reason)" } ?? reason
  }
}

extension Settings {
  /// An entry for messages: `` `baseline: v3` of strata.yaml ``.
  fileprivate func spelling(of entry: Reference?) -> String? {
    let value =
      switch entry {
      case .schemas: schemas
      case .migrations: migrations
      case .baseline: baseline
      case nil: String?.none
      }
    guard let entry, let value else { return nil }
    return "`\(entry.rawValue): \(value)` of \(source?.path ?? Self.fileName)"
  }
}
