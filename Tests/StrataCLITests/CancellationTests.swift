import Foundation
import Testing

/// Ctrl-C, and the end of a terminal: exit status 130, files as they were or upgraded, nothing left behind and nobody left running.
@Suite struct CancellationTests {
  let run: CommandRunner

  init() throws {
    run = try CommandRunner()
    for folder in ["fleet", "temporary"] {
      try FileManager.default.createDirectory(
        atPath: run.path(folder), withIntermediateDirectories: false)
    }
  }

  private func names(_ folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: run.path(folder)).sorted()
  }

  /// Goes on as soon as something stands on the disk, at the latest when the command has ended.
  private func wait(for command: RunningCommand, until isThere: () throws -> Bool) rethrows {
    while command.isRunning, try !isThere() { sched_yield() }
  }

  /// On a busy machine a command may be done before a signal reaches it.
  private static let attempts = 20

  /// What a command says that is interrupted at its work. One that was done before is started again; so is one that two signals reached so
  /// far apart that it took them for two wishes, and ended at once.
  ///
  /// - Parameters:
  ///   - prepare: makes the files as they are before the command.
  ///   - isThere: a sign that the command works.
  ///   - isDone: whether all was done when it ended.
  private func interrupted(
    by signals: Int32..., start: () throws -> RunningCommand, prepare: () throws -> Void = {},
    once isThere: (RunningCommand) throws -> Bool, unless isDone: () throws -> Bool = { false }
  ) throws -> CommandRunner.Result {
    for _ in 1...Self.attempts {
      try prepare()
      let command = try start()
      try wait(for: command) { try isThere(command) }
      for signal in signals { command.send(signal) }
      let result = try command.finish()
      let isApart = signals.count > 1 && result.status == signals[0]
      if result.status != 0, !isApart, try !isDone() { return result }
    }
    throw NeverInterrupted()
  }

  private struct NeverInterrupted: Error {}

  private func replace(_ file: String, with original: String) throws {
    try? FileManager.default.removeItem(atPath: run.path(file))
    try FileManager.default.copyItem(atPath: run.path(original), toPath: run.path(file))
  }

  /// Looks at what runs, until one that has closed its files is no process any more either.
  private static let looks = 10_000

  /// Processes that work in the test's folder and go on.
  private func processes() throws -> [String] {
    let folder = URL(fileURLWithPath: run.folder.path).resolvingSymlinksInPath().path
    var found: [String] = []
    for _ in 1...Self.looks {
      found = try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { name in
        name.allSatisfy(\.isNumber)
          && (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(name)/cwd"))
            == folder
      }
      if found.isEmpty { break }
      sched_yield()
    }
    return found
  }

  @Test(
    .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/cwd")),
    arguments: [SIGINT, SIGHUP])
  func ofManyFilesThoseInHandStayAsTheyWere(signal: Int32) throws {
    try run.people("create", "small.db", "--version", "0", "--sample", "10", "--seed", "7")
    try run.people("create", "large.db", "--version", "0", "--sample", "20000", "--seed", "7")
    let files = (0...4).map { "fleet/\($0).db" }
    let old = try Data(contentsOf: URL(fileURLWithPath: run.path("large.db")))

    // `nohup` may have started the tests.
    let result = try interrupted(by: signal) {
      try run.startPeople(
        ["migrate", "fleet/*.db", "--jobs", "2"], options: ["--default-signal=HUP"])
    } prepare: {
      try? FileManager.default.removeItem(atPath: run.path("strata-migrate.journal"))
      try replace(files[0], with: "small.db")
      for file in files.dropFirst() { try replace(file, with: "large.db") }
    } once: { command in
      // The small file is done, a large one is in hand.
      var line = command.nextLine()
      while let another = line, !another.hasPrefix("fleet/0.db: version 0 → 5") {
        line = command.nextLine()
      }
      #expect(line != nil)
      return true
    }

    #expect(result.status == 130, "\(result.errors)")
    #expect(try processes().isEmpty)
    #expect(try names("fleet") == ["0.db", "1.db", "2.db", "3.db", "4.db"])
    var unfinished = 0
    for file in files.dropFirst() {
      let isOld = try Data(contentsOf: URL(fileURLWithPath: run.path(file))) == old
      let version = try run.people("inspect", file, "--json").firstFile["version"] as? Int
      #expect(isOld ? version == 0 : version == 5, "\(file)")
      unfinished += isOld ? 1 : 0
    }
    #expect(unfinished > 0)
    // The journal knows those that are done, and no other.
    let journal = try String(
      contentsOf: URL(fileURLWithPath: run.path("strata-migrate.journal")), encoding: .utf8)
    #expect(journal.split(separator: "\n").count == files.count - unfinished)
    #expect(!journal.contains("\"failed\""))

    let resumed = try run.people("migrate", "fleet/*.db", "--jobs", "2", "--resume")
    #expect(resumed.status == 0)
    #expect(
      resumed.output.contains(
        "5 files: \(unfinished) upgraded, 0 current, \(files.count - unfinished) skipped, 0 failed"),
      "\(resumed.output)")
    #expect(try names("fleet") == ["0.db", "1.db", "2.db", "3.db", "4.db"])
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/cwd")))
  func whatNohupStartsOutlivesItsTerminal() throws {
    try run.people("create", "fleet/0.db", "--version", "0", "--sample", "20000", "--seed", "7")
    let command = try run.startPeople(
      ["migrate", "fleet/0.db"], options: ["--ignore-signal=HUP"])
    try wait(for: command) { try names("fleet").count > 1 }
    command.send(SIGHUP)

    #expect(try command.finish().status == 0)
    #expect(try run.people("inspect", "fleet/0.db", "--json").firstFile["version"] as? Int == 5)
  }

  /// The workers of a command that is killed find that their answers are read no more.
  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/cwd")))
  func afterAKillNoWorkerGoesOn() throws {
    let files = ["fleet/1.db", "fleet/2.db"]
    try run.people("create", "old.db", "--version", "0", "--sample", "200000", "--seed", "7")
    let old = try Data(contentsOf: URL(fileURLWithPath: run.path("old.db")))
    func isOld(_ file: String) throws -> Bool {
      try Data(contentsOf: URL(fileURLWithPath: run.path(file))) == old
    }

    // What it has started keeps its standard error open as long as it runs.
    _ = try interrupted(by: SIGKILL) {
      try run.startPeople("migrate", "fleet/*.db", "--jobs", "2")
    } prepare: {
      for file in files { try replace(file, with: "old.db") }
    } once: { _ in
      FileManager.default.fileExists(atPath: run.path(files[1] + "-strata-upgrade-1"))
    } unless: {
      try !files.contains { try isOld($0) }
    }

    #expect(try processes().isEmpty)
    // One of them may have been done at the moment of the kill.
    for file in files {
      let version = try run.people("inspect", file, "--json").firstFile["version"] as? Int
      #expect(try isOld(file) ? version == 0 : version == 5, "\(file)")
    }
  }

  @Test(arguments: [["migrate", "a.db"], ["migrate", "a.db", "--output", "new.db"]])
  func aFileInHandStaysAsItWas(arguments: [String]) throws {
    try run.people("create", "old.db", "--version", "0", "--sample", "20000", "--seed", "7")
    try replace("a.db", with: "old.db")
    let before = try run.contents()
    let beside = run.path((arguments.last ?? "") + "-strata-upgrade-1")

    // Twice at once, as `timeout -s INT` sends it: to the command, and to all processes of its group.
    let result = try interrupted(by: SIGINT, SIGINT) {
      try run.startPeople(arguments)
    } prepare: {
      try replace("a.db", with: "old.db")
      for left in [run.path("new.db"), beside] { try? FileManager.default.removeItem(atPath: left) }
    } once: { _ in
      FileManager.default.fileExists(atPath: beside)
    }

    #expect(result.status == 130)
    #expect(result.errors.contains("cancelled"), "\(result.errors)")
    #expect(try run.contents() == before)
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func aFileThatIsEncryptedStaysAsItWas(_ signal: Int32) throws {
    try run.people("create", "plain.db", "--sample", "40000", "--seed", "7")
    try replace("a.db", with: "plain.db")
    try Data(0..<32).write(to: URL(fileURLWithPath: run.path("a.key")))
    func digest() throws -> String? {
      try run.people("inspect", "a.db", "--digest", "--json").firstFile["dataDigest"] as? String
    }
    let before = try digest()

    let result = try interrupted(by: signal) {
      try run.startPeople(["rekey", "a.db", "--new-key-file", "a.key", "--cipher", "sqlcipher"])
    } prepare: {
      try replace("a.db", with: "plain.db")
    } once: { _ in
      FileManager.default.fileExists(atPath: run.path("a.db-strata-upgrade-rekey"))
    }

    #expect(result.status == 130, "\(result.errors)")
    #expect(result.errors.contains("a.db anew was cancelled"), "\(result.errors)")
    #expect(try digest() == before)
    #expect(try names("").filter { $0.hasPrefix("a.db") } == ["a.db"])
  }

  @Test func aFileThatIsBeingMadeIsNotThere() throws {
    let result = try interrupted(by: SIGINT) {
      try run.startPeople("create", "a.db", "--sample", "2000000")
    } prepare: {
      try? FileManager.default.removeItem(atPath: run.path("a.db"))
    } once: { _ in
      FileManager.default.fileExists(atPath: run.path("a.db-strata-upgrade-new"))
    }

    #expect(result.status == 130, "\(result.errors)")
    #expect(
      result.errors.contains("Making a.db was cancelled. Nothing was written."), "\(result.errors)")
    #expect(try names("").filter { $0.hasPrefix("a.db") }.isEmpty)
  }

  /// While it waits for the next line, too.
  @Test(arguments: [SIGINT, SIGTERM])
  func ofAnImportNothingIsStored(_ signal: Int32) throws {
    try run.people("create", "a.db", "--sample", "20", "--seed", "7")
    let before = try run.digest("a.db")
    let lines = try run.people("export", "a.db").output.split(separator: "\n")

    let command = try run.startPeople("import", "a.db")
    for line in lines { try command.tell(String(line)) }
    wait(for: command) { FileManager.default.fileExists(atPath: run.path("a.db-wal")) }
    command.send(signal)
    let sentence = command.nextLine(ofErrors: true) ?? ""
    let result = try command.finish()

    #expect(result.status == 130, "\(result.errors)")
    #expect(
      sentence.contains("The import into a.db was cancelled. Nothing was stored."), "\(sentence)")
    #expect(try run.digest("a.db") == before)
    #expect(try names("").filter { $0.hasPrefix("a.db") } == ["a.db"])
  }

  @Test func aProofLeavesNothing() throws {
    let result = try interrupted(by: SIGINT) {
      try run.startPeople(["verify"], environment: ["TMPDIR": run.path("temporary")])
    } once: { _ in
      try !names("temporary").isEmpty
    }

    #expect(result.status == 130, "\(result.errors)")
    #expect(result.output.isEmpty)
    #expect(try names("temporary").isEmpty)
  }
}
