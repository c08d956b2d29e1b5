import StrataEvolution
import StrataFrontend
import StrataHistory
import StrataSchema
import StrataSource
import Testing

@testable import StrataCLI

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// Work trees, clones and revisions.
extension RepositoryTests {
  @Test("A linked work tree reads the same objects")
  func workTree() throws {
    let repository = try Repository.example()
    let linked = repository.path + "/linked"
    try repository.git("worktree", "add", "-q", linked)
    let other = Repository(at: linked)
    try other.declare(4, "name: string")
    #expect(try other.findings(against: "git:main") == ["STR3203 schemas/People.yaml:4:3"])
  }

  @Test("A shallow clone reads what it has, and says how to get what it has not")
  func shallow() throws {
    let repository = try Repository.example()
    try repository.declare(4, "name: string, age: int, email: string?")
    try repository.commit()
    let clone = Repository(at: repository.path + "-clone")
    _ = try Subprocess.run(
      "git", ["clone", "-q", "--depth=1", "file://" + repository.path, clone.path])
    #expect(try clone.findings(against: "git:HEAD") == [])
    let error = try #require(throws: CommandFailure.self) {
      try clone.findings(against: "git:v1.0")
    }
    #expect(
      error.message == "git has no revision 'v1.0' in this shallow clone. "
        + "Fetch it with 'git fetch --depth=1 origin v1.0' and name FETCH_HEAD.")
  }

  /// What the message says is done, and the revision is there as it was named, or as FETCH_HEAD.
  @Test(
    "The command that fetches a missing revision does",
    arguments: ["--depth=1", "--single-branch"],
    ["origin/other", "other", "v1.0", "HEAD~1", "origin/main~1", "refs/remotes/origin/other"])
  func fetched(_ kind: String, _ name: String) throws {
    let repository = try Repository.example()
    try repository.git("commit", "-q", "--allow-empty", "-m", "more")
    try repository.git("branch", "other", "HEAD~1")
    try repository.git("tag", "v1.0", "HEAD~1")
    let clone = Repository(at: repository.path + "-clone")
    _ = try Subprocess.run(
      "git",
      ["clone", "-q", kind, "--no-tags", "file://" + repository.path, clone.path])
    var named = name
    do {
      _ = try clone.findings(against: "git:" + name)
    } catch let error as CommandFailure {
      let parts = error.message.split(separator: "'").map(String.init)
      try #require(parts.count > 3, "\(error.message)")
      let command = parts[3].split(separator: " ").dropFirst().map(String.init)
      let run = try Subprocess.run("git", ["-C", clone.path] + command)
      #expect(run.status == 0, "\(error.message)")
      if error.message.hasSuffix("and name FETCH_HEAD.") { named = "FETCH_HEAD" }
    }
    #expect(throws: Never.self) { try clone.findings(against: "git:" + named) }
  }

  @Test("What no command fetches has no advice")
  func withoutAdvice() throws {
    let repository = try Repository.example()
    for (name, rest) in [
      ("FETCH_HEAD", " It is there once something was fetched: 'git fetch origin BRANCH'."),
      ("ORIG_HEAD", ""), ("HEAD~99", ""), ("other", ""),
    ] {
      let error = try #require(throws: CommandFailure.self) {
        try repository.findings(against: "git:" + name)
      }
      #expect(error.message == "git has no revision '\(name)' here.\(rest)")
    }
  }

  @Test("A revision that is not there, a folder without git, a name that is none")
  func missing() throws {
    let repository = try Repository.example()
    func message(_ name: String, _ repository: Repository) throws -> String {
      try #require(throws: CommandFailure.self) { try repository.findings(against: name) }.message
    }
    #expect(try message("git:nowhere", repository) == "git has no revision 'nowhere' here.")
    #expect(try message("git:--all", repository) == "'--all' is no revision of git.")
    #expect(
      try message("main", repository) == "'main' is neither git:REVISION nor a version such as v3.")
    try FileManager.default.removeItem(atPath: repository.path + "/.git")
    #expect(
      try message("git:HEAD", repository)
        == "git:HEAD needs a git repository, and this folder is in none.")
  }

  @Test("A folder that was there at the revision and is gone now is read")
  func goneFolder() throws {
    let repository = try Repository.example()
    let project = try repository.project
    try repository.remove("migrations")
    let revision = try GitRevision("HEAD", of: project.schemasPath)
    #expect(
      try revision.files(in: project.migrationsPath, extensions: ["yaml"]).map(\.name) == ["3.yaml"]
    )
    #expect(
      try revision.files(in: project.schemasPath + "/versions", extensions: ["yaml"]).count == 3)
    #expect(try revision.files(in: repository.path + "/nothing", extensions: ["yaml"]).isEmpty)
  }
}
