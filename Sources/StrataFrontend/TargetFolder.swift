package import StrataSource

/// A folder of YAML that is a target of a Swift package.
package struct TargetFolder: Sendable {
  package let path: String
  /// Its YAML files, those directly in it.
  package let files: [SourceFile]
  /// Whether a Swift file stands in it or below.
  package let hasSwift: Bool
  /// The name of the Swift file that it can have.
  package let nameOfSwiftFile: String

  /// The Swift file of a folder of declarations, and that of a folder of steps.
  package static let nameOfModels = "Models.swift"
  package static let nameOfMigrations = "Migrations.swift"
  /// What is enough in it.
  package static let textOfSwiftFile =
    "// SwiftPM builds a target only with a Swift file of its own.\n"

  package init(path: String, files: [SourceFile], hasSwift: Bool, nameOfSwiftFile: String) {
    self.path = path
    self.files = files
    self.hasSwift = hasSwift
    self.nameOfSwiftFile = nameOfSwiftFile
  }

  /// SwiftPM leaves a target without Swift files out of the build, with a warning, and does not run its plugin: what imports the
  /// target then fails with "no such module". Nothing is said of folders that the manifest does not name.
  package func check(manifest: SourceFile?, reporting diagnostics: inout Diagnostics) {
    guard let manifest, let file = files.first, !hasSwift else { return }
    let text = String(decoding: manifest.bytes, as: UTF8.self)
    let plain = plainPath
    let isNamed = text.contains("\"\(plain)\"") || plain.hasPrefix("Sources/")
    guard text.contains("StrataPlugin"), isNamed else { return }
    let added = SourceFile(path: SourceFolder.path(of: nameOfSwiftFile, in: path), bytes: [])
    diagnostics.add(added)
    diagnostics.report(
      HistoryDiagnostic.targetWithoutSwift,
      "'\(path)' has no Swift file, and SwiftPM leaves a target without one out of the build",
      at: file.span(file.rangeOfLine(1)),
      help: "add \(added.path); a comment in it is enough",
      fixIt: FixIt(
        "write \(added.path)",
        edits: [
          FixIt.Edit(path: added.path, range: 0..<0, replacement: Self.textOfSwiftFile)
        ]))
  }

  /// As a manifest writes it, whatever way the settings do: `./Sources/Club/` is `Sources/Club` there.
  private var plainPath: String {
    let slash = UInt8(ascii: "/")
    guard path.utf8.first != slash else { return path }
    let parts = path.utf8.split(separator: slash).map { Substring($0) }.filter { $0 != "." }
    return parts.isEmpty ? "." : parts.joined(separator: "/")
  }
}
