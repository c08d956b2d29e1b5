import Foundation
import Testing

/// A schema's folder that is the top of a repository itself.
@Suite struct GitPlacesTests {
  let run: CommandRunner
  private static let schema = """
    schema: People
    version: 1
    models:
      Person:
        properties: { name: string }

    """

  init() throws { run = try CommandRunner() }

  private func write(_ text: String, to name: String) throws {
    let file = run.folder.appendingPathComponent(name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }

  private func shell(_ script: String) throws {
    let result = try run.shell("set -e\n" + script)
    #expect(result.status == 0, "\(script)\n\(result.output)\(result.errors)")
  }

  private static let commit = """
    git init -q -b main && git config user.name a && git config user.email a@b
    git add -A && git commit -q -m change

    """

  /// Version 1 is edited and sealed again, so that only git knows what it was.
  private func expectTheEditIsFound(in folder: String) throws {
    let result = try run.strata("check", "--against", "git:HEAD")
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output == "check: ok\n")

    try shell("sed -i.old 's/name: string/name: string?/' \(folder)/versions/1.yaml")
    try shell("rm \(folder)/versions/1.yaml.old && strata freeze --repair")

    let edited = try run.strata("check", "--against", "git:HEAD")
    #expect(edited.status == 1)
    #expect(edited.output.contains("STR4001"), "\(edited.output)\(edited.errors)")
  }

  @Test func aProjectThatIsItsSchemaFolder() throws {
    try write("schemas: .\n", to: "strata.yaml")
    try write(Self.schema, to: "People.yaml")
    try shell("strata freeze --date 2026-11-21\n" + Self.commit)

    for side in ["git:HEAD", "git:HEAD:"] {
      let result = try run.strata("diff", side)
      #expect(result.status == 0, "\(result.errors)")
      #expect(
        result.output.contains("\(side) and working version 1: no difference"), "\(result.output)")
    }
    try expectTheEditIsFound(in: ".")
  }

  /// As a submodule is: a repository of its own within that of the app.
  @Test func aSchemaFolderThatIsARepositoryWithinAnother() throws {
    try write(Self.schema, to: "schemas/People.yaml")
    try write("an app", to: "README")
    try shell("strata freeze --date 2026-11-21\n(cd schemas\n" + Self.commit + ")")
    try shell("echo schemas > .gitignore\n" + Self.commit)

    let result = try run.strata("diff", "git:HEAD")
    #expect(result.status == 0, "\(result.errors)")
    try expectTheEditIsFound(in: "schemas")
  }
}
