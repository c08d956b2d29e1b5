import Foundation
import StrataSQLite

/// Kills a process in the middle of its transactions on encrypted files, at every size of page, with a rollback journal and with a log: what
/// was committed is there, nothing of the rest is, and the file goes on being written.
struct KillTrial {
  let count: Int
  let seed: Int

  private static let kinds: [PageKind] = [.aesGCM, .sqlCipher]
  private static let sizes = [512, 1024, 2048, 4096, 8192, 16_384, 32_768, 65_536]
  private static let modes = ["DELETE", "WAL"]
  /// The longest that a writer lives after its first commit, in milliseconds.
  private static let longestLife = 120

  func run() throws {
    let folder = NSTemporaryDirectory() + "strata-trial-\(UInt64.random(in: 0 ... .max))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var (hot, wrong, commits) = (0, 0, 0)
    for number in 0..<count {
      var random = TrialRandom(seed, number)
      let kind = Self.kinds[number % 2]
      let mode = Self.modes[number / 2 % 2]
      let size = Self.sizes[number / 4 % Self.sizes.count]
      let path = folder + "/\(number).db"
      let what = "kill \(number) of seed \(seed): \(kind.rawValue), \(mode), pages of \(size)"
      try kill(path, kind, mode, size, &random)
      let beside = path + (mode == "WAL" ? "-wal" : "-journal")
      if let size = try POSIXFiles().size(of: beside), size > 512 { hot += 1 }
      do {
        commits += try KilledFile(path: path, kind: kind).check()
      } catch {
        wrong += 1
        say("\(what): \(error)")
      }
      for suffix in ["", "-wal", "-shm", "-journal"] {
        try POSIXFiles().removeIfPresent(path + suffix)
      }
    }
    say(
      "\(count) kills, seed \(seed): \(hot) left a journal or a log, \(commits) commits before them, \(wrong) files wrong"
    )
    if wrong > 0 || hot * 2 < count { exit(1) }
  }

  /// Runs a writer and kills it some time after its first commit.
  private func kill(
    _ path: String, _ kind: PageKind, _ mode: String, _ size: Int, _ random: inout TrialRandom
  ) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
    process.arguments = ["write", path, kind.rawValue, mode, "\(size)", "\(random.below(1 << 30))"]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    _ = output.fileHandleForReading.availableData
    usleep(UInt32(random.below(Self.longestLife * 1000)))
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }
}

/// The process that is killed: each of its transactions keeps what `KilledFile` looks for.
struct KilledWriter {
  private let path: String
  private let kind: PageKind
  private let mode: String
  private let size: Int64
  private let seed: Int

  init(_ arguments: [String]) throws {
    guard arguments.count == 5, let kind = PageKind(rawValue: arguments[1]),
      let size = Int64(arguments[3]), let seed = Int(arguments[4])
    else { throw CocoaError(.featureUnsupported) }
    (path, self.kind, mode, self.size, self.seed) = (arguments[0], kind, arguments[2], size, seed)
  }

  func run() throws {
    var random = TrialRandom(seed, 0)
    let database = try Database(path: path, vfs: kind.vfs)
    try database.setPragma("page_size", .integer(size))
    try database.setPragma("journal_mode", .word(mode))
    // Pages are written before the commit, and the log is written back now and then.
    try database.setPragma("cache_size", 5)
    try database.setPragma("wal_autocheckpoint", 40)
    try database.setPragma("synchronous", mode == "WAL" ? "NORMAL" : "FULL")
    try database.transaction {
      try database.execute("CREATE TABLE t(a INTEGER PRIMARY KEY, b BLOB)")
      try database.execute("CREATE INDEX byLength ON t(length(b))")
      try database.execute("CREATE TABLE ledger(count INTEGER, bytes INTEGER, turn INTEGER)")
      try database.execute("INSERT INTO ledger VALUES(0, 0, 0)")
    }
    FileHandle.standardOutput.write(Data("begun\n".utf8))
    let maximumTurns = 100_000
    for _ in 0..<maximumTurns {
      try database.transaction {
        try database.execute(
          """
          INSERT INTO t(b) WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < ?)
          SELECT randomblob(i * 97 % ?) FROM n
          """, .integer(Int64(5 + random.below(60))), .integer(Int64(50 + random.below(3000))))
        try database.execute(
          "UPDATE t SET b = randomblob(length(b)) WHERE a % ? = 0",
          .integer(Int64(2 + random.below(9))))
        try database.execute(
          "DELETE FROM t WHERE a % ? = 1", .integer(Int64(3 + random.below(7))))
        try database.execute(
          """
          UPDATE ledger SET turn = turn + 1, count = (SELECT count(*) FROM t),
            bytes = (SELECT coalesce(sum(length(b)), 0) FROM t)
          """)
      }
    }
  }
}

/// A file that a killed process has left.
struct KilledFile {
  let path: String
  let kind: PageKind

  struct Wrong: Error, CustomStringConvertible { let description: String }

  /// - Returns: how many transactions were committed.
  func check() throws -> Int {
    let database = try Database(path: path, mode: .readWrite, vfs: kind.vfs)
    defer { database.close() }
    guard try database.firstValue("PRAGMA integrity_check") == "ok" else {
      throw Wrong(description: "integrity")
    }
    let isWhole = """
      SELECT count = (SELECT count(*) FROM t) AND bytes = (SELECT coalesce(sum(length(b)), 0) FROM t) FROM ledger
      """
    guard try database.firstValue(isWhole) == .integer(1) else {
      throw Wrong(description: "a part of a transaction is there")
    }
    let turn = try database.firstValue("SELECT turn FROM ledger")?.ifInteger ?? 0
    try database.transaction {
      try database.execute("UPDATE t SET b = randomblob(400)")
      try database.execute("UPDATE ledger SET bytes = 400 * count")
    }
    guard try database.firstValue(isWhole) == .integer(1),
      try database.firstValue("PRAGMA integrity_check") == "ok"
    else { throw Wrong(description: "the next transaction") }
    return Int(turn)
  }
}
