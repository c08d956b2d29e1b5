import Foundation
import StrataFiles
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata

/// Random edits behind a file's back: whatever is asked of it then gives the right data or an error with a sentence. Never a crash,
/// never a wrong value, and never a file that was changed by what refused it.
///
/// `STRATA_LONG_TESTS=1` tries hundreds of times as many; `STRATA_DAMAGED_FILES=5000..<10000` names the seeds.
@Suite struct DamagedFileTests {
  private static let seeds: Range<Int> = {
    let environment = ProcessInfo.processInfo.environment
    if let text = environment["STRATA_DAMAGED_FILES"] {
      let ends = text.split(separator: "..<").compactMap { Int($0) }
      if ends.count == 2, ends[0] < ends[1] { return ends[0]..<ends[1] }
    }
    return 0..<(environment["STRATA_LONG_TESTS"] == nil ? 48 : 8000)
  }()

  @Test(arguments: 0..<4)
  func itIsTheRightDataOrASentence(part: Int) throws {
    for seed in Self.seeds where seed % 4 == part {
      try DamagedFileRun(seed: seed).run()
    }
  }

  /// The end of another descriptor would drop the locks with which a store of this process uses what is whole of the file.
  @Test func whatIsWrongIsReadThroughSQLite() throws {
    let bench = try Workbench()
    let file = try bench.sample(version: 4, of: PeopleHistory.target, objects: 24, seed: 1)
    var content = try Data(contentsOf: URL(fileURLWithPath: file))
    content.replaceSubrange(4096..<8192, with: Data(repeating: 0xFF, count: 4096))
    try content.write(to: URL(fileURLWithPath: file))
    let files = FaultyFiles()

    let error = #expect(throws: MigrationError.self) {
      try FileInspector(files: files).stored(at: file)
    }

    #expect(error?.kind == .fileDamaged)
    #expect(files.openedPaths == [])
  }

  /// A store of this process writes a file without a log, so that a journal stands beside it: both are copied to be read.
  @Test func whatIsCopiedIsReadThroughSQLite() throws {
    let bench = try Workbench()
    let file = try bench.sample(version: 4, of: PeopleHistory.target, objects: 24, seed: 1)
    try bench.sql(file, "PRAGMA journal_mode = DELETE")
    let before = try bench.bytes(file)
    let writer = try Database(path: file, mode: .readWrite)
    try writer.begin(.immediate)
    try writer.execute("UPDATE Person SET age = age + 1")
    #expect(try POSIXFiles().log(beside: file) == file + "-journal")
    let files = FaultyFiles()

    let opened = try UntouchedDatabase.open(file, files: files)

    #expect(try opened.database.firstValue("PRAGMA integrity_check") == "ok")
    let copy = try #require(opened.database.fileName)
    #expect(copy != file)
    #expect(try bench.bytes(copy) == before)
    #expect(!files.openedPaths.contains(file))
    opened.close()
    try writer.commit()
  }
}

/// One file, some edits, and everything that may be asked of it.
private struct DamagedFileRun {
  let seed: Int
  let bench: Workbench
  let target: UpgradeTarget
  let version: Int

  init(seed: Int) throws {
    self.seed = seed
    bench = try Workbench()
    (target, version) =
      switch seed % 3 {
      case 0: (PeopleHistory.target, 4)
      case 1: (PeopleHistory.target, seed / 3 % 2 == 0 ? 0 : 2)
      default: (InPlaceTests.everything, 0)
      }
  }

  func run() throws {
    let file = try bench.sample(
      version: version, of: target, objects: 24, seed: UInt64(seed + 1))
    let whole = try lines(of: file)
    var edits = FileEdits(path: file, seed: UInt64(seed))
    try edits.make()
    let story: Comment = "seed \(seed): \(edits.story.joined(separator: "; "))"
    let before = try bench.contents()

    let isLeftAlone = edits.keepsContent
    ask(story) { _ = try FileInspector().inspect(file, target: target, digest: true) }
    ask(story) {
      _ = try UpgradePlan.make(path: file, target: target, options: Upgrade.Options())
    }
    ask(story) {
      let found = try lines(of: file)
      if isLeftAlone { #expect(found == whole, story) }
    }
    #expect(try bench.contents() == before, story)

    let ways = [(true, true, "a"), (false, false, "b"), (true, false, "c")]
    var digests: [Digest?] = []
    for (isSetBased, isFusing, name) in ways {
      var options = Upgrade.Options()
      options.isSetBased = isSetBased
      options.isFusing = isFusing
      options.output = bench.path("output-\(name).db")
      ask(story) {
        try Upgrade(path: file, target: target, options: options).run()
        guard let output = options.output, try POSIXFiles().exists(output) else { return }
        ask(story) {
          _ = try lines(of: output)
          digests.append(try digest(output, target))
        }
      }
    }
    #expect(Set(digests).count <= 1, story)
    let copy = try bench.copyWithNeighbours(of: file, to: "copy.db")
    let copied = try bench.bytes(copy)
    let isUpgraded = ask(story) { try upgrade(copy, target) }
    if isUpgraded {
      ask(story) { _ = try lines(of: copy) }
    } else if copied.prefix(20).dropFirst(18).elementsEqual([2, 2]) {
      // With its log mode, which an upgrade sets before it begins.
      #expect(try bench.bytes(copy) == copied, story)
    }
    useStore(file, story)
  }

  /// Everything that a store can be asked for, and a write.
  private func useStore(_ file: String, _ story: Comment) {
    ask(story) {
      let store = try Store(path: file)
      defer { store.close() }
      for model in store.definition.schema.storedModels {
        for object in try store.objects(named: model.name) {
          for property in model.properties { _ = object[property.name] }
        }
      }
      try store.refresh()
      try store.write {
        for model in store.definition.schema.storedModels where !model.isEmbedded {
          _ = try store.objects(named: model.name).count
          if let first = try store.objects(named: model.name).first { try store.delete(first) }
        }
      }
    }
  }

  private func lines(of file: String) throws -> [String] {
    var lines: [String] = []
    try ObjectExporter.export(file, target: nil) { lines.append($0) }
    return lines
  }

  /// Runs `body`; an error has to be one of ours and say what happened, where, and what to do.
  @discardableResult
  private func ask(_ story: Comment, _ body: () throws -> Void) -> Bool {
    do {
      try body()
      return true
    } catch {
      let text = "\(error)"
      #expect(error is MigrationError || error is StoreError, "\(story): \(text)")
      #expect(
        text.contains(" ") && (text.hasSuffix(".") || text.hasSuffix("”")), "\(story): \(text)")
      for raw in ["SQLite answered", "Optional(", "StrataSchema.", "Strata.", "Error("] {
        #expect(!text.contains(raw), "\(story): \(text)")
      }
      return false
    }
  }
}

/// Edits of one file by chance.
private struct FileEdits {
  let path: String
  private var generator: SplitMix
  private(set) var story: [String] = []
  /// Whether no value, link or place was edited: what can be read is what it was.
  private(set) var keepsContent = true

  init(path: String, seed: UInt64) {
    self.path = path
    generator = SplitMix(state: seed)
  }

  mutating func make() throws {
    let count = Int.random(in: 1...2, using: &generator)
    for _ in 0..<count {
      switch Int.random(in: 0..<10, using: &generator) {
      case 0..<4: run(shapeEdit())
      case 4..<6: run(factEdit())
      case 6..<9:
        keepsContent = false
        run(contentEdit())
      default:
        keepsContent = false
        try flipBytes()
      }
    }
  }

  /// An edit that SQLite refuses changes nothing, which is an edit, too.
  private mutating func run(_ sql: String) {
    story.append(sql)
    guard let database = try? Database(path: path, mode: .readWrite) else { return }
    defer { database.close() }
    _ = try? database.set(.defensive, false)
    _ = try? database.setPragma("foreign_keys", false)
    _ = try? database.setPragma("legacy_alter_table", true)
    _ = try? database.setPragma("writable_schema", true)
    do {
      try database.executeScript(sql)
    } catch {
      story.append("(refused)")
    }
  }

  private func values(_ sql: String) -> [String] {
    guard let database = try? Database(path: path, mode: .readOnly) else { return [] }
    defer { database.close() }
    return ((try? database.rows(sql)) ?? []).compactMap { $0[0].ifText }
  }

  private mutating func pick(_ list: [String]) -> String {
    list.randomElement(using: &generator) ?? "nothing"
  }

  private mutating func name(_ kind: String) -> String {
    pick(
      values(
        "SELECT name FROM sqlite_schema WHERE type = '\(kind)' AND name NOT LIKE 'sqlite_%'"))
  }

  private mutating func column(of table: String) -> String {
    pick(values("SELECT name FROM pragma_table_info('\(table)')"))
  }

  private mutating func shapeEdit() -> String {
    let table = name("table")
    let column = column(of: table)
    let (t, c) = (SQL.identifier(table), SQL.identifier(column))
    let other = name("table")
    switch Int.random(in: 0..<20, using: &generator) {
    case 0: return "ALTER TABLE \(t) DROP COLUMN \(c)"
    case 1: return "ALTER TABLE \(t) RENAME COLUMN \(c) TO other"
    case 2: return "DROP TABLE \(t)"
    case 3: return "ALTER TABLE \(t) RENAME TO other"
    case 4: return "DROP INDEX \(SQL.identifier(name("index")))"
    case 5: return "DROP TRIGGER \(SQL.identifier(name("trigger")))"
    case 6:
      return
        "CREATE TRIGGER spy AFTER INSERT ON \(t) BEGIN DELETE FROM \(SQL.identifier(other)); END"
    case 7: return "ALTER TABLE \(t) RENAME TO o; CREATE VIEW \(t) AS SELECT * FROM o"
    case 8: return "ALTER TABLE \(t) ADD COLUMN other TEXT"
    case 9:
      return rewrite(
        table, pick(["INTEGER", "TEXT", "ANY", "BLOB"]), pick(["TEXT", "REAL", "ANY"]))
    case 10: return rewrite(table, "STRICT", "")
    case 11: return rewrite(table, " NOT NULL", pick(["", " CHECK (1)", " COLLATE NOCASE"]))
    case 12: return rewrite(table, "CREATE TABLE", pick(["CREATE VIEW", "CREATE TABLE x", ""]))
    case 13:
      keepsContent = false
      return """
        UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE \
        name = '\(other)') WHERE name = '\(table)'
        """
    case 14:
      keepsContent = false
      return """
        CREATE TEMP TABLE places AS SELECT name, rootpage FROM sqlite_schema; \
        UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM places WHERE name = \
        CASE sqlite_master.name WHEN '\(table)' THEN '\(other)' ELSE '\(table)' END) \
        WHERE name IN ('\(table)', '\(other)')
        """
    case 15:
      keepsContent = false
      return """
        UPDATE sqlite_schema SET rootpage = \(Int.random(in: 0...80, using: &generator)) \
        WHERE name = '\(pick([table, name("index")]))'
        """
    case 16: return "DELETE FROM sqlite_schema WHERE name = '\(pick([table, name("index")]))'"
    case 17: return "CREATE UNIQUE INDEX spy ON \(t) (\(c))"
    case 18: return "CREATE TABLE other (a); CREATE VIEW v AS SELECT * FROM \(t)"
    default: return "CREATE INDEX spy ON \(t) (\(pick([c, "json(\(c))", "\(c) + 1"])))"
    }
  }

  private func rewrite(_ table: String, _ old: String, _ new: String) -> String {
    """
    UPDATE sqlite_schema SET sql = replace(sql, \(SQL.literal(old)), \(SQL.literal(new))) \
    WHERE name = '\(table)'
    """
  }

  private mutating func factEdit() -> String {
    let key = pick(StrataMetadata.Key.allCases.map(\.rawValue))
    let value = pick([
      "-1", "0", "1", "7", "9223372036854775807", "-9223372036854775808", "4611686018427387904",
      "'text'", "NULL", "x'00'", "1.5", "''", "'{}'", "'[]'", "substr(value, 2)", "value || '}'",
      "replace(value, 'Person', 'Human')", "replace(value, 'string', 'int')",
      "replace(value, 'name', 'age')", "replace(value, '[', '[[')",
      "'\(String(repeating: "a", count: 64))'",
    ])
    return Bool.random(using: &generator) || key == "definition"
      ? "UPDATE _strata SET value = \(value) WHERE key = '\(key)'"
      : "DELETE FROM _strata WHERE key = '\(key)'"
  }

  private mutating func contentEdit() -> String {
    let table = name("table")
    let (t, c) = (SQL.identifier(table), SQL.identifier(column(of: table)))
    let value = pick([
      "NULL", "0", "-1", "12", "'12'", "'text'", "x'00ff'", "1e300", "9223372036854775807",
      "-9223372036854775808", "''", "x''", "x'0900'", "x'090000000000000001506572736f6e'", "5e-324",
    ])
    let row =
      "rowid = (SELECT rowid FROM \(t) LIMIT 1 OFFSET \(Int.random(in: 0..<12, using: &generator)))"
    switch Int.random(in: 0..<6, using: &generator) {
    case 0: return "UPDATE \(t) SET \(c) = \(value)"
    case 1: return "UPDATE \(t) SET \(c) = \(value) WHERE \(row)"
    case 2: return "DELETE FROM \(t) WHERE \(row)"
    case 3: return "DELETE FROM \(t)"
    case 4: return "INSERT INTO \(t) SELECT * FROM \(t)"
    default:
      // As a file that was not strict for a while.
      let text = pick(values("SELECT sql FROM sqlite_schema WHERE name = '\(table)'"))
      var loose = text
      for (old, new) in [
        (") STRICT, ", ") "), (") STRICT", ")"), ("\" INTEGER", "\" BLOB"), ("\" TEXT", "\" BLOB"),
        (" NOT NULL", ""),
      ] {
        loose = loose.replacingOccurrences(of: old, with: new)
      }
      run("UPDATE sqlite_schema SET sql = \(SQL.literal(loose)) WHERE name = '\(table)'")
      run(
        "UPDATE \(t) SET \(c) = \(value)" + (Bool.random(using: &generator) ? "" : " WHERE \(row)"))
      return "UPDATE sqlite_schema SET sql = \(SQL.literal(text)) WHERE name = '\(table)'"
    }
  }

  private mutating func flipBytes() throws {
    let files = POSIXFiles()
    var bytes = try files.read(path, from: 0, count: 1 << 30)
    guard !bytes.isEmpty else { return }
    if Int.random(in: 0..<8, using: &generator) == 0 {
      let count = Int.random(in: 0..<bytes.count, using: &generator)
      story.append("cut to \(count) bytes")
      bytes = Array(bytes.prefix(count))
      try files.remove(path)
    } else {
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        // Half of them where a page says what it holds.
        let page = Int.random(in: 0..<max(1, bytes.count / 4096), using: &generator) * 4096
        let place =
          Bool.random(using: &generator)
          ? min(bytes.count - 1, page + Int.random(in: 0..<32, using: &generator))
          : Int.random(in: 0..<bytes.count, using: &generator)
        let bit = UInt8(1) << UInt8.random(in: 0..<8, using: &generator)
        story.append("bit \(bit) of byte \(place) flipped")
        bytes[place] ^= bit
      }
    }
    try files.write(bytes, to: path, permissions: 0o600)
  }
}

/// Chance that is the same each time.
private struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}
