import Foundation
import Strata
import StrataFiles
import StrataSQLite
import StrataSchema
import StrataTesting

/// A file as a process has left it, and what it may be read as.
struct Fixture {
  enum Beside: String, CaseIterable {
    case nothing = ""
    case log = "-wal"
    case journal = "-journal"
  }

  static let persons = 160
  static let pageSize = 4096
  private static let commits = 3

  let kind: PageKind
  let beside: Beside
  let file: [UInt8]
  let neighbour: [UInt8]
  /// The objects after each commit, the newest last; those of a journal's file are the ones before.
  private(set) var states: [[String]] = []
  /// Their digests.
  private(set) var digests: Set<Digest> = []
  /// The same, upgraded.
  private(set) var upgradedStates: [[String]] = []
  /// The values of every object that may be in a file whose journal does not make sense: half of a transaction is, and links of it may be lost.
  private(set) var everyLine: Set<String> = []
  private(set) var everyUpgradedLine: Set<String> = []

  init(_ kind: PageKind, _ beside: Beside, in folder: String) throws {
    kind.use()
    let path = folder + "/fixture.db"
    let copy = folder + "/state.db"
    defer {
      for name in [path, copy] {
        for suffix in ["", "-wal", "-shm", "-journal"] { unlink(name + suffix) }
      }
    }
    try SampleDatabase(
      version: TrialHistory.first, of: TrialHistory.target.history, vfs: kind.vfs
    ).create(at: path, objects: Self.persons, seed: 11)
    let files = POSIXFiles()
    func bytes(_ suffix: String) throws -> [UInt8] {
      try files.exists(path + suffix) ? files.read(path + suffix, from: 0, count: 1 << 24) : []
    }
    var states: [[String]] = []
    var digests: Set<Digest> = []
    var upgraded: [[String]] = []
    func note() throws {
      for suffix in ["", "-wal", "-journal"] {
        try files.removeIfPresent(copy + suffix)
        if try files.exists(path + suffix) {
          try files.copy(path + suffix, to: copy + suffix, permissions: 0o600)
        }
      }
      states.append(try TrialFile.lines(of: copy))
      let found = try FileInspector().inspect(copy, target: nil, digest: true)
      if let digest = found.dataDigest { digests.insert(digest) }
      try Upgrade(path: copy, target: TrialHistory.target).run()
      upgraded.append(try TrialFile.lines(of: copy))
    }
    try note()
    let database = try Database(path: path, mode: .readWrite, vfs: kind.vfs)
    defer { database.close() }
    func change(_ number: Int) throws {
      try database.execute(
        """
        UPDATE Person SET age = age + \(number), lastName = lastName || '\(number)', picture = randomblob(300)
        """)
      try database.execute("UPDATE Dog SET name = name || '\(number)' WHERE _row % 2 = 0")
    }
    switch beside {
    case .nothing:
      database.close()
      (file, neighbour) = (try bytes(""), [])
    case .log:
      try database.setPragma("wal_autocheckpoint", 0)
      for number in 1...Self.commits {
        try database.transaction { try change(number) }
        try note()
      }
      (file, neighbour) = (try bytes(""), try bytes("-wal"))
    case .journal:
      try database.setPragma("journal_mode", "DELETE")
      // So small that pages are written before the commit.
      try database.setPragma("cache_size", 5)
      try database.begin()
      try change(1)
      (file, neighbour) = (try bytes(""), try bytes("-journal"))
      try database.commit()
      try note()
      everyLine = try Set(states.joined().map(TrialFile.values))
      everyUpgradedLine = try Set(upgraded.joined().map(TrialFile.values))
      (states, upgraded) = ([states[0]], [upgraded[0]])
    }
    self.kind = kind
    self.beside = beside
    self.states = states
    self.digests = digests
    upgradedStates = upgraded
  }

  /// Damages the file, what stands beside it, or both.
  func damaged(_ random: inout TrialRandom) -> (
    file: [UInt8], neighbour: [UInt8], isOnlyBeside: Bool, hasSwappedPages: Bool
  ) {
    var main = DamagedBytes(bytes: file, header: 0, unit: Self.pageSize)
    var other = DamagedBytes(
      bytes: neighbour, header: beside == .log ? 32 : 512,
      unit: Self.pageSize + (beside == .log ? 24 : 8))
    let isOnlyBeside = beside != .nothing && random.below(3) > 0
    for _ in 0...random.below(4) {
      if isOnlyBeside { other.damage(&random) } else { main.damage(&random) }
    }
    return (main.bytes, other.bytes, isOnlyBeside, main.hasSwappedUnits)
  }
}

/// What is asked of a file in more than one place.
enum TrialFile {
  static func lines(of path: String) throws -> [String] {
    var lines: [String] = []
    try ObjectExporter.export(path, target: nil) { lines.append($0) }
    return lines
  }

  /// An object's own values, without its links.
  static func values(of line: String) throws -> String {
    guard case .object(var members) = try JSON.parse(line) else { return line }
    members["best"] = nil
    members["dogs"] = nil
    return JSON.object(members).prettyText
  }
}
