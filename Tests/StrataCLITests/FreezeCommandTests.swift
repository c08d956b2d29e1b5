import Foundation
import StrataSchema
import Testing

/// `strata freeze` as a user runs it: what it asks for, and what is left where it is interrupted.
@Suite("strata freeze")
struct FreezeCommandTests {
  let run: CommandRunner

  /// Version 0 of a key, frozen.
  init() throws {
    run = try CommandRunner()
    try declare(0, "primaryKey: a, properties: { a: int, b: int }")
    try shell("strata freeze --date 2026-11-21")
  }

  // MARK: Questions

  @Test(
    "Questions of a step fail the check until the last one is answered, and are not sealed before")
  func questions() throws {
    try declare(1, "primaryKey: a, properties: { a: int, b: string, c: uuid }")
    try shell("strata freeze")
    #expect(try read("migrations/1.yaml").components(separatedBy: "???").count - 1 >= 2)
    #expect(try read("schemas/schema.lock").contains(" step=- "))

    #expect(try codes() == ["STR4106", "STR4106"])
    try replace("migrations/1.yaml", #/b: .*\?\?\?.*/#, "b: string(old.b)")
    #expect(try codes() == ["STR4106"])
    #expect(try run.strata("freeze", "--amend").errors.contains("has questions left"))
    #expect(try read("schemas/schema.lock").contains(" step=- "))

    try replace(
      "migrations/1.yaml", #/c: \?\?\?/#, "c: uuid('00000000-0000-0000-0000-000000000000')")
    try shell("strata freeze --amend")
    #expect(try codes() == [])
    #expect(try !read("schemas/schema.lock").contains("1 date=2026-11-21 step=- "))
  }

  @Test("What it prints names the folder in which the step is written")
  func otherFolder() throws {
    try declare(1, "primaryKey: a, properties: { a: int, b: string }")

    let result = try run.strata("freeze", "--migrations", "Sources/Steps")

    #expect(result.output.contains("1 change needs a word in Sources/Steps/1.yaml:"))
    #expect(!(result.output + result.errors).contains("migrations/"), "\(result.output)")
    #expect(try read("Sources/Steps/1.yaml").contains("???"))
  }

  @Test(
    "A step that cannot be read is rejected, as check rejects it, and nothing is written",
    arguments: [
      ("rename: { Key.a: c, Key.b: c }", "STR4105"), ("drop: [Key.a, Key.a]", "STR4105"),
      ("foo: 1", "STR2001"), ("set: { Key: { c: 'old.a +' } }", "STR6002"),
      ("set: { Key: { c: '???' } }\nfoo: 1", "STR2001"),
    ])
  func unreadable(step: String, code: String) throws {
    try declare(1, "primaryKey: c, properties: { c: int }")
    try write("migrations/1.yaml", Data("to: 1\n\(step)\n".utf8))
    #expect(try codes().contains(code))
    let before = try everything()
    let result = try run.strata("freeze")
    #expect(result.status == 1)
    #expect(result.errors.contains("was not frozen, because `strata check` rejects it"))
    #expect(result.errors.contains(code) && !result.errors.contains("questions left"))
    #expect(try everything() == before)
  }

  @Test("A block that check rejects whatever a step says is not frozen with a scaffold, either")
  func rejectedWithScaffold() throws {
    try declare(1, "primaryKey: a, properties: { a: int, b: int, c: uuid }")
    let block = "static let toVersion1 = Step(to: 1) { step in let id = UUID() }\n"
    try write("migrations/1-Key.swift", Data(block.utf8))
    #expect(try codes().contains("STR4013"))
    let before = try everything()
    let result = try run.strata("freeze")
    #expect(result.status == 1)
    #expect(result.errors.contains("STR4013"))
    #expect(try everything() == before)
  }

  @Test("A block does not compile until its question is answered, and check knows it")
  func blocks() throws {
    try declare(1, "embedded: true, properties: { a: int, b: int }")
    try shell("strata freeze")
    #expect(try run.strata("check").status == 1)
    let errors = try compile()
    #expect(errors.count == 1)
    #expect(errors.first?.contains("1-Key.swift:6:12: error: say what becomes of Key") == true)

    try replace("migrations/1-Key.swift", #/ *#error.*\n/#, "")
    #expect(try compile() == [])
    try replace("migrations/1-Key.swift", #/in\n    }/#, "in\n      new.b = old.a\n    }")
    #expect(try compile() == [])
    try shell("strata freeze --amend && strata check")
  }

  @Test("Versions up to the one that the baseline names are released, and are not amended")
  func amendBaseline() throws {
    try write("strata.yaml", Data("baseline: v0\n".utf8))
    try declare(0, "primaryKey: a, properties: { a: int, b: int, c: int? }")
    let before = try everything()

    let amended = try run.strata("freeze", "--amend")

    #expect(amended.status == 1)
    #expect(amended.errors.contains("version 0 is in the baseline v0: it is released"))
    #expect(try everything() == before)

    try declare(1, "primaryKey: a, properties: { a: int, b: int, c: int? }")
    try shell("strata freeze")
    try declare(1, "primaryKey: a, properties: { a: int, b: int, d: int? }")
    try shell("strata freeze --amend && strata check")
  }

  enum LockDamage: CaseIterable {
    case noLastBreak, emptyLine, otherFirstLine, noFirstLine, conflict

    func damaging(_ lock: String) -> String {
      switch self {
      case .noLastBreak: String(lock.dropLast())
      case .emptyLine: lock.replacing("strata-lock 1\n", with: "strata-lock 1\n\n")
      case .otherFirstLine: lock.replacing("strata-lock 1", with: "Strata-Lock 1")
      case .noFirstLine: lock.replacing("strata-lock 1\n", with: "")
      case .conflict: "<<<<<<< ours\n\(lock)=======\n\(lock)>>>>>>> theirs\n"
      }
    }
  }

  /// Upgrades take the days for data (`generate: now`).
  @Test(
    "A repair of a damaged lock keeps the days of the lines that can be read",
    arguments: LockDamage.allCases)
  func daysStay(_ damage: LockDamage) throws {
    try declare(1, "primaryKey: a, properties: { a: int, b: int, c: int? }")
    try shell("strata freeze --date 2026-11-22")
    let lock = try read("schemas/schema.lock")
    try write("schemas/schema.lock", Data(damage.damaging(lock).utf8))
    #expect(try run.strata("check").status == 1)

    let repair = try run.strata("freeze", "--repair")

    #expect(repair.output.hasPrefix("the lock is written anew, as its lines say\n"))
    #expect(try read("schemas/schema.lock") == lock)
  }

  /// As git leaves the lock where two branches have frozen one version.
  @Test("Of two lines of a version a repair takes the one that fits to its file")
  func theFittingDayStays() throws {
    let locks = try ["c: int?", "d: int?"].enumerated().map { index, property in
      try declare(1, "primaryKey: a, properties: { a: int, b: int, \(property) }")
      try shell("strata freeze --date 2026-11-2\(2 + index)")
      let lock = try read("schemas/schema.lock")
      guard index == 0 else { return lock }
      try FileManager.default.removeItem(atPath: run.path("schemas/versions/1.yaml"))
      try write(
        "schemas/schema.lock",
        Data((lock.split(separator: "\n")[..<2].joined(separator: "\n") + "\n").utf8))
      return lock
    }
    let lines = locks.map { $0.split(separator: "\n")[2] }
    let merged =
      locks[0].split(separator: "\n")[..<2].joined(separator: "\n")
      + "\n<<<<<<< ours\n\(lines[0])\n=======\n\(lines[1])\n>>>>>>> theirs\n"
    try write("schemas/schema.lock", Data(merged.utf8))

    try shell("strata freeze --repair")

    #expect(try read("schemas/schema.lock") == locks[1])
  }

  @Test("Of two lines that fit equally a repair takes the first, and says which day goes")
  func theOtherDayIsTold() throws {
    try declare(1, "primaryKey: a, properties: { a: int, b: int, c: int? }")
    try shell("strata freeze --date 2026-11-22")
    let lock = try read("schemas/schema.lock")
    let lines = lock.split(separator: "\n")
    let merged =
      lines[..<2].joined(separator: "\n") + "\n<<<<<<< ours\n\(lines[2])\n=======\n"
      + lines[2].replacing("2026-11-22", with: "2026-11-23") + "\n>>>>>>> theirs\n"
    try write("schemas/schema.lock", Data(merged.utf8))

    let repair = try run.strata("freeze", "--repair")

    #expect(
      repair.output.hasPrefix(
        "version 1 has lines of several days: 2026-11-22 stays, 2026-11-23 goes\n"))
    #expect(try read("schemas/schema.lock") == lock)
  }

  @Test("A line that is lost gets the day of the repair, and the others keep theirs")
  func oneDayIsLost() throws {
    try declare(1, "primaryKey: a, properties: { a: int, b: int, c: int? }")
    try shell("strata freeze --date 2026-11-22")
    let lock = try read("schemas/schema.lock")
    try write(
      "schemas/schema.lock", Data(lock.replacing("0 date=2026-11-21", with: "0 date=?").utf8))

    let repair = try run.strata("freeze", "--repair", "--date", "2027-01-01")

    #expect(repair.output.contains("version 0 gets a line, dated 2027-01-01\n"))
    #expect(try read("schemas/schema.lock").contains("\n1 date=2026-11-22 "))
  }

  @Test("A dry run says what would be written, and writes nothing")
  func dryRun() throws {
    try declare(1, "primaryKey: b, properties: { a: int, b: string, c: uuid }")
    let before = try everything()
    for options in [[], ["--amend"], ["--repair"], ["--json"]] {
      let result = try run.strata(["freeze", "--dry-run"] + options)
      #expect(result.output != "" || result.errors != "")
      #expect(try everything() == before)
    }
  }

  @Test("Without a frozen version there is nothing to seal, and none to make a database of")
  func neverFrozen() throws {
    for place in ["schemas/versions", "schemas/schema.lock"] {
      try FileManager.default.removeItem(atPath: run.path(place))
    }
    let before = try everything()

    let repair = try run.strata("freeze", "--repair")
    #expect(repair.status == 1)
    #expect(
      repair.errors == """
        error: there is no frozen version to seal [STR4004]
          help: use freeze alone

        """)
    let create = try run.strata("create", "a.db")
    #expect(create.status == 3)
    #expect(
      create.errors
        == "error: People has no frozen version yet. `strata freeze` makes the first one. [STR5111]\n"
    )
    #expect(try everything() == before)
  }

  @Test("A schema keeps its name")
  func renamed() throws {
    try declare(1, "primaryKey: a, properties: { a: int, b: int }")
    try replace("schemas/People.yaml", #/People/#, "Folks")
    #expect(try codes() == ["STR4103"])
    let before = try everything()
    let result = try run.strata("freeze")
    #expect(result.status == 1)
    #expect(
      result.errors.contains("the declarations are of 'Folks', the frozen versions of 'People'"))
    #expect(try everything() == before)
  }

  // MARK: Interruptions

  /// What is there before and after freezing version 1, file by file.
  private func frozen() throws -> (before: [String: Data], after: [String: Data]) {
    try declare(1, "primaryKey: a, properties: { a: int, b: int, c: string }")
    let before = try everything()
    try shell("strata freeze --date 2026-11-28")
    return (before, try everything())
  }

  @Test(
    "Whatever was written before it stopped: the history is as it was, or freezing again completes it"
  )
  func stopped() throws {
    let (before, after) = try frozen()
    // The step comes first and the lock last: a version is never there without its step.
    let written = after.keys.filter { before[$0] != after[$0] && !$0.hasSuffix(".lock") }.sorted()
    #expect(written == ["migrations/1.yaml", "schemas/versions/1.yaml"])
    for count in 0...written.count {
      try restore(before)
      for name in written.prefix(count) { try write(name, after[name] ?? Data()) }
      // What was being written stands beside its place.
      try write("schemas/.schema.lock.new", Data("strata-lo".utf8))
      try expectMendable(after, "\(count) files")
    }
  }

  /// As it was, whole, or found by check and made whole by freezing again.
  private func expectMendable(_ after: [String: Data], _ what: String) throws {
    let isWhole = try read("schemas/schema.lock").contains("\n1 date=")
    let hasVersion = try everything().keys.contains("schemas/versions/1.yaml")
    let codes = try codes()
    #expect(codes.contains("STR4002") == (hasVersion && !isWhole), "\(what): \(codes)")
    if hasVersion, !isWhole { try shell("strata freeze --repair --date 2026-11-28") }
    try shell("strata freeze --date 2026-11-28")
    #expect(try everything().filter { !$0.key.hasSuffix(".new") } == after, "\(what)")
  }

  @Test("Killed at any moment", arguments: 0..<12)
  func killed(moment: Int) throws {
    let (before, after) = try frozen()
    try restore(before)
    _ = try run.shell(
      "strata freeze --date 2026-11-28 & sleep 0.0\(moment < 10 ? "0" : "")\(moment); kill -9 $!; wait"
    )
    try expectMendable(after, "after \(moment) ms")
  }

  @Test("A file that cannot be written is an error, and what is there stays")
  func unwritable() throws {
    try declare(1, "primaryKey: a, properties: { a: int, b: int, c: int? }")
    for place in ["schemas/schema.lock", "schemas/versions/1.yaml"] {
      let before = try everything()
      // A folder in the way stops root, too.
      let temporary = place.replacingOccurrences(of: "/schema.lock", with: "/.schema.lock.new")
        .replacingOccurrences(of: "/1.yaml", with: "/.1.yaml.new")
      try shell("mkdir '\(temporary)'")
      let result = try run.strata("freeze")
      #expect(result.status == 3)
      #expect(result.errors.contains("cannot be written"))
      try shell("rmdir '\(temporary)'; rm -f schemas/versions/1.yaml")
      #expect(try everything() == before)
    }
  }

  // MARK: A project

  private func shell(_ script: String) throws {
    let result = try run.shell("set -e\n" + script)
    #expect(result.status == 0, "\(script)\n\(result.output)\(result.errors)")
  }

  private func write(_ name: String, _ data: Data) throws {
    let file = run.folder.appendingPathComponent(name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try data.write(to: file)
  }

  private func read(_ name: String) throws -> String {
    try String(contentsOf: run.folder.appendingPathComponent(name), encoding: .utf8)
  }

  private func replace(_ name: String, _ pattern: some RegexComponent, _ text: String) throws {
    try write(name, Data(try read(name).replacing(pattern, with: text).utf8))
  }

  private func declare(_ version: Int, _ key: String) throws {
    try write(
      "schemas/People.yaml",
      Data("schema: People\nversion: \(version)\nmodels:\n  Key: { \(key) }\n".utf8))
  }

  /// Every file, by its path.
  private func everything() throws -> [String: Data] {
    var contents: [String: Data] = [:]
    for case let name as String in FileManager.default.enumerator(atPath: run.folder.path)
      ?? .init()
    {
      let file = run.folder.appendingPathComponent(name)
      var isFolder: ObjCBool = false
      if FileManager.default.fileExists(atPath: file.path, isDirectory: &isFolder),
        !isFolder.boolValue
      {
        contents[name] = try Data(contentsOf: file)
      }
    }
    return contents
  }

  private func restore(_ contents: [String: Data]) throws {
    try shell("rm -rf schemas migrations")
    for (name, data) in contents { try write(name, data) }
  }

  /// The codes of errors.
  private func codes() throws -> [String] {
    let findings = try JSON.parse(try run.strata("check", "--json").output)["findings"]?.array ?? []
    return findings.filter { $0["severity"]?.string == "error" }.compactMap { $0["code"]?.string }
  }

  /// The compiler's errors about the blocks, beside the frozen types that are generated for them.
  private func compile() throws -> [String] {
    let csqlite = CommandRunner.root.appendingPathComponent("Sources/CSQLite/module.modulemap").path
    let result = try run.shell(
      """
      strata generate --part migrations --output generated || exit 1
      swiftc -typecheck -parse-as-library -swift-version 6 -I "$0/Modules" \
        -Xcc -fmodule-map-file='\(csqlite)' generated/*.swift migrations/*.swift 2>&1
      """)
    let errors = result.output.components(separatedBy: "\n").filter {
      $0.contains(".swift:") && $0.contains("error:")
    }
    return result.status != 0 && errors.isEmpty ? [result.output + result.errors] : errors
  }
}
