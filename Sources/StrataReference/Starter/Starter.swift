import StrataFrontend
import StrataSchema

/// The files that a new schema begins with: declarations that pass `strata check` and build.
package struct Starter: Sendable {
  package struct File: Hashable, Sendable {
    package let path: String
    package let text: String
  }

  /// The schema's name, an identifier.
  package let name: String
  /// The folder of the declarations, which is that of a target.
  package let schemas: String
  /// The folder of the steps, which is that of another one.
  package let migrations: String
  /// Whether a `strata.yaml` says where the two are, so that every command finds them.
  package let hasSettings: Bool

  package init(name: String, schemas: String, migrations: String, hasSettings: Bool = false) {
    self.name = name
    self.schemas = schemas
    self.migrations = migrations
    self.hasSettings = hasSettings
  }

  package var files: [File] {
    [
      File(path: "\(schemas)/\(name).yaml", text: declarations),
      File(path: "\(schemas)/Note.swift", text: Self.extensionOfNote),
      // Neither git nor SwiftPM see a folder without files.
      File(path: "\(schemas)/versions/.gitkeep", text: ""),
      File(path: "\(migrations)/Migrations.swift", text: commentOnSteps),
    ] + (hasSettings ? [File(path: Settings.fileName, text: settings)] : [])
  }

  /// Quoted as JSON does, which is YAML, too: a folder may have any name.
  private var settings: String {
    """
    schemas: \(JSON.string(schemas).canonicalText)
    migrations: \(JSON.string(migrations).canonicalText)

    """
  }

  /// The steps' target sees the frozen versions through a link, so that SwiftPM notices new ones.
  package var versionsLink: (path: String, target: String) {
    ("\(migrations)/versions", relativePath(from: migrations, to: "\(schemas)/versions"))
  }

  /// The lines to add to `Package.swift`.
  package var manifestLines: String {
    """
    // platforms, where the package names none
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],

    // dependencies
    .package(name: "strata", path: "../strata"),  // or the URL that it was cloned from

    // targets
    .target(
      name: "\(name)Models", dependencies: [.product(name: "Strata", package: "strata")],
      path: "\(schemas)", plugins: [.plugin(name: "StrataPlugin", package: "strata")]),
    .target(
      name: "\(name)Migrations", dependencies: [.product(name: "Strata", package: "strata")],
      path: "\(migrations)", plugins: [.plugin(name: "StrataPlugin", package: "strata")]),

    """
  }

  private var declarations: String {
    """
    # The schema of \(name). `strata json-schema > strata.schema.json` makes editors complete and check it.
    # yaml-language-server: $schema=\(editorSchema)
    schema: \(name)
    version: 0

    models:
      Note:
        doc: Something to remember.
        primaryKey: id
        properties:
          id: { type: uuid, generate: uuid }
          title: string
          text: { type: string, default: "" }
          created: { type: date, generate: now, indexed: true }
          priority: { type: Priority, default: normal }
          tags: [Tag]

      Tag:
        doc: A word that notes share.
        properties:
          name: { type: string, unique: true }
          notes: { linkingObjects: Note.tags }

    enums:
      Priority: { type: int, cases: { low: 0, normal: 1, high: 2 } }

    """
  }

  /// Beside the folder, or in the one from which that is named.
  private var editorSchema: String {
    let name = "strata.schema.json"
    let path = relativePath(from: schemas, to: name)
    return path == name ? "../\(name)" : path
  }

  private static let extensionOfNote = """
    // Generated classes get their behaviour in extensions.
    extension Note {
      /// Whether anything is written below the title.
      public var isEmpty: Bool { text.isEmpty }
    }

    """

  private var commentOnSteps: String {
    """
    // The steps between the versions of \(name): declarative ones in N.yaml, where N is the version that they reach, and Swift
    // blocks in N-Name.swift. SwiftPM takes a target without a Swift file of its own for empty, so that this one stays.

    """
  }

  /// Both paths are relative to the same folder, or absolute.
  private func relativePath(from folder: String, to target: String) -> String {
    guard !target.hasPrefix("/") else { return target }
    let depth = folder.split(separator: "/").filter { $0 != "." }.count
    guard !folder.hasPrefix("/"), !folder.split(separator: "/").contains("..") else {
      return target
    }
    return String(repeating: "../", count: depth) + target
  }
}
