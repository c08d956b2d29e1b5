import Foundation
import StrataSource
import StrataYAML
import Testing

/// What docs/ci.md tells people to copy, copied and run.
@Suite("The page on CI")
struct ContinuousIntegrationTests {
  private struct Snippet {
    var language: String
    var text: String
  }

  private let snippets: [Snippet]

  init() throws {
    let page = CommandRunner.root.appendingPathComponent("docs/ci.md")
    let lines = String(decoding: try Data(contentsOf: page), as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    var snippets: [Snippet] = []
    var open: Snippet?
    for line in lines {
      guard line.hasPrefix("```") else {
        open?.text += line + "\n"
        continue
      }
      if let closed = open {
        snippets.append(closed)
        open = nil
      } else {
        open = Snippet(language: String(line.dropFirst(3)), text: "")
      }
    }
    self.snippets = snippets
  }

  @Test("Every YAML snippet is YAML")
  func yaml() {
    let texts = snippets.filter { $0.language == "yaml" }.map(\.text)
    #expect(texts.count >= 5)
    for text in texts {
      var diagnostics = Diagnostics()
      _ = YAMLComposer.compose(SourceFile(path: "ci.yaml", text: text), reporting: &diagnostics)
      #expect(diagnostics.sorted.map(\.message) == [], "\(text)")
    }
  }

  @Test("Every command that a snippet runs passes in a clean repository, and fails where it has to")
  func commands() throws {
    let commands = snippets.map { self.commands(in: $0.text) }.filter { !$0.isEmpty }
    #expect(commands.count >= 4)
    for lines in commands {
      let repository = try Clone()
      let script = lines.joined(separator: "\n")
      let clean = try repository.run("set -e\n" + script)
      #expect(clean.status == 0, "\(script)\n\(clean.output)\(clean.errors)")

      try repository.declare(2, "fullName: string, age: int, region: uuid")
      let found = try repository.run("set -e\n" + script)
      #expect(found.status == 1, "\(script)\n\(found.output)\(found.errors)")
    }
  }

  @Test("What the page says of formats is so: annotations, a JUnit report, SARIF")
  func formats() throws {
    let repository = try Clone()
    try repository.declare(2, "name: string, age: int, region: uuid")
    let annotations = try repository.run("strata check --against git:origin/main --format github")
    #expect(annotations.output.contains("::error file=schemas/People.yaml,line=5,"))
    _ = try repository.run("strata check --format junit > strata.xml")
    #expect(try repository.read("strata.xml").contains("<failure type=\"STR3202\""))
    _ = try repository.run("strata check --format sarif > strata.sarif")
    let sarif = try JSONSerialization.jsonObject(
      with: Data(try repository.read("strata.sarif").utf8))
    #expect((sarif as? [String: Any])?["version"] as? String == "2.1.0")
  }

  @Test("In a folder of its repository a project's files have the paths of the repository")
  func folders() throws {
    let repository = try Clone()
    let check = """
      mkdir -p apps/club && mv schemas apps/club && cd apps/club && mkdir -p work && cd work
      strata check --schemas ../schemas --migrations ../migrations --format
      """
    try repository.declare(2, "name: string, age: int, region: uuid")
    let github = try repository.run(check + " github")
    #expect(
      github.output.contains("::error file=apps/club/schemas/People.yaml,line=5,"),
      "\(github.output)\(github.errors)")
    let again = "cd apps/club/work && strata check --schemas ../schemas --migrations ../migrations"
    for format in ["gitlab", "sarif"] {
      let output = try repository.run("\(again) --format \(format)").output
      #expect(output.contains("\"apps/club/schemas/People.yaml\""), "\(output)")
    }
    let text = try repository.run(again).output
    #expect(text.contains("../schemas/People.yaml:5:"), "\(text)")
  }

  @Test("git answers where standard streams are closed", arguments: ["<&-", "2>&-", "<&- 2>&-"])
  func closedStreams(closed: String) throws {
    let repository = try Clone()
    let found = try repository.run("strata check --against git:origin/main \(closed)")
    #expect(found.status == 0, "\(found.errors)")
    #expect(found.output == "check: ok\n")
  }

  @Test("What a check fails for it shows")
  func hints() throws {
    let repository = try Clone()
    try repository.declare(2, "name: string, age: int, mail: string?")
    let failed = try repository.run("strata check --fail-on info")
    #expect(failed.status == 1)
    #expect(
      failed.output.contains(" info: ") && failed.output.contains("check: 1 hint"),
      "\(failed.output)")
    #expect(try repository.run("strata check").output == "check: ok\n")
  }

  @Test("A comment on a pull request tells what changes and what an upgrade does about it")
  func story() throws {
    let repository = try Clone()
    let same = try repository.run("strata check --format markdown")
    #expect(same.output.contains("No change for stored data: no version is new.\n"))
    #expect(same.status == 0)
    try repository.declare(2, "name: string, mail: string?")
    let open = try repository.run("strata check --against git:origin/main --format markdown")
    #expect(open.status == 1)
    #expect(open.output.hasPrefix("## Schema People\n"))
    #expect(
      open.output.contains(
        "**2 changes** from version 1 to working version 2 (against git:origin/main): **1 needs a step.**"
      ))
    #expect(open.output.contains("'Person.mail' is added | automatic |"))
    #expect(open.output.contains("- 🔴 **high** v2: 'Person.age' is removed"))
    #expect(open.output.contains("### Draft of the changelog"))
    #expect(open.output.contains("### Findings\n\n**1 error"))
    // The same as `docs` writes, with the findings.
    let story = try repository.run("strata docs --markdown --against git:origin/main")
    #expect(open.output.hasPrefix(story.output))
    let covered = try repository.run(
      "mkdir -p migrations; printf 'to: 2\\ndrop: [Person.age]\\n' > migrations/2.yaml; strata check --format markdown"
    )
    #expect(covered.output.contains("every change is automatic, covered by a step or accepted."))
    #expect(covered.output.contains("| covered by the step |"))
    try repository.declare(2, "name: strnig")
    let wrong = try repository.run("strata check --format markdown")
    #expect(wrong.output.hasPrefix("**1 error"), "\(wrong.output)")
  }

  @Test("The action's script annotates, writes the story and fails where check does")
  func action() throws {
    let repository = try Clone()
    try repository.declare(2, "fullName: string, age: int, region: uuid")
    let found = try repository.run(
      """
      export STRATA_COMMAND=strata GITHUB_OUTPUT=outputs GITHUB_STEP_SUMMARY=summary RUNNER_TEMP=.
      '\(actionScript)' check
      """)
    #expect(found.status == 1)
    #expect(found.output.contains("::error file=schemas/People.yaml"))
    #expect(try repository.read("outputs") == "story=./strata-story.md\n")
    #expect(try repository.read("strata-story.md").hasPrefix("## Schema People\n"))
    #expect(try repository.read("summary") == repository.read("strata-story.md"))
  }

  @Test(
    "In a whole clone the action and the template keep the history, which tells two branches apart",
    arguments: [false, true])
  func wholeClone(isGitLab: Bool) throws {
    let repository = try Clone()
    try repository.declare(2, "name: string, age: int, theirs: int?")
    try repository.freeze(
      "theirs", and: "git push -q origin HEAD:main && git reset -q --hard HEAD~1")
    try repository.declare(2, "name: string, age: int, ours: int?")
    try repository.freeze("ours")

    let found = try repository.run(
      isGitLab
        ? "export STRATA=strata STRATA_FAIL_ON=error; set -e\n" + template()
        : "STRATA_COMMAND=strata RUNNER_TEMP=. '\(actionScript)' check")

    #expect(found.status == 1)
    let text = try isGitLab ? repository.read("strata-codequality.json") : found.output
    #expect(text.contains("STR4003") && !text.contains("STR4001"), "\(text)\(found.errors)")
    let isShallow = try repository.run("git rev-parse --is-shallow-repository").output
    #expect(isShallow == "false\n")
  }

  @Test("A shallow clone stays one", arguments: [false, true])
  func shallowClone(isGitLab: Bool) throws {
    let repository = try Clone()
    let found = try repository.run(
      """
      export STRATA_COMMAND=strata STRATA=strata STRATA_FAIL_ON=error RUNNER_TEMP=.
      set -e
      git commit -q --allow-empty -m more && git push -q origin HEAD:main
      git clone -q --depth=1 "file://$PWD/.git/origin.git" shallow && cd shallow
      \(isGitLab ? try template() : "'\(actionScript)' check")
      git rev-list --count FETCH_HEAD
      """)
    #expect(found.status == 0, "\(found.errors)")
    #expect(found.output.hasSuffix("1\n"), "\(found.output)")
  }

  @Test(
    "The files that others take are YAML and name what is there",
    arguments: [
      ("action.yml", "scripts/action"), (".pre-commit-hooks.yaml", "strata check"),
      ("templates/gitlab.yml", "--format gitlab"),
    ])
  func files(name: String, part: String) throws {
    let url = CommandRunner.root.appendingPathComponent(name)
    let text = String(decoding: try Data(contentsOf: url), as: UTF8.self)
    var diagnostics = Diagnostics()
    _ = YAMLComposer.compose(SourceFile(path: name, text: text), reporting: &diagnostics)
    #expect(diagnostics.sorted.map(\.message) == [])
    #expect(text.contains(part))
  }

  private var actionScript: String {
    CommandRunner.root.appendingPathComponent("scripts/action").path
  }

  /// The script of the job in `templates/gitlab.yml`.
  private func template() throws -> String {
    let url = CommandRunner.root.appendingPathComponent("templates/gitlab.yml")
    let lines = String(decoding: try Data(contentsOf: url), as: UTF8.self).split(separator: "\n")
    let start = try #require(lines.firstIndex(of: "    - |"))
    return lines[(start + 1)...].prefix { $0.hasPrefix("      ") }.joined(separator: "\n")
  }

  /// The lines of a snippet that run `strata`, and what fetches for them, without the keys of YAML around them.
  private func commands(in text: String) -> [String] {
    text.split(separator: "\n").compactMap { line in
      var command = line.drop { $0 == " " || $0 == "-" }
      for key in ["run:", "entry:", "exec "] where command.hasPrefix(key) {
        command = command.dropFirst(key.count).drop { $0 == " " }
      }
      let isRun = ["strata ", "swift run strata ", "git fetch"].contains { command.hasPrefix($0) }
      return isRun ? command.replacingOccurrences(of: "swift run strata", with: "strata") : nil
    }
  }
}

/// A clone of a repository with a frozen version, on a branch of its own.
private struct Clone {
  let runner: CommandRunner

  init() throws {
    runner = try CommandRunner()
    try declare(1, "name: string, age: int")
    let made = try run(
      """
      set -e
      strata freeze --date 2026-11-21
      git init -q -b main
      git add -A
      git commit -q -m 'Version 1'
      git clone -q --bare . .git/origin.git
      git remote add origin "file://$PWD/.git/origin.git"
      git fetch -q
      git checkout -q -b change
      """)
    #expect(made.status == 0, "\(made.errors)")
  }

  func declare(_ version: Int, _ properties: String) throws {
    let folder = runner.folder.appendingPathComponent("schemas")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let text =
      "schema: People\nversion: \(version)\nmodels:\n  Person:\n    properties: { \(properties) }\n"
    try Data(text.utf8).write(to: folder.appendingPathComponent("People.yaml"))
  }

  /// Freezes and commits the working schema.
  func freeze(_ message: String, and next: String = "true") throws {
    let done = try run(
      "strata freeze --date 2026-11-22 && git add -A && git commit -q -m \(message) && \(next)")
    #expect(done.status == 0, "\(done.errors)")
  }

  func read(_ name: String) throws -> String {
    String(
      decoding: try Data(contentsOf: runner.folder.appendingPathComponent(name)), as: UTF8.self)
  }

  func run(_ script: String) throws -> CommandRunner.Result {
    try runner.shell(
      """
      export GITHUB_BASE_REF=main CI_MERGE_REQUEST_TARGET_BRANCH_NAME=main
      export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b

      """ + script)
  }
}
