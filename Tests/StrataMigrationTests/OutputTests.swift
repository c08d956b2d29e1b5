import StrataSQLite
import Testing

@testable import Strata

/// `--output` reads the old file and nothing else.
@Suite struct OutputTests {
  #if os(Linux)
    /// Elsewhere both may name one file.
    @Test func leftoversOfANameThatLooksAlikeAreNotItsOwn() throws {
      let files = POSIXFiles()
      let other = bench.path("e\u{301}.db") + AsideFile.suffix + "-1"
      try files.write([1], to: other, permissions: 0o600)

      #expect(try AsideFile.leftovers(of: bench.path("\u{E9}.db"), files: files) == [])
      #expect(try AsideFile.leftovers(of: bench.path("e\u{301}.db"), files: files).count == 1)
    }
  #endif

  let bench: Workbench
  let target = PeopleHistory.target

  init() throws { bench = try Workbench() }

  @discardableResult private func write(_ file: String, _ output: String) throws -> UpgradeReport {
    var options = Upgrade.Options()
    options.output = output
    options.busyTimeout = 0
    return try Upgrade(path: file, target: target, options: options).run()
  }

  @Test(arguments: AbandonedState.allCases)
  func whateverStateTheOldFileIsInItStaysSo(state: AbandonedState) throws {
    let file = try bench.abandoned(state)
    let output = bench.path("new.db")
    let before = try bench.stamps()

    let report = try write(file, output)

    var after = try bench.stamps()
    after["new.db"] = nil
    #expect(after == before)
    #expect(report.objects == 40)
    #expect(try bench.sql(output, "SELECT age FROM Person WHERE _row = 1") == [[.integer(99)]])
    try upgrade(file, target)
    #expect(try digest(output, target) == digest(file, target))
    #expect(try bench.sql(output, "PRAGMA journal_mode") == [[.text("wal")]])
  }

  /// What stands beside the file belongs to it, and is upgraded with it.
  @Test(arguments: AbandonedState.allCases)
  func whatAKilledProcessHasLeftIsUpgraded(state: AbandonedState) throws {
    let file = try bench.abandoned(state)

    try upgrade(file, target)

    #expect(try bench.sql(file, "SELECT age FROM Person WHERE _row = 1") == [[.integer(99)]])
    #expect(
      try bench.sql(file, "SELECT count(*) < 40 FROM Person WHERE age = 1") == [[.integer(1)]])
    #expect(try bench.sql(file, "PRAGMA integrity_check") == [[.text("ok")]])
    #expect(try bench.names() == ["old.db"])
  }

  @Test func aFileThatIsBeingWrittenIsReadAsItIsAtOneMoment() throws {
    let file = try bench.sample(version: 0, of: target, objects: 40)
    let writer = try Database(path: file, mode: .readWrite)
    defer { writer.close() }
    try writer.execute("UPDATE Person SET age = 99 WHERE _row = 1")
    try writer.begin()
    try writer.execute("UPDATE Person SET age = 1 WHERE _row = 1")

    try write(file, bench.path("new.db"))
    try writer.commit()

    let ages = try bench.sql(bench.path("new.db"), "SELECT age FROM Person WHERE _row = 1")
    #expect(ages == [[.integer(99)]])
  }

  /// Another process writes and closes the file while it is read without a lock.
  @Test func aFileThatChangesMeanwhileIsReadAgain() throws {
    let file = try bench.sample(version: 0, of: target, objects: 40)
    var options = Upgrade.Options()
    options.output = bench.path("new.db")
    var hasWritten = false
    let bench = bench
    options.progress = { progress in
      guard progress.phase == .verifying, !hasWritten else { return .proceed }
      hasWritten = true
      _ = try? bench.sql(file, "UPDATE Person SET age = 98 WHERE _row = 1")
      return .proceed
    }

    try Upgrade(path: file, target: target, options: options).run()

    #expect(hasWritten)
    let ages = try bench.sql(bench.path("new.db"), "SELECT age FROM Person WHERE _row = 1")
    #expect(ages == [[.integer(98)]])
    try upgrade(file, target)
    #expect(try digest(file, target) == digest(bench.path("new.db"), target))
  }

  @Test func whatAKilledRunHasLeftBesideTheOutputIsRemoved() throws {
    let file = try bench.sample(version: 0, of: target, objects: 40)
    for suffix in ["", "-1", "-2", "-2-wal", "-2-shm", "-2-journal"] {
      let leftover = bench.path("new.db" + AsideFile.suffix + suffix)
      // The lock's own file is always empty.
      try POSIXFiles().write(
        suffix.isEmpty ? [] : Array("left over".utf8), to: leftover, permissions: 0o600)
    }

    try write(file, bench.path("new.db"))

    #expect(try bench.contents().keys.sorted() == ["a.db", "new.db"])
  }

  @Test func anOutputThatIsThereIsLeftAlone() throws {
    let file = try bench.sample(version: 0, of: target, objects: 40)
    let output = bench.path("new.db")
    try POSIXFiles().write(Array("mine".utf8), to: output, permissions: 0o600)

    #expect(throws: MigrationError.self) { try write(file, output) }

    #expect(try bench.bytes(output) == Array("mine".utf8))
    #expect(try bench.contents().keys.sorted() == ["a.db", "new.db"])
  }

  /// A run was killed when its output was complete, and before its journal said so.
  @Test func aFinishedOutputCountsForTheRunThatGoesOn() throws {
    let file = try bench.sample(version: 0, of: target, objects: 40)
    let output = bench.path("new.db")
    try write(file, output)
    let finished = try bench.stamps()
    var options = Upgrade.Options()
    options.output = output
    options.takesFinishedOutput = true

    #expect(try Upgrade(path: file, target: target, options: options).run().to == 5)
    #expect(try bench.stamps() == finished)

    try bench.sql(file, "UPDATE Person SET age = 77 WHERE _row = 1")
    #expect(throws: MigrationError.self) {
      try Upgrade(path: file, target: target, options: options).run()
    }
  }

  @Test func twoRunsDoNotWriteTheSameOutput() throws {
    let file = try bench.sample(version: 0, of: target, objects: 40)
    let output = bench.path("new.db")
    let other = try #require(
      try AsideFile.lockNames(beside: output, waiting: 0, files: POSIXFiles()))

    #expect {
      try write(file, output)
    } throws: { error in
      (error as? MigrationError)?.kind == .busy
        && "\(error)".contains("new.db is being written by another process")
    }

    other.release()
    try write(file, output)
    #expect(try bench.contents().keys.sorted() == ["a.db", "new.db"])
  }

  @Test func aFolderThatIsMissingIsNamed() throws {
    let file = try bench.sample(version: 0, of: target, objects: 1)
    #expect {
      try write(file, bench.path("missing/new.db"))
    } throws: { "\($0)".contains("missing does not exist") }
  }

  @Test(arguments: [false, true])
  func aFileThatIsCurrentIsCopied(hasLog: Bool) throws {
    let file = try bench.sample(version: 5, of: target, objects: 30)
    let writer = try Database(path: file, mode: .readWrite)
    defer { writer.close() }
    try writer.execute("UPDATE Person SET age = 77 WHERE _row = 1")
    if !hasLog { writer.close() }
    let before = try bench.bytes(file)

    let report = try write(file, bench.path("new.db"))

    #expect(!report.isUpgrade && report.to == 5)
    #expect(try bench.bytes(file) == before)
    #expect(try digest(bench.path("new.db"), target) == digest(file, target))
    #expect(
      try bench.sql(bench.path("new.db"), "SELECT age FROM Person WHERE _row = 1") == [
        [.integer(77)]
      ])
    #expect(throws: MigrationError.self) { try write(file, bench.path("new.db")) }
    #expect(try bench.names().filter { $0.hasPrefix("new.db") && $0.contains("strata") } == [])
  }
}

extension Workbench {
  /// Everything in the folder with its bytes and when it was changed last.
  func stamps() throws -> [String: Stamp] {
    var stamps: [String: Stamp] = [:]
    for (name, bytes) in try contents() {
      stamps[name] = Stamp(
        bytes: bytes, modified: try POSIXFiles().status(of: path(name))?.modified)
    }
    return stamps
  }

  struct Stamp: Equatable {
    let bytes: [UInt8]
    let modified: Int64?
  }
}
