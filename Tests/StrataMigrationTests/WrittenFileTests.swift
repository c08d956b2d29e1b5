import StrataFiles
import StrataHistory
import StrataSQLite
import StrataSchema
import Synchronization
import Testing

@testable import Strata

/// Files with a log, which other processes go on writing while they are read.
@Suite struct WrittenFileTests {
  let bench: Workbench
  let target = PeopleHistory.target

  init() throws { bench = try Workbench() }

  /// Where another process keeps a log beside the file, what it commits between two statements is seen by neither.
  @Test func whatALogGetsMeanwhileIsNotSeen() throws {
    let file = try bench.sample("a.db", version: 5, of: target, objects: 200)
    let writer = try Database(path: file, mode: .readWrite)
    defer { writer.close() }
    try writer.execute("UPDATE Person SET age = 1000")
    func people(_ database: Database) throws -> Int64? {
      try database.firstValue("SELECT count(*) FROM Person")?.ifInteger
    }
    let inspector = FileInspector()
    try inspector.looking(at: file) { database in
      #expect(try people(database) == 200)
      try writer.execute("DELETE FROM Person WHERE _row % 2 = 0")
      #expect(try people(database) == 200)
    }
    let rest = try #require(try people(writer))
    try inspector.readingOnce(file, isLocked: true) { database in
      #expect(try people(database) == rest)
      try writer.execute("DELETE FROM Person WHERE _row % 3 = 0")
      #expect(try people(database) == rest)
    }
  }

  /// A salvage asks the file system only before it begins and when it is done: what is committed while it reads is committed by the question whether it is
  /// cancelled.
  @Test func whatIsSavedFromAFileWithALogIsOfOneState() throws {
    let file = try bench.sample("a.db", version: 5, of: target, objects: 200)
    let reader = try Database(path: file, mode: .readWrite)
    defer { reader.close() }
    for model in ["Person", "Pet"] { try reader.execute("UPDATE \(model) SET age = 1000") }
    let questions = Mutex(0)
    let output = bench.path("saved.db")
    let report = try Salvage(
      path: file, output: output,
      isCancelled: {
        let count = questions.withLock { count in
          count += 1
          return count
        }
        let writer = try? Database(path: file, mode: .readWrite)
        for model in ["Person", "Pet"] {
          try? writer?.execute("UPDATE \(model) SET age = 1000 + ?", .integer(Int64(count)))
        }
        writer?.close()
        return false
      }
    ).run()
    #expect(questions.withLock { $0 } > 1 && report.problems.isEmpty)
    let ages = "SELECT age FROM Person UNION SELECT age FROM Pet"
    #expect(try bench.sql(output, ages).count == 1)
  }

  /// A new file has what the old one held at one moment, whatever others commit while it is built: here at each call to the file system, and each time
  /// that progress is told, by one thread or two.
  @Test(arguments: [false, true])
  func whatIsUpgradedElsewhereIsOfOneState(isCurrent: Bool) throws {
    let objects = 300
    let file = try bench.sample("a.db", version: isCurrent ? 5 : 0, of: target, objects: objects)
    let writer = try Database(path: file, mode: .readWrite)
    defer { writer.close() }
    var state: Int64 = 0
    func commit() throws {
      state += 1
      try writer.transaction {
        try writer.execute("UPDATE Person SET age = ?", .integer(state))
        if state < Int64(objects), !isCurrent {
          try writer.execute("DELETE FROM Person WHERE _row = (SELECT max(_row) FROM Person)")
        }
      }
    }
    func upgrade(to name: String, _ files: FaultyFiles, tellsProgress: Bool) throws {
      var options = Upgrade.Options()
      options.output = bench.path(name)
      options.backup = isCurrent ? nil : bench.path("kept-" + name)
      options.progress = { _ in
        if tellsProgress { try? commit() }
        return .proceed
      }
      try SecondThreadTests.onTwoThreads {
        _ = try Upgrade(path: file, target: target, options: options, files: files).run()
      }
      let found = try bench.sql(bench.path(name), "SELECT age, count(*) FROM Person GROUP BY age")
      #expect(found.count == 1 && (1...state).contains(found[0][0].ifInteger ?? 0), "\(name)")
      let checked = try FileInspector().inspect(bench.path(name), target: target, checksAll: true)
      #expect(checked.problem == nil, "\(name)")
    }

    try commit()
    let quiet = FaultyFiles()
    try upgrade(to: "quiet.db", quiet, tellsProgress: false)
    #expect(state == 1)
    try upgrade(to: "progress.db", FaultyFiles(), tellsProgress: true)
    for call in 1...quiet.count {
      let files = FaultyFiles(at: call, isHarmless: true)
      files.whenStruck = { try? commit() }
      try upgrade(to: "\(call).db", files, tellsProgress: false)
      #expect(files.hasStruck, "call \(call)")
    }
  }

  /// A property is given up, so that a file is built anew and written back.
  private func givingUp() throws -> UpgradeTarget {
    let name = Property.required("name", .string)
    return try EveryPath(
      [
        [Model(name: "Person", properties: [name, .required("nick", .string)])],
        [Model(name: "Person", properties: [name])],
      ], steps: [1: { $0.drop = [SchemaPath("Person", "nick")] }]
    ).target
  }

  /// SQLite's backup lets the lock go for a moment before it writes the new content over the old one.
  @Test func whatIsCommittedJustBeforeTheWriteBackIsUpgraded() throws {
    let target = try givingUp()
    let file = try bench.sample("a.db", version: 0, of: target, objects: 5)
    let vfs = FaultVFS()
    var commits = 0
    var options = Upgrade.Options()
    options.progress = { [bench] progress in
      guard progress.phase == .writing, commits == 0 else { return .proceed }
      vfs.whenUnlocked {
        commits += 1
        #expect(throws: Never.self) {
          try bench.sql(file, "UPDATE _strata SET value = 101 WHERE key = 'nextRow'")
          try bench.sql(file, "INSERT INTO Person(_row, name, nick) VALUES (100, 'Late', 'l')")
        }
      }
      return .proceed
    }

    let report = try Upgrade(path: file, target: target, options: options, vfs: vfs.name).run()

    #expect(commits == 1)
    #expect((report.isUpgrade, report.objects) == (true, 6))
    #expect(try bench.sql(file, "SELECT name FROM Person WHERE _row = 100") == [[.text("Late")]])
    let found = try FileInspector().inspect(file, target: target, checksAll: true)
    #expect((found.status, found.problem == nil) == (.current, true))
  }

  /// There is an end of beginning anew (docs/decisions/0003).
  @Test func whatIsCommittedEachTimeIsAnErrorInTheEnd() throws {
    let target = try givingUp()
    let file = try bench.sample("a.db", version: 0, of: target, objects: 5)
    let vfs = FaultVFS()
    var commits = 0
    var options = Upgrade.Options()
    options.progress = { [bench] progress in
      guard progress.phase == .writing else { return .proceed }
      vfs.whenUnlocked {
        commits += 1
        #expect(throws: Never.self) { try bench.sql(file, "UPDATE Person SET nick = '\(commits)'") }
      }
      return .proceed
    }

    let error = #expect(throws: MigrationError.self) {
      try Upgrade(path: file, target: target, options: options, vfs: vfs.name).run()
    }

    #expect(error?.kind == .busy)
    #expect(commits == 5)
    #expect(try bench.sql(file, "SELECT DISTINCT nick FROM Person") == [[.text("5")]])
    #expect(try bench.names(beside: file) == [])
  }

  /// Both files are read several times on the way back. What the older one had when it was looked at is what the change of the newer one is told from, whatever it has
  /// later.
  @Test func whatIsTakenBackIsOfOneState() throws {
    let downgrades = try DowngradeBench()
    let (old, new) = try downgrades.files(target)
    let writers = try (
      old: Database(path: old, mode: .readWrite), new: Database(path: new, mode: .readWrite)
    )
    defer {
      writers.old.close()
      writers.new.close()
    }
    func downgrade(to name: String, _ files: FaultyFiles) throws -> [[SQLiteValue]] {
      try writers.old.execute("UPDATE Person SET age = 1")
      try writers.new.execute("UPDATE Person SET age = 1")
      var options = Downgrade.Options()
      options.output = downgrades.bench.path(name)
      options.acceptsLoss = true
      try Downgrade(path: new, from: old, target: target, options: options, files: files).run()
      return try downgrades.rows(downgrades.bench.path(name), "SELECT DISTINCT age FROM Person")
    }

    let quiet = FaultyFiles()
    #expect(try downgrade(to: "quiet.db", quiet) == [[.integer(1)]])
    for call in 1...quiet.count {
      let files = FaultyFiles(at: call, isHarmless: true)
      files.whenStruck = { try? writers.old.execute("UPDATE Person SET age = 2") }
      let ages = try downgrade(to: "old-\(call).db", files)
      #expect(files.hasStruck, "call \(call)")
      // Told from 2, the 1 of the newer file is a change.
      #expect(ages == [[.integer(1)]], "call \(call)")

      let others = FaultyFiles(at: call, isHarmless: true)
      others.whenStruck = { try? writers.new.execute("UPDATE Person SET age = 3") }
      #expect(try downgrade(to: "new-\(call).db", others).count == 1, "call \(call)")
    }
    let left = try downgrades.bench.names().filter { $0.contains(AsideFile.suffix + "-") }
    #expect(left == [])
  }

  /// Files of other programs are read by two connections, and once more by the proof.
  @Test func whatIsAdoptedIsOfOneState() throws {
    let file = bench.path("foreign.db")
    let writer = try Database(path: file)
    defer { writer.close() }
    for sql in ["PRAGMA journal_mode = WAL", "CREATE TABLE t (a)", "INSERT INTO t VALUES (1)"] {
      _ = try writer.rows(sql)
    }
    let count = "SELECT count(*) FROM t"
    let counts = try FileInspector().reading(file) { database, attachment in
      let first = try database.firstValue(count)
      try writer.execute("INSERT INTO t VALUES (2)")
      let other = try Database(path: attachment, mode: .readOnly, isURI: true)
      defer { other.close() }
      return [first, try other.firstValue(count), try database.firstValue(count)]
    }
    #expect(counts == [.integer(1), .integer(1), .integer(1)])

    writer.close()
    let error = #expect(throws: MigrationError.self) {
      try FileInspector().reading(file) { _, _ in try bench.sql(file, "INSERT INTO t VALUES (3)") }
    }
    #expect(error?.kind == .busy)
  }

  /// A copy that is read in place of such a file has checksums, too.
  @Test func whatIsAdoptedMayHaveChecksums() throws {
    let file = bench.path("foreign.db")
    let writer = try Database(path: file, vfs: ChecksummedPages.vfs())
    defer { writer.close() }
    for sql in ["PRAGMA journal_mode = WAL", "CREATE TABLE t (a)", "INSERT INTO t VALUES (1)"] {
      _ = try writer.rows(sql)
    }
    _ = try writer.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    try writer.execute("INSERT INTO t VALUES (2)")

    let sums = try FileInspector().reading(file) { database, attachment in
      let other = try Database(path: attachment, mode: .readOnly, isURI: true)
      defer { other.close() }
      return try [database, other].map { try $0.firstValue("SELECT sum(a) FROM t") }
    }

    #expect(sums == [.integer(3), .integer(3)])
  }

  /// Without a log SQLite locks the file: a process that has written pages of it and may still roll them back, and one that reads.
  @Test(arguments: ["DELETE", "MEMORY", "OFF"])
  func whatIsAdoptedIsCommitted(journal: String) throws {
    let file = bench.path("foreign.db")
    let writer = try Database(path: file)
    defer { writer.close() }
    for sql in [
      "PRAGMA journal_mode = \(journal)", "CREATE TABLE t (a)", "INSERT INTO t VALUES (1)",
    ] {
      _ = try writer.rows(sql)
    }
    let found = try FileInspector().reading(file) { database, _ in
      #expect(throws: SQLiteError.self) { try bench.sql(file, "INSERT INTO t VALUES (2)") }
      return try database.firstValue("SELECT count(*) FROM t")
    }
    #expect(found == .integer(1))

    for sql in ["BEGIN EXCLUSIVE", "INSERT INTO t VALUES (3)"] { try writer.execute(sql) }
    let error = #expect(throws: MigrationError.self) {
      try FileInspector().reading(file) { _, _ in () }
    }
    #expect(error?.kind == .busy)
    try writer.execute("COMMIT")
    #expect(
      try FileInspector().reading(file) { database, _ in
        try database.firstValue("SELECT count(*) FROM t")
      } == .integer(2))
  }
}
