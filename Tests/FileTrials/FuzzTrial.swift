import Foundation
import Strata
import StrataFiles
import StrataSQLite

/// Damaged files of every kind: opening, inspecting, planning, upgrading, exporting, checking and saving them ends with what was written
/// or with an error. Only a plain file may show another value: SQLite cannot notice that one was changed.
struct FuzzTrial {
  let count: Int
  let seed: Int
  let first: Int

  func run() throws {
    TimeLimit.watch()
    let folder = NSTemporaryDirectory() + "strata-trial-\(UInt64.random(in: 0 ... .max))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var fixtures: [Fixture] = []
    for kind in PageKind.allCases {
      for beside in Fixture.Beside.allCases {
        fixtures.append(try Fixture(kind, beside, in: folder))
      }
    }
    var tally: [PageKind: FuzzTally] = [:]
    for number in first..<first + count {
      let fixture = fixtures[number % fixtures.count]
      var input = FuzzInput(
        fixture: fixture, random: TrialRandom(seed, number),
        name:
          "input \(number) of seed \(seed) (\(fixture.kind.rawValue)\(fixture.beside.rawValue))",
        folder: folder + "/run")
      TimeLimit.begin(input.name)
      try input.run()
      tally[fixture.kind, default: FuzzTally()].add(input.tally)
      if (number + 1) % 1000 == 0 { say("\(number + 1 - first) inputs") }
    }
    for kind in PageKind.allCases {
      if let tally = tally[kind] { say("\(kind.rawValue): \(tally)") }
    }
    let wrong = tally.values.reduce(0) { $0 + $1.wrong }
    say("\(count) damaged files, seed \(seed): no crash, none hung, \(wrong) wrong answers")
    if wrong > 0 { exit(1) }
  }
}

/// What came of the answers.
struct FuzzTally: CustomStringConvertible {
  var files = 0
  /// Answers that were what was written.
  var right = 0
  var errors = 0
  /// Plain files and journals of files with checksums alone: SQLite cannot notice.
  var otherValues = 0
  /// Files whose journal no longer says what to take back: half of a transaction, of values that were written.
  var halves = 0
  var wrong = 0

  mutating func add(_ other: FuzzTally) {
    files += other.files
    right += other.right
    errors += other.errors
    otherValues += other.otherValues
    halves += other.halves
    wrong += other.wrong
  }

  var description: String {
    "\(files) files, \(right) answers right, \(errors) errors, \(otherValues) other values, \(halves) of half a transaction, \(wrong) wrong"
  }
}

struct FuzzInput {
  let fixture: Fixture
  var random: TrialRandom
  let name: String
  let folder: String
  var tally = FuzzTally()
  /// Whether every change is noticed: of a plain file none is, a checksum does not say which page it is of, and what stands in a journal has
  /// none but SQLite's weak one.
  var noticesChanges = true

  private var file: String { folder + "/a.db" }

  mutating func run() throws {
    tally.files = 1
    let manager = FileManager.default
    try? manager.removeItem(atPath: folder)
    try manager.createDirectory(atPath: folder, withIntermediateDirectories: true)
    fixture.kind.use()
    let damaged = fixture.damaged(&random)
    noticesChanges =
      fixture.kind.isEncrypted
      || (fixture.kind == .checksums && !damaged.hasSwappedPages
        && !(fixture.beside == .journal && damaged.isOnlyBeside))
    let files = POSIXFiles()
    let (file, folder) = (file, folder)
    try files.write(damaged.file, to: file, permissions: 0o600)
    let beside = file + fixture.beside.rawValue
    if fixture.beside != .nothing {
      try files.write(damaged.neighbour, to: beside, permissions: 0o600)
    }

    let target = TrialHistory.target
    // Reading, which changes nothing.
    ask("inspect") { input in
      let found = try FileInspector().inspect(file, target: target, digest: true, checksAll: true)
      if let problem = found.problem { throw problem }
      input.judge(found)
    }
    ask("plan") { _ in
      _ = try UpgradePlan.make(path: file, target: target, options: Upgrade.Options())
    }
    ask("export") { input in
      input.judge(try TrialFile.lines(of: file), "export")
    }
    if try files.read(file, from: 0, count: damaged.file.count + 1) != damaged.file {
      wrong("reading has changed the file")
    }
    ask("upgrade elsewhere") { input in
      var options = Upgrade.Options()
      options.output = folder + "/new.db"
      try Upgrade(path: file, target: target, options: options).run()
      input.judge(
        try TrialFile.lines(of: folder + "/new.db"), "upgrade elsewhere", isUpgraded: true)
    }
    ask("salvage") { input in
      let saved = folder + "/saved.db"
      let report = try Salvage(path: file, output: saved).run()
      let lines = try TrialFile.lines(of: saved)
      if report.isComplete { input.judge(lines, "salvage") }
    }
    // Writing, each in a copy.
    for use in [useStore, upgrade] {
      for suffix in ["", "-wal", "-shm", "-journal"] {
        try files.removeIfPresent(folder + "/copy.db" + suffix)
      }
      try files.write(damaged.file, to: folder + "/copy.db", permissions: 0o600)
      if fixture.beside != .nothing {
        try files.write(
          damaged.neighbour, to: folder + "/copy.db" + fixture.beside.rawValue, permissions: 0o600)
      }
      use(folder + "/copy.db", &self)
    }
  }

  private func useStore(_ path: String, _ input: inout FuzzInput) {
    input.ask("store") { input in
      let store = try Store(path: path)
      defer { store.close() }
      for model in ["Dog", "Person"] {
        for object in try store.objects(named: model) {
          _ = object["age"]
          _ = object["note"]
          _ = object["best"]
        }
      }
      try store.refresh()
      input.judge(try TrialFile.lines(of: path), "store")
      try store.write {
        if let dog = try store.objects(named: "Dog").first { try store.delete(dog) }
      }
    }
  }

  private func upgrade(_ path: String, _ input: inout FuzzInput) {
    input.ask("upgrade") { input in
      try Upgrade(path: path, target: TrialHistory.target).run()
      input.judge(try TrialFile.lines(of: path), "upgrade", isUpgraded: true)
    }
  }

  private mutating func ask(_ what: String, _ body: (inout FuzzInput) throws -> Void) {
    do {
      try body(&self)
    } catch {
      tally.errors += 1
      let text = "\(error)"
      // Every error is a sentence.
      if text.count < 20 || !text.contains(" ") { wrong("\(what): '\(text)' is no sentence") }
      switch error {
      case is MigrationError, is StoreError: break
      default: wrong("\(what): \(type(of: error)) is no error of ours: \(text)")
      }
    }
  }

  private mutating func judge(_ lines: [String], _ what: String, isUpgraded: Bool = false) {
    if (isUpgraded ? fixture.upgradedStates : fixture.states).contains(lines) {
      tally.right += 1
      return
    }
    guard noticesChanges else {
      tally.otherValues += 1
      return
    }
    // Without its journal a file is half of a transaction, but never holds what was not written.
    let known = isUpgraded ? fixture.everyUpgradedLine : fixture.everyLine
    let states = isUpgraded ? fixture.upgradedStates : fixture.states
    let other = lines.first { line in
      guard fixture.beside == .journal else { return !states.contains { $0.contains(line) } }
      return (try? TrialFile.values(of: line)).map { !known.contains($0) } ?? true
    }
    if fixture.beside == .journal, other == nil {
      tally.halves += 1
      return
    }
    wrong("\(what): \(lines.count) objects, as \(other ?? "none that is new")")
  }

  /// What `inspect` says is sound and authentic has the digest of a state.
  private mutating func judge(_ found: FileInspection) {
    guard let digest = found.dataDigest else { return }
    if fixture.digests.contains(digest) {
      tally.right += 1
    } else if !noticesChanges {
      tally.otherValues += 1
    } else if found.contentProblems?.isEmpty == false {
      tally.errors += 1
    } else if fixture.beside == .journal {
      tally.halves += 1
    } else {
      wrong("inspect finds nothing wrong with other objects")
    }
  }

  private mutating func wrong(_ text: String) {
    tally.wrong += 1
    say("\(name): \(text)")
  }
}
