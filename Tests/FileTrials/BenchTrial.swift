import Foundation
import Strata
import StrataSQLite
import StrataTesting

/// What encryption costs, as ratios to a plain file in the same run: bulk insert, rebuild of a table, a scan with a cold cache, an upgrade.
///
/// With `--sqlcipher COMMAND`, that command runs the same statements on SQLCipher's own library: it is given a file and what to do, and
/// answers with seconds.
struct BenchTrial {
  private let objects: Int
  private let runs: Int
  private let peer: [String]
  private let folder: String

  init(_ arguments: [String]) throws {
    func text(_ option: String) -> String? {
      arguments.firstIndex(of: option).flatMap {
        $0 + 1 < arguments.count ? arguments[$0 + 1] : nil
      }
    }
    objects = text("--objects").flatMap { Int($0) } ?? 300_000
    runs = text("--runs").flatMap { Int($0) } ?? 5
    peer = text("--sqlcipher")?.split(separator: " ").map(String.init) ?? []
    folder = NSTemporaryDirectory() + "strata-trial-\(UInt64.random(in: 0 ... .max))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  private enum Work: String, CaseIterable {
    case insert, rebuild, scan, upgrade

    var title: String {
      switch self {
      case .insert: "bulk insert"
      case .rebuild: "rebuild of the table"
      case .scan: "scan, cold cache"
      case .upgrade: "upgrade"
      }
    }
  }

  private static let kinds = PageKind.allCases
  private static let aims: [Work: String] = [
    .insert: "≤ 1.10", .scan: "≤ 1.15", .upgrade: "≤ 1.20",
  ]

  func run() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    // Each run does everything once, so that what else the machine does falls on all of them.
    var seconds: [String: [Double]] = [:]
    for run in 0..<runs {
      for work in Work.allCases {
        for kind in run % 2 == 0 ? Self.kinds : Self.kinds.reversed() {
          seconds["\(work) \(kind)", default: []].append(try measure(work, kind))
        }
        guard !peer.isEmpty, work != .upgrade else { continue }
        seconds["\(work) library", default: []].append(try measureLibrary(work))
        seconds["\(work) libraryPlain", default: []].append(try measureLibrary(work, isPlain: true))
      }
    }
    func median(_ work: Work, _ name: String) -> Double? {
      seconds["\(work) \(name)"].map { $0.sorted()[$0.count / 2] }
    }
    say("\(objects) rows, median of \(runs) runs, seconds and ratio to plain of the same run")
    for work in Work.allCases {
      guard let plain = median(work, "plain") else { continue }
      say(work.title)
      for kind in Self.kinds {
        let aim = kind == .aesGCM ? Self.aims[work] ?? "" : ""
        show(kind.rawValue, median(work, "\(kind)"), plain, aim)
      }
      show("SQLCipher's library, plain", median(work, "libraryPlain"), plain, "")
      show("SQLCipher's library", median(work, "library"), plain, "sqlcipher is no slower")
    }
  }

  private func show(_ name: String, _ seconds: Double?, _ plain: Double, _ aim: String) {
    guard let seconds else { return }
    let column = 30
    let label = "  " + name + String(repeating: " ", count: max(1, column - name.count))
    say(label + String(format: "%8.3f %6.2f  ", seconds, seconds / plain) + aim)
  }

  // MARK: - The work

  static let create =
    "CREATE TABLE Person(_row INTEGER PRIMARY KEY, age INTEGER NOT NULL, email TEXT, firstName TEXT NOT NULL, lastName TEXT NOT NULL)"

  static func insert(_ count: Int) -> String {
    """
    INSERT INTO Person WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
    SELECT i, i * 7919 % 90, NULL, 'First ' || (i * 31 % 977), 'Last name ' || i FROM n
    """
  }

  static let rebuild = [
    "CREATE TABLE new(_row INTEGER PRIMARY KEY, age INTEGER NOT NULL, email TEXT, fullName TEXT NOT NULL)",
    "INSERT INTO new SELECT _row, age, email, firstName || ' ' || lastName FROM Person",
    "DROP TABLE Person", "ALTER TABLE new RENAME TO Person",
  ]

  static let scan = "SELECT sum(age), sum(length(lastName)), count(email) FROM Person"

  private func measure(_ work: Work, _ kind: PageKind) throws -> Double {
    let path = folder + "/\(kind.rawValue)-\(work.rawValue).db"
    defer { remove(path) }
    remove(path)
    kind.use()
    if work == .upgrade {
      try SampleDatabase(
        version: TrialHistory.first, of: TrialHistory.target.history, vfs: kind.vfs
      ).create(at: path, objects: objects / 10, seed: 3)
      return try time { try Upgrade(path: path, target: TrialHistory.target).run() }
    }
    func open() throws -> Database {
      let database = try Database(path: path, vfs: kind.vfs)
      try database.setPragma("page_size", 4096)
      try database.setPragma("journal_mode", "WAL")
      try database.setPragma("synchronous", "NORMAL")
      return database
    }
    func fill() throws {
      let database = try open()
      try database.execute(Self.create)
      try database.transaction { try database.execute(Self.insert(objects)) }
      database.close()
    }
    if work == .insert { return try time(fill) }
    try fill()
    if work == .scan {
      try dropFromCache(path)
      return try time {
        let database = try Database(path: path, mode: .readOnly, vfs: kind.vfs)
        _ = try database.rows(Self.scan)
        database.close()
      }
    }
    return try time {
      let database = try open()
      try database.transaction { for sql in Self.rebuild { try database.execute(sql) } }
      database.close()
    }
  }

  private func measureLibrary(_ work: Work, isPlain: Bool = false) throws -> Double {
    let path = folder + "/library.db"
    defer { remove(path) }
    remove(path)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments =
      peer + [
        path, work.rawValue, isPlain ? "plain" : "key", Self.create, Self.insert(objects),
        Self.scan,
      ]
      + Self.rebuild
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let answer = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard
      let seconds = Double(
        String(decoding: answer, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
    else { throw CocoaError(.featureUnsupported) }
    return seconds
  }

  private func time(_ body: () throws -> Void) rethrows -> Double {
    let clock = ContinuousClock()
    let start = clock.now
    try body()
    let took = clock.now - start
    return Double(took.components.seconds) + Double(took.components.attoseconds) / 1e18
  }

  private func remove(_ path: String) {
    for suffix in ["", "-wal", "-shm", "-journal"] { unlink(path + suffix) }
  }

  /// Lets the system forget the file's pages.
  private func dropFromCache(_ path: String) throws {
    #if os(Linux)
      let descriptor = open(path, O_RDONLY)
      guard descriptor >= 0 else { return }
      fsync(descriptor)
      posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
      close(descriptor)
    #endif
  }
}
