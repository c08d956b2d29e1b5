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
}
