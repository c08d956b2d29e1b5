import StrataSQLite
import StrataSchema
import Testing

@testable import Strata
@testable import StrataFiles

/// Rows whose numbers are out of order cost themselves, and what they cost is told.
@Suite struct SalvagedOrderTests {
  private func unreadable(_ report: Salvage.Report) -> [ClosedRange<Int64>]? {
    report.models.first { $0.model == "Person" }?.unreadable
  }

  private func leaves(of file: SalvageDamage) throws -> [Int] {
    try file.children(of: try file.root(of: "Person"))
  }

  /// Changes bits of a row's number, which takes two bytes.
  private func change(
    _ row: Int64, of file: SalvageDamage, on leaf: Int, byte: Int, by mask: UInt8
  ) throws {
    let cell = try #require(try file.tree(leaf).cells.first { $0.row == row })
    var image = try file.image(of: leaf)
    let first = cell.local.lowerBound - 2
    try #require(image[first] == 0x80 | UInt8(row >> 7) && image[first + 1] == UInt8(row & 0x7F))
    image[first + byte] ^= mask
    try file.overwrite(leaf, image)
  }

  /// A number that is too high, that of another row behind it, that of one before it.
  @Test(arguments: [(0, 0x40, 8529), (1, 0x20, 369), (0, 0x02, 81)] as [(Int, UInt8, Int64)])
  func aRowWithAnotherNumberIsLostAlone(_ byte: Int, _ mask: UInt8, _ number: Int64) throws {
    let file = try SalvageDamage(people: 2000)
    let people = try file.rows("Person")
    let leaf = try #require(try leaves(of: file).first { try file.numbers(on: $0).contains(337) })
    try change(337, of: file, on: leaf, byte: byte, by: mask)
    try #require(try file.numbers(on: leaf).contains(number))

    let report = try file.salvage()

    #expect(try file.saved("Person") == people.filter { $0[0] != .integer(337) })
    #expect(unreadable(report) == [336...338])
    #expect(
      report.losses == [
        "objects of Person between _row 336 and 338, which cannot be read",
        "2 elements of Person.scores without an object",
        "2 elements of Person.words without an object",
      ])
  }

  /// What is behind the damaged page is read all the same.
  @Test func aNumberThatIsTooHighBeforeADamagedPage() throws {
    let file = try SalvageDamage(people: 2000)
    let people = try file.rows("Person")
    let leaves = try leaves(of: file)
    let row = try #require(try file.numbers(on: leaves[2]).last)
    let lost = try file.numbers(on: leaves[3]) + [row]
    try change(row, of: file, on: leaves[2], byte: 0, by: 0x40)
    try file.fill(leaves[3], with: 0)

    let report = try file.salvage()

    #expect(try file.saved("Person") == people.filter { !lost.contains($0[0].ifInteger ?? 0) })
    let ranges = try #require(unreadable(report))
    #expect(lost.allSatisfy { DamagedRows.contains(ranges, $0) })
  }

  /// Two pages in each other's place are whole, and no number leads to their rows.
  @Test(arguments: [[2, 7], [0, 20]])
  func pagesInEachOthersPlaceAreLostAlone(_ places: [Int]) throws {
    let file = try SalvageDamage(people: 4000)
    let people = try file.rows("Person")
    let leaves = try leaves(of: file)
    let lost = try places.flatMap { try file.numbers(on: leaves[$0]) }
    let images = try places.map { try file.image(of: leaves[$0]) }
    try file.overwrite(leaves[places[0]], images[1])
    try file.overwrite(leaves[places[1]], images[0])

    let report = try file.salvage()

    #expect(try file.saved("Person") == people.filter { !lost.contains($0[0].ifInteger ?? 0) })
    let ranges = try #require(unreadable(report))
    #expect(lost.allSatisfy { DamagedRows.contains(ranges, $0) })
  }

  /// Nothing says which of two neighbors stands in the place of the other: one of both at most is lost, and told.
  @Test func neighborsInEachOthersPlaceAreNotBothLost() throws {
    let file = try SalvageDamage(people: 4000)
    let people = try file.rows("Person")
    let leaves = try leaves(of: file)
    let images = try [4, 5].map { try file.image(of: leaves[$0]) }
    let numbers = try [4, 5].map { try file.numbers(on: leaves[$0]) }
    try file.overwrite(leaves[4], images[1])
    try file.overwrite(leaves[5], images[0])

    let report = try file.salvage()

    let saved = Set(try file.saved("Person"))
    let lost = people.filter { !saved.contains($0) }.compactMap { $0[0].ifInteger }
    #expect(saved.isSubset(of: people) && numbers.contains(lost))
    let ranges = try #require(unreadable(report))
    #expect(lost.allSatisfy { DamagedRows.contains(ranges, $0) })
  }

  /// A page that was written in the place of another one: that one's rows are told.
  @Test(arguments: [(2, 7), (7, 2)])
  func aPageInThePlaceOfAnotherIsNoRowOfIts(_ source: Int, _ place: Int) throws {
    let file = try SalvageDamage(people: 4000)
    let people = try file.rows("Person")
    let leaves = try leaves(of: file)
    let lost = try file.numbers(on: leaves[place])
    try file.overwrite(leaves[place], try file.image(of: leaves[source]))

    let report = try file.salvage()

    #expect(try file.saved("Person") == people.filter { !lost.contains($0[0].ifInteger ?? 0) })
    let ranges = try #require(unreadable(report))
    #expect(lost.allSatisfy { DamagedRows.contains(ranges, $0) })
  }

  // MARK: - Numbers alone

  private func inOrder(_ numbers: [Int64], above floor: Int64 = 0) -> [Int64] {
    zip(numbers, RowOrder.inOrder(numbers, above: floor)).filter(\.1).map(\.0)
  }

  @Test func theNumbersAroundTellWhichIsOutOfOrder() {
    #expect(inOrder([1, 2, 3]) == [1, 2, 3])
    #expect(inOrder([335, 336, 8529, 338, 339]) == [335, 336, 338, 339])
    #expect(inOrder([335, 336, 81, 338, 339], above: 300) == [335, 336, 338, 339])
    #expect(inOrder([335, 338, 338, 336, 337, 338, 339]) == [335, 336, 337, 338, 339])
  }

  /// One of both is wrong, and nothing says which.
  @Test func whereNothingTellsBothAreOutOfOrder() {
    #expect(inOrder([300, 325, 320, 330]) == [300, 330])
    #expect(inOrder([464, 465, 465, 467]) == [464, 467])
  }

  /// All rows of a page have no wrong number alike.
  @Test func ofTwoPagesOfOneLengthOneStays() {
    let numbers = [Int64](1...30) + Array(61...90) + Array(31...60) + [91, 92]
    #expect(inOrder(numbers).count == 62)
  }
}
