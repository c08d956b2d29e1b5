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

  /// `check` finds nothing against the baseline, and what others have is not sealed again.
  private func expectTheNewestIsReleased(in folder: String, _ schemas: String = "schemas") throws {
    try shell("cd \(folder) && strata check")
    let file = "\(folder)/\(schemas)/People.yaml"
    try shell("sed -i.old 's/name: string/name: string?/' \(file) && rm \(file).old")
    let amended = try run.shell("cd \(folder) && strata freeze --amend")
    #expect(amended.status == 1)
    #expect(amended.errors.contains("is in git:main: it is released"), "\(amended)")
  }

  /// The whole project, its folder of schemas alone, and one that is not committed there yet.
  @Test(arguments: [
    ("app", "git mv app core", "core", "schemas"),
    (
      "app", "git mv app/schemas app/decl && echo 'schemas: decl' >> app/strata.yaml", "app", "decl"
    ),
    ("app", "mv app core", "core", "schemas"),
  ])
  func aProjectThatHasMovedSinceItsBaseline(
    folder: String, move: String, now: String, schemas: String
  ) throws {
    try write(Self.schema, to: "\(folder)/schemas/People.yaml")
    try write("baseline: git:main\n", to: "\(folder)/strata.yaml")
    try shell("(cd \(folder) && strata freeze --date 2026-11-21)\n" + Self.commit)
    try shell("git checkout -q -b move && \(move)")

    try expectTheNewestIsReleased(in: now, schemas)

    // Another tool may have done it.
    try shell(
      "sed -i.old 's/name: string/name: string?/' \(now)/\(schemas)/versions/1.yaml && rm \(now)/\(schemas)/versions/1.yaml.old"
    )
    try shell("cd \(now) && strata freeze --repair")
    let edited = try run.shell("cd \(now) && strata check")
    #expect(edited.status == 1)
    #expect(edited.output.contains("STR4001"), "\(edited)")
  }

  /// What has gone is another schema, or has a twin.
  @Test(arguments: [
    "mv other old && mkdir app && cp -R old/. app && sed -i.old 's/Others/People/' app/schemas/*.yaml && git rm -rq --cached other && rm -r app/schemas/versions app/schemas/schema.lock old"
  ])
  func aProjectThatIsNewBesideOneThatIsGone(move: String) throws {
    try write(
      Self.schema.replacingOccurrences(of: "People", with: "Others"), to: "other/schemas/A.yaml")
    try shell("(cd other && strata freeze --date 2026-11-20)\n" + Self.commit)
    try shell(move)
    try write("baseline: git:main\n", to: "app/strata.yaml")
    try shell("rm -f app/schemas/*.old; cd app && strata freeze --date 2026-11-21 && strata check")

    let amended = try run.shell("cd app && strata freeze --amend")
    #expect(amended.status == 0, "\(amended)")
  }

  /// Each began by itself, or one as a copy of the other.
  @Test(arguments: [false, true])
  func projectsOfOneSchemaNameThatMoveTogether(isCopied: Bool) throws {
    try write(Self.schema, to: "apps/a/schemas/People.yaml")
    try write("baseline: git:main\n", to: "apps/a/strata.yaml")
    if isCopied {
      try shell("(cd apps/a && strata freeze --date 2026-11-20) && cp -R apps/a apps/b")
      let files = "apps/*/schemas/*.yaml"
      try shell("sed -i.old 's/version: 1/version: 2/; s/string }/string, age: int? }/' \(files)")
      try shell("rm \(files).old")
    } else {
      try shell("cp -R apps/a apps/b")
    }
    try shell("(cd apps/a && strata freeze --date 2026-11-21)")
    try shell("(cd apps/b && strata freeze --date 2026-11-22)\n" + Self.commit)
    try shell("git checkout -q -b move && git mv apps core")

    try expectTheNewestIsReleased(in: "core/a")
    try expectTheNewestIsReleased(in: "core/b")
  }

  /// What is gone had the schema's name, and nothing else of it.
  @Test func aProjectThatBeginsAnewUnderANameThatIsGone() throws {
    try write(Self.schema, to: "old/schemas/People.yaml")
    try shell("(cd old && strata freeze --date 2026-11-20)\n" + Self.commit)
    try shell("git rm -rq old")
    try write(
      Self.schema.replacingOccurrences(of: "Person", with: "Dog"), to: "new/schemas/Dogs.yaml")
    try write("baseline: git:main\n", to: "new/strata.yaml")

    try shell("cd new && strata freeze --date 2026-11-21 && strata check")
    let amended = try run.shell("cd new && strata freeze --amend")
    #expect(amended.status == 0, "\(amended)")
  }

  /// What it has released is not known then.
  @Test func aBaselineWhoseLockCannotBeRead() throws {
    try write(Self.schema, to: "schemas/People.yaml")
    try write("baseline: git:main\n", to: "strata.yaml")
    try shell("strata freeze --date 2026-11-21 && cp schemas/schema.lock whole")
    try shell("echo >> schemas/schema.lock\n" + Self.commit + "mv whole schemas/schema.lock")
    let file = "schemas/People.yaml"
    try shell("sed -i.old 's/name: string/name: string?/' \(file) && rm \(file).old")

    let amended = try run.strata("freeze", "--amend")

    #expect(amended.status == 3)
    #expect(amended.errors.contains("the lock has an empty line"), "\(amended)")
  }

  /// What stands beside the repository is none of its folders.
  @Test func aSchemaFolderThatWasTheTopOfItsRepository() throws {
    try write("another program's", to: "migrations/README")
    try write("schemas: .\n", to: "repository/strata.yaml")
    try write(Self.schema, to: "repository/People.yaml")
    try shell("cd repository && strata freeze --date 2026-11-21\n" + Self.commit)
    try shell("cd repository && git checkout -q -b move && mkdir schemas")
    try shell("cd repository && git mv People.yaml schema.lock versions schemas")
    try write("baseline: git:main\n", to: "repository/strata.yaml")

    try expectTheNewestIsReleased(in: "repository")
  }
}
