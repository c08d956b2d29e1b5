import StrataCipher
import StrataHistory
import StrataSQLite
import StrataSchema
import Testing

@testable import Strata
@testable import StrataFiles

/// Rows on whole pages below a page that cannot be read.
@Suite struct SalvagedStrayPagesTests {
  private static let notLookedFor =
    "rows on pages that no readable page names, which were not looked for because "

  private func rows(_ report: Salvage.Report, _ model: String) -> [ClosedRange<Int64>]? {
    report.models.first { $0.model == model }?.unreadable
  }

  // MARK: - Tables

  /// All other pages are accounted for, so nothing is missing.
  @Test(arguments: [0, 0xAB] as [UInt8])
  func aTableWithoutItsRootIsSaved(_ byte: UInt8) throws {
    let file = try SalvageDamage(people: 10_000, dogs: 500)
    let (people, scores) = (try file.rows("Person"), try file.rows("Person.scores"))
    try file.fill(try file.root(of: "Person"), with: byte)

    let report = try file.salvage()

    #expect(report.losses == [] && !report.problems.isEmpty)
    #expect(rows(report, "Person") == [])
    #expect(try file.saved("Person") == people)
    #expect(try file.saved("Person.scores") == scores)
  }

  @Test func aTableWithoutAnInnerPageIsSaved() throws {
    let file = try SalvageDamage(people: 8000, noteLength: 900)
    let people = try file.rows("Person")
    let inner = try file.children(of: try file.root(of: "Person"))
    try #require(inner.count > 2)
    try file.fill(inner[1], with: 0xAB)

    let report = try file.salvage()

    #expect(report.losses == [])
    #expect(try file.saved("Person") == people)
  }

  /// Between the root and the leaves, too, pages are reached from nowhere.
  @Test func aTableOfThreeLevelsWithoutItsRootIsSaved() throws {
    let file = try SalvageDamage(people: 8000, noteLength: 900)
    let people = try file.rows("Person")
    try file.fill(try file.root(of: "Person"), with: 0)

    let report = try file.salvage()

    #expect(report.losses == [])
    #expect(try file.saved("Person") == people)
  }

  /// Only what stood on the leaf is missing. It is told with the numbers between pages, which may have been those of other objects; of many, how much was saved.
  @Test(arguments: [600, 2000])
  func aDamagedLeafBelowADamagedRootIsLost(_ count: Int) throws {
    let file = try SalvageDamage(people: count)
    let people = try file.rows("Person")
    let root = try file.root(of: "Person")
    let leaves = try file.children(of: root)
    let lost = try file.numbers(on: leaves[3])
    try file.fill(leaves[3], with: 0)
    try file.fill(root, with: 0)

    let report = try file.salvage()

    let left = people.filter { !lost.contains($0[0].ifInteger ?? 0) }
    #expect(try file.saved("Person") == left && left.count < people.count)
    let ranges = try #require(rows(report, "Person"))
    #expect(lost.allSatisfy { DamagedRows.contains(ranges, $0) })
    let exception =
      ", but for \(grouped(left.count)) objects saved from pages that were read one by one"
    let told = report.losses.filter { $0.hasPrefix("objects of Person between _row ") }
    #expect(told.count == ranges.count)
    #expect(told.allSatisfy { $0.hasSuffix(exception) == (count > 600) }, "\(told)")
  }

  @Test func longValuesGoOnElsewhere() throws {
    let file = try SalvageDamage(people: 300, noteLength: 9000)
    let people = try file.rows("Person")
    try file.fill(try file.root(of: "Person"), with: 0)
    #expect(try file.salvage().losses == [])
    #expect(try file.saved("Person") == people)
  }

  /// Rows that were written before a column was added do not have it.
  @Test func columnsThatWereAddedHaveTheirDefaults() throws {
    let file = try SalvageDamage(people: 0, dogs: 2000)
    for statement in [
      "ALTER TABLE Dog DROP COLUMN master", "ALTER TABLE Dog DROP COLUMN name",
      "ALTER TABLE Dog ADD COLUMN master INTEGER",
      "ALTER TABLE Dog ADD COLUMN name TEXT NOT NULL DEFAULT 'Rex''s'",
      "UPDATE Dog SET name = 'Bello' WHERE _row = 100", "PRAGMA wal_checkpoint(TRUNCATE)",
    ] { try file.sql(statement) }
    let dogs = try file.sql("SELECT _row, name, master FROM Dog ORDER BY 1")
    try #require(dogs[0] == [.integer(2), .text("Rex's"), .null])
    try file.fill(try file.root(of: "Dog"), with: 0xAB)
    #expect(try file.salvage().losses == [])
    let saved = try file.sql(
      "SELECT _row, name, master FROM Dog ORDER BY 1", of: file.bench.path("saved.db"))
    #expect(saved == dogs)
  }

  // MARK: - Collections

  /// Their damaged pages hold elements as well.
  @Test(arguments: ["Person.scores", "Person.words"])
  func aCollectionWithoutItsRootIsSavedButForWhatStoodOnIt(_ table: String) throws {
    let file = try SalvageDamage(people: 5000)
    let elements = try file.rows(table)
    let root = try file.root(of: table)
    let onRoot = try file.children(of: root).count - 1
    try file.fill(root, with: 0)

    let report = try file.salvage()

    let saved = try file.saved(table)
    #expect(saved.count == elements.count - onRoot && onRoot > 0)
    #expect(Set(saved).isSubset(of: elements))
    #expect(report.losses.count == 1)
    #expect(
      report.losses.first?.hasSuffix(
        "but for \(grouped(saved.count)) elements saved from pages that were read one by one")
        == true,
      "\(report.losses)")
  }

  /// The rows of each stand in the same temporary table, one collection after the other.
  @Test func twoCollectionsWithoutTheirRootsAreSaved() throws {
    let file = try SalvageDamage(people: 5000)
    let tables = ["Person.scores", "Person.words"]
    let elements = try tables.map { try file.rows($0) }
    let roots = try tables.map { try file.root(of: $0) }
    let onRoots = try roots.map { try file.children(of: $0).count - 1 }
    for root in roots { try file.fill(root, with: 0) }

    let report = try file.salvage()

    for (index, table) in tables.enumerated() {
      let saved = try file.saved(table)
      #expect(saved.count == elements[index].count - onRoots[index] && onRoots[index] > 0)
      #expect(Set(saved).isSubset(of: elements[index]))
    }
    #expect(report.losses.count == 2)
  }

  /// Elements stand on inner pages, too.
  @Test func innerPagesOfACollectionAreSaved() throws {
    let file = try SalvageDamage(people: 1500, wordLength: 800)
    let elements = try file.rows("Person.words")
    let root = try file.root(of: "Person.words")
    let inner = try file.children(of: root)
    try #require(try file.page(inner[0])[0] == BTreePage.Kind.indexInterior.rawValue)
    try file.fill(root, with: 0)
    _ = try file.salvage()
    let saved = try file.saved("Person.words")
    #expect(saved.count == elements.count - (inner.count - 1))
    #expect(Set(saved).isSubset(of: elements))
  }

  /// The type of a value is damaged: a list's place would be a text.
  @Test func anElementWhosePlaceIsNoNumberIsLost() throws {
    let file = try SalvageDamage(people: 20)
    let elements = try file.rows("Person.scores")
    let root = try file.root(of: "Person.scores")
    var image = try file.image(of: root)
    let record = try file.tree(root).cells[0].local.lowerBound
    let type = image[record + 2]
    #expect(type == 3)
    // A text of as many bytes.
    image[record + 2] = 13 + 2 * 3
    try file.overwrite(root, image)

    let report = try file.salvage()

    // It does not stand in the order of the elements either.
    #expect(
      report.losses == [
        "some or all elements of Person.scores of 1 object, which cannot be read, but for 1 element saved from pages that were read one by one"
      ])
    #expect(try file.saved("Person.scores") == Array(elements.dropFirst()))
  }

  // MARK: - What is not certain

  @Test func rowsThatMayBeOfTwoTablesAreNotSaved() throws {
    let file = try SalvageDamage(people: 100, dogs: 1000, cats: 1000)
    let people = try file.rows("Person")
    for table in ["Dog", "Cat"] { try file.fill(try file.root(of: table), with: 0) }

    let report = try file.salvage()

    #expect(try file.saved("Dog") == [] && file.saved("Cat") == [])
    #expect(try file.saved("Person") == people)
    #expect(
      report.losses.contains {
        $0.hasSuffix(
          "pages of rows that may be those of Cat or of Dog: none is saved, because no readable page says which"
        )
      }, "\(report.losses)")
  }

  /// A table whose rows look alike is no reason where it can be read.
  @Test func aSoundTableIsNoCandidate() throws {
    let file = try SalvageDamage(people: 100, dogs: 1000, cats: 1000)
    let (dogs, cats) = (try file.rows("Dog"), try file.rows("Cat"))
    try file.fill(try file.root(of: "Dog"), with: 0)
    #expect(try file.salvage().losses == [])
    #expect(try file.saved("Dog") == dogs && file.saved("Cat") == cats)
  }

  /// What was deleted stands on free pages, and between the rows of others.
  @Test func deletedObjectsStayDeleted() throws {
    let file = try SalvageDamage(people: 10_000)
    try file.delete("_row BETWEEN 2000 AND 9000 OR _row > 12000 AND _row % 3 = 0")
    try #require(try file.sql("PRAGMA freelist_count")[0][0].ifInteger ?? 0 > 20)
    let people = try file.rows("Person")
    try file.fill(try file.root(of: "Person"), with: 0xAB)
    #expect(try file.salvage().losses == [])
    #expect(try file.saved("Person") == people)
  }

  @Test(arguments: [0, 0xAB] as [UInt8])
  func withoutTheListOfFreePagesNothingIsCertain(_ byte: UInt8) throws {
    let file = try SalvageDamage(people: 10_000)
    try file.delete("_row BETWEEN 2000 AND 9000")
    let trunk = BTreePage.number(try file.page(1), 32)
    try file.fill(trunk, with: byte)
    try file.fill(try file.root(of: "Person"), with: 0)
    let report = try file.salvage()
    #expect(try file.saved("Person") == [])
    #expect(report.losses.contains(Self.notLookedFor + "the list of free pages is damaged"))
  }

  /// Of two pages with the same rows one is older, and nothing says which.
  @Test func pagesThatContradictEachOtherAreNotSaved() throws {
    let file = try SalvageDamage(people: 2000)
    let people = try file.rows("Person")
    let root = try file.root(of: "Person")
    let leaves = try file.children(of: root)
    let lost = try [2, 5].flatMap {
      try file.numbers(on: leaves[$0])
    }
    try file.overwrite(leaves[5], try file.image(of: leaves[2]))
    try file.fill(root, with: 0)

    let report = try file.salvage()

    #expect(try file.saved("Person") == people.filter { !lost.contains($0[0].ifInteger ?? 0) })
    #expect(
      report.losses.contains(
        "2 pages of rows of Person that seem to hold the same keys: none is saved, because nothing says which is newer"
      ), "\(report.losses)")
    #expect(rows(report, "Person")?.isEmpty == false)
  }

  /// One of the two trees is not what it says.
  @Test func whereTwoTreesNameAPageNothingIsCertain() throws {
    let file = try SalvageDamage(people: 2000, dogs: 2000)
    try file.overwrite(
      try file.root(of: "Cat"), try file.image(of: try file.root(of: "Person")))
    try file.fill(try file.root(of: "Dog"), with: 0)
    let report = try file.salvage()
    #expect(try file.saved("Dog") == [])
    #expect(report.losses.contains(Self.notLookedFor + "a page is named in two places of the file"))
  }

  // MARK: - Forms of files

  @Test func aFileWithChecksumsIsSaved() throws {
    let file = try SalvageDamage(people: 3000)
    _ = try Rekeying(path: file.path, from: nil, to: nil, checksums: true).run()
    let people = try file.rows("Person")
    let root = try file.root(of: "Person")
    let leaves = try file.children(of: root)
    // A page whose checksum does not fit is not taken, whole as it looks.
    let lost = try file.numbers(on: leaves[1])
    var leaf = try file.image(of: leaves[1])
    leaf[4000] ^= 1
    try file.overwrite(leaves[1], leaf)
    try file.fill(root, with: 0xAB)

    let report = try file.salvage()

    #expect(try file.saved("Person") == people.filter { !lost.contains($0[0].ifInteger ?? 0) })
    #expect(rows(report, "Person")?.isEmpty == false)
  }

  @Test(arguments: CipherKind.allCases, [false, true])
  func anEncryptedFileIsSaved(_ kind: CipherKind, hasLog: Bool) throws {
    PageCiphers.install()
    let key = FileKey.bytes([UInt8](repeating: 0x42, count: 32))
    let vfs = try #require(FileCipher(key: key, kind: kind).vfs())
    let file = try SalvageDamage(people: 3000, vfs: vfs)
    let writer = try Database(path: file.path, mode: .readWrite, vfs: vfs)
    defer { writer.close() }
    if hasLog { try writer.execute("UPDATE Person SET age = 1000 WHERE _row % 7 = 0") }
    let people = try file.rows("Person")
    try file.fill(try file.root(of: "Person"), with: 0xAB)
    #expect(try file.salvage().losses == [])
    #expect(try file.saved("Person") == people)
    #expect(try file.bench.bytes(file.bench.path("saved.db")).starts(with: "SQLite".utf8) == false)
  }

  /// What stands in the log is newer than what stands in the file.
  @Test(arguments: [true, false])
  func aLogBesideTheFileCounts(isInUse: Bool) throws {
    let file = try SalvageDamage(people: 3000)
    let root = try file.root(of: "Person")
    let writer = try Database(path: file.path, mode: .readWrite)
    defer { writer.close() }
    try writer.execute("UPDATE Person SET age = 1000 WHERE _row % 7 = 0")
    let people = try file.rows("Person")
    try #require(people.contains { $0.contains(.integer(1000)) })
    try file.fill(root, with: 0)
    var damaged = file.path
    if !isInUse {
      damaged = file.bench.path("copy.db")
      for suffix in ["", "-wal"] {
        try POSIXFiles().copy(file.path + suffix, to: damaged + suffix, permissions: 0o600)
      }
    }
    let before = try file.bench.contents()

    let report = try Salvage(path: damaged, output: file.bench.path("saved.db")).run()

    #expect(report.losses == [])
    #expect(try file.saved("Person") == people)
    let after = try file.bench.contents().filter { before[$0.key] != nil }
    #expect(
      after.filter { !$0.key.hasSuffix("-shm") } == before.filter { !$0.key.hasSuffix("-shm") })
  }

  /// In a sound file every page is free or reached, and no tree has a gap.
  @Test(arguments: [0, 5])
  func aSoundFileHasNoStrayPages(version: Int) throws {
    let bench = try Workbench()
    let target = PeopleHistory.target
    let path = try bench.sample(version: version, of: target, objects: 2000)
    let schema = try #require(target.history.version(version)).schema
    for statement in [
      "CREATE TABLE other (a TEXT, b, PRIMARY KEY (b DESC, a)) WITHOUT ROWID",
      "INSERT INTO other SELECT hex(randomblob(_row % 700)), randomblob(_row % 9000) FROM Person",
      "CREATE TABLE more (a INTEGER PRIMARY KEY, b CHECK (b <> 7))",
      "INSERT INTO more SELECT random(), randomblob(_row % 9000) FROM Person",
      "DELETE FROM other WHERE a < 'C'", "DELETE FROM more WHERE a % 3 = 0",
      "PRAGMA wal_checkpoint(TRUNCATE)",
    ] { try bench.sql(path, statement) }
    try #require(try bench.sql(path, "PRAGMA freelist_count")[0][0].ifInteger ?? 0 > 0)
    let file = try UntouchedDatabase.open(path, files: POSIXFiles())
    defer { file.close() }
    let strays = try StrayPages(
      of: file.database, layout: TableLayout(schema), isCancelled: { false })
    let damaged = zip(strays.map.trees, strays.map.gaps).filter { !$1.isEmpty }.map(\.0.name)
    #expect(damaged == [])
    #expect(strays.isComplete && file.holdsAllPages)
    let found = strays.map.trees.map(\.name).filter { strays.found(of: $0) != nil }
    #expect(found == [])
  }

  @Test func aWishToStopIsHeard() throws {
    let file = try SalvageDamage(people: 10_000)
    try file.fill(try file.root(of: "Person"), with: 0)
    let database = try UntouchedDatabase.open(file.path, files: POSIXFiles())
    defer { database.close() }
    let layout = TableLayout(SalvageDamage.target.history.versions[0].schema)
    #expect {
      _ = try StrayPages(of: database.database, layout: layout, isCancelled: { true })
    } throws: { ($0 as? SQLiteError)?.primaryCode == .interrupted }
  }
}
