/// The migrations of a schema: its frozen versions and the Swift blocks between them.
///
/// Code generation writes the conformance; an app only names it:
///
/// ```swift
/// let store = try Store(path: "people.db", schema: PeopleSchema.self, migrations: PeopleMigrations.self)
/// ```
public protocol MigrationChain: SendableMetatype {
  /// Every frozen version with its declarative step. Parsed only when a file needs an upgrade.
  static var history: EmbeddedHistory { get }

  /// The Swift blocks, one for each version whose step names models under `swift:`.
  static var steps: [Step] { get }
}
