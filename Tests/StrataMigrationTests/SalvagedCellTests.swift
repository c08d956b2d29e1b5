import StrataSQLite
import Testing

@testable import Strata
@testable import StrataFiles

/// A page on which one pointer to a cell leads nowhere, or anywhere: the other rows of it are saved, and no row that never was.
@Suite struct SalvagedCellTests {
  private static let people = 400
  private let damage: SalvageDamage

  init() throws { damage = try SalvageDamage(people: Self.people, dogs: 30) }

  /// The leaves of a table, in their order.
  private func leaves(of table: String) throws -> [Int] {
    let root = try damage.root(of: table)
    let tree = try damage.tree(root)
    return tree.kind.isLeaf ? [root] : tree.children
  }

  /// Overwrites a pointer of a leaf.
  private func point(_ leaf: Int, _ cell: Int, to place: UInt16) throws {
    var image = try damage.image(of: leaf)
    image.replaceSubrange(
      8 + 2 * cell..<10 + 2 * cell, with: [UInt8(place >> 8), UInt8(truncatingIfNeeded: place)])
    try damage.overwrite(leaf, image)
  }

  private func contains(_ ranges: [ClosedRange<Int64>], _ row: [SQLiteValue]) -> Bool {
    row[0].ifInteger.map { number in ranges.contains { $0.contains(number) } } ?? false
  }

  enum Which: CaseIterable { case first, middle, last }

  /// Beyond the end of the page, into the last bytes of it, and into its head.
  @Test(arguments: Which.allCases, [0xFFFF, 4095, 4090, 3])
  func theOtherRowsOfItsPageAreSaved(which: Which, place: UInt16) throws {
    let before = try damage.rows("Person")
    let leaf = try leaves(of: "Person")[1]
    let numbers = try damage.numbers(on: leaf)
    let cell =
      switch which {
      case .first: 0
      case .middle: numbers.count / 2
      case .last: numbers.count - 1
      }
    try point(leaf, cell, to: place)

    let report = try damage.salvage()

    #expect(try damage.saved("Person") == before.filter { $0[0] != .integer(numbers[cell]) })
    let model = try #require(report.models.first { $0.model == "Person" })
    #expect(contains(model.unreadable, [.integer(numbers[cell])]))
    // The numbers of dogs stand between.
    #expect(model.unreadable.allSatisfy { $0.count <= 3 }, "\(model.unreadable)")
    #expect(report.models.first { $0.model == "Dog" }?.saved == 30)
  }

  /// A small table has one page, which is its root.
  @Test func theOtherRowsOfARootAreSaved() throws {
    let before = try damage.rows("Dog")
    try point(try damage.root(of: "Dog"), 9, to: 0xFFFF)

    let report = try damage.salvage()

    #expect(try damage.saved("Dog") == before.filter { $0[0] != .integer(20) })
    #expect(report.losses.contains { $0.contains("objects of Dog between _row 19 and 21") })
  }

  /// Bytes of a cell that say it is longer than it is, and reach over its neighbours.
  @Test func aCellThatIsTooLongCostsItselfAlone() throws {
    let before = try damage.rows("Person")
    let leaf = try leaves(of: "Person")[1]
    let lost = try damage.numbers(on: leaf)[20]
    var image = try damage.image(of: leaf)
    let place = Int(image[48]) << 8 | Int(image[49])
    image.replaceSubrange(place..<place + 2, with: [0x9F, 0x70])
    try damage.overwrite(leaf, image)

    let report = try damage.salvage()

    #expect(try damage.saved("Person") == before.filter { $0[0] != .integer(lost) })
    #expect(report.losses.contains { $0.contains("between _row \(lost - 1) and \(lost + 1)") })
  }

  /// They stand in the order of their owners.
  @Test(arguments: ["Person.scores", "Person.words"])
  func theOtherElementsAreSaved(table: String) throws {
    let before = try damage.rows(table)
    try point(try leaves(of: table)[1], 5, to: 0xFFFF)

    let report = try damage.salvage()

    let saved = try damage.saved(table)
    #expect(saved.count == before.count - 1)
    #expect(saved.allSatisfy(before.contains))
    #expect(!report.losses.isEmpty)
  }

  /// Values that go on behind their page are saved where those pages are there.
  @Test func longValuesOnSuchAPageAreSaved() throws {
    let damage = try SalvageDamage(people: 40, noteLength: 5000)
    let before = try damage.rows("Person")
    let leaf = try #require(try damage.children(of: damage.root(of: "Person")).first)
    let lost = try damage.numbers(on: leaf)[0]
    var image = try damage.image(of: leaf)
    image.replaceSubrange(8..<10, with: [0xFF, 0xFF])
    try damage.overwrite(leaf, image)

    _ = try damage.salvage()

    #expect(try damage.saved("Person") == before.filter { $0[0] != .integer(lost) })
  }

  /// Whatever the pointers say: what is saved was there, and what is missing is told.
  @Test(arguments: 0..<24 as Range<UInt64>)
  func noRowIsMadeUpAndNoneIsMissingUntold(seed: UInt64) throws {
    var chance = StepRandom(seed: seed)
    let before = try damage.rows("Person")
    let leaf = try #require(try leaves(of: "Person").randomElement(using: &chance))
    let count = try damage.numbers(on: leaf).count
    for _ in 0..<Int.random(in: 1...4, using: &chance) {
      try point(
        leaf, Int.random(in: 0..<count, using: &chance),
        to: UInt16.random(in: 0...4200, using: &chance))
    }

    let report = try damage.salvage()

    let saved = try damage.saved("Person")
    let model = try #require(report.models.first { $0.model == "Person" })
    #expect(saved.filter { !before.contains($0) } == [])
    #expect(before.filter { !saved.contains($0) && !contains(model.unreadable, $0) } == [])
  }

  /// What cannot be read at all is told, whole as the page looks.
  @Test func aPageWhoseChecksumDoesNotFitIsLost() throws {
    _ = try Rekeying(path: damage.path, from: nil, to: nil, checksums: true).run()
    let before = try damage.rows("Person")
    let leaf = try leaves(of: "Person")[1]
    let lost = try damage.numbers(on: leaf)
    var image = try damage.image(of: leaf)
    image[4000] ^= 1
    try damage.overwrite(leaf, image)

    let report = try damage.salvage()

    let saved = try damage.saved("Person")
    let model = try #require(report.models.first { $0.model == "Person" })
    #expect(saved == before.filter { !lost.contains($0[0].ifInteger ?? 0) })
    #expect(lost.filter { !contains(model.unreadable, [.integer($0)]) } == [])
  }

  /// A file that ends within a page of rows.
  @Test func aPageThatIsCutOffIsLost() throws {
    try damage.sql("DELETE FROM Dog")
    try damage.sql(
      "INSERT INTO Dog (_row, name) SELECT 2 * _row, printf('%400s', _row) FROM Person")
    try damage.sql("PRAGMA wal_checkpoint(TRUNCATE)")
    let before = try damage.rows("Dog")
    try damage.write(Array(try damage.bench.bytes(damage.path).dropLast(1500)))

    let report = try damage.salvage()

    let saved = try damage.saved("Dog")
    let model = try #require(report.models.first { $0.model == "Dog" })
    #expect(saved.count < before.count)
    #expect(saved.filter { !before.contains($0) } == [])
    #expect(before.filter { !saved.contains($0) && !contains(model.unreadable, $0) } == [])
  }

  /// The last object, of whose value a page is missing: behind it nothing is.
  @Test func whatIsToldEndsWithTheLastRow() throws {
    let damage = try SalvageDamage(people: 40, noteLength: 5000)
    let leaf = try #require(try damage.children(of: damage.root(of: "Person")).last)
    let cell = try #require(try damage.tree(leaf).cells.last)
    var image = try damage.image(of: leaf)
    image.replaceSubrange(
      cell.local.upperBound..<cell.local.upperBound + 4, with: [0, 0xFF, 0xFF, 0xFF])
    try damage.overwrite(leaf, image)

    let report = try damage.salvage()

    #expect(report.models.first { $0.model == "Person" }?.unreadable == [78...79])
  }

  /// The value of one object is said to go on where another's does: neither is saved.
  @Test func twoValuesThatGoOnInOnePlaceAreLost() throws {
    let damage = try SalvageDamage(people: 40, noteLength: 5000)
    let before = try damage.rows("Person")
    let leaf = try #require(
      try damage.children(of: damage.root(of: "Person")).first {
        try damage.numbers(on: $0).count >= 3
      })
    let cells = try damage.tree(leaf).cells
    var image = try damage.image(of: leaf)
    func rest(_ cell: Int) -> Range<Int> {
      cells[cell].local.upperBound..<cells[cell].local.upperBound + 4
    }
    image.replaceSubrange(rest(1), with: Array(image[rest(2)]))
    image.replaceSubrange(8..<10, with: [0xFF, 0xFF])
    try damage.overwrite(leaf, image)

    let report = try damage.salvage()

    let lost = cells[0...2].map(\.row)
    #expect(
      try damage.saved("Person") == before.filter { !lost.contains($0[0].ifInteger ?? 0) })
    let model = try #require(report.models.first { $0.model == "Person" })
    #expect(lost.allSatisfy { contains(model.unreadable, [.integer($0)]) })
  }

  /// Where two stand in the wrong order, those around them say which is wrong, or both are left out.
  @Test(arguments: [
    ([1, 2, 3, 4], [1, 2, 3, 4]), ([10, 20, 15, 30], [10, 30]), ([20, 15, 30], [30]),
    ([10, 12, 5, 30], [10, 12, 30]), ([10, 90, 20, 30], [10, 20, 30]), ([90, 20, 30], [20, 30]),
    ([10, 20, 5], [10, 20]), ([10, 90, 20], [10]), ([2, 1], []),
  ])
  func keysThatAreOutOfOrderAreLeftOut(keys: [Int64], kept: [Int64]) {
    var rows = keys.enumerated().map { (cell: $0, key: PageKey.row($1)) }
    DamagedPage.dropWhatIsOutOfOrder(&rows)
    #expect(rows.map { keys[$0.cell] } == kept)
  }
}
