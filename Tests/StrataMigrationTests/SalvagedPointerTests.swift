import StrataSQLite
import Testing

@testable import Strata
@testable import StrataFiles

/// A pointer to a cell that leads to another place of its page. SQLite finds no error there: it passes over rows, or takes for one what is none.
@Suite struct SalvagedPointerTests {
  private let damage: SalvageDamage
  private let content: [UInt8]
  private let size = Int(Database.strataPageSize)

  /// Some were deleted, and still stand in free blocks of their pages.
  init() throws {
    damage = try SalvageDamage(people: 18, noteLength: 700, wordLength: 700)
    try damage.delete("_row IN (7, 21)")
    content = try damage.bench.bytes(damage.path)
  }

  private func word(_ offset: Int) -> Int { Int(content[offset]) << 8 | Int(content[offset + 1]) }

  /// Where the pointers of a page stand.
  private func pointers(of page: Int) -> [Int] {
    let start = (page - 1) * size
    let head = BTreePage.Kind(rawValue: content[start])?.isLeaf == true ? 8 : 12
    return (0..<word(start + 3)).map { start + head + 2 * $0 }
  }

  /// All pages of a table.
  private func pages(of table: String) throws -> [Int] {
    let root = try damage.root(of: table)
    return [root] + (try damage.children(of: root))
  }

  enum Place: CaseIterable {
    /// Where no cell ever was.
    case unused
    /// Where a cell was deleted.
    case deleted
    case otherCell
    case withinOtherCell
  }

  /// Nil where a page has no such place.
  private func place(_ place: Place, on page: Int, for cell: Int) -> Int? {
    let (start, pointers) = ((page - 1) * size, pointers(of: page))
    let other = pointers.count > 1 ? word(pointers[(cell + 1) % pointers.count]) : nil
    return switch place {
    case .unused: (pointers[pointers.count - 1] + 2 - start + word(start + 5)) / 2
    case .deleted: word(start + 1) > 0 ? word(start + 1) : nil
    case .otherCell: other
    case .withinOtherCell: other.map { $0 + 3 }
    }
  }

  private func salvage(pointer: Int, to place: Int) throws -> Salvage.Report {
    var damaged = content
    damaged[pointer] = UInt8(place >> 8)
    damaged[pointer + 1] = UInt8(place & 0xFF)
    try damage.write(damaged)
    try? POSIXFiles().remove(damage.bench.path("saved.db"))
    return try damage.salvage()
  }

  /// Of the other tables what belongs to lost objects is missing.
  @Test(arguments: ["Person", "Person.scores", "Person.words"], Place.allCases)
  func noRowIsMissingUntoldAndNoneIsMadeUp(table: String, where place: Place) throws {
    let tables = ["Person", "Person.scores", "Person.words"]
    let before = try tables.map { try Set(damage.rows($0)) }
    var lost = 0
    for page in try pages(of: table) {
      for (cell, pointer) in pointers(of: page).enumerated() {
        guard let place = self.place(place, on: page, for: cell) else { continue }

        let report = try salvage(pointer: pointer, to: place)

        let saved = try tables.map { try Set(damage.saved($0)) }
        let context = "cell \(cell) of page \(page) at \(place): \(report.losses)"
        let people = Set(saved[0].map { $0[0] })
        let ranges = report.models.first { $0.model == "Person" }?.unreadable ?? []
        for (index, name) in tables.enumerated() {
          #expect(saved[index].subtracting(before[index]) == [], "\(context)")
          let missing = before[index].subtracting(saved[index])
          let untold = missing.filter { row in
            index == 0
              ? !DamagedRows.contains(ranges, row[0].ifInteger ?? 0)
              : people.contains(row[0])
                && !report.losses.contains { $0.contains("elements of \(name) of ") }
          }
          #expect(untold == [], "\(context)")
          // A pointer costs the row behind it, and that to which it leads.
          if name == table { lost = max(lost, missing.count) }
        }
        #expect(!report.problems.isEmpty, "\(context)")
      }
    }
    #expect(lost <= 2)
  }

  /// An inner page of a table says where rows are, and has none.
  @Test(arguments: Place.allCases)
  func aPointerOfAnInnerPageCostsNoObject(where place: Place) throws {
    let before = try damage.rows("Person")
    let root = try damage.root(of: "Person")
    let pointers = pointers(of: root)
    try #require(pointers.count > 1)
    for (cell, pointer) in pointers.enumerated() {
      guard let place = self.place(place, on: root, for: cell) else { continue }
      #expect(try salvage(pointer: pointer, to: place).losses == [])
      #expect(try damage.saved("Person") == before)
    }
  }

  /// A damaged page below a damaged one is found where that names it.
  @Test func aDamagedLeafBelowADamagedInnerPageIsReadInPart() throws {
    let before = try ["Person", "Person.words"].map { try damage.rows($0) }
    let root = try damage.root(of: "Person")
    var damaged = content
    let leaf = try damage.children(of: root)[1]
    for pointer in [pointers(of: root)[0], pointers(of: leaf)[1]] {
      damaged.replaceSubrange(pointer..<pointer + 2, with: [0, 100])
    }
    let lost = try damage.numbers(on: leaf)[1]
    try damage.write(damaged)

    let report = try damage.salvage()

    #expect(try damage.saved("Person") == before[0].filter { $0[0] != .integer(lost) })
    #expect(
      try damage.saved("Person.words") == before[1].filter { $0[0] != .integer(lost) })
    let model = try #require(report.models.first { $0.model == "Person" })
    #expect(DamagedRows.contains(model.unreadable, lost))
  }

  /// Two pointers lead to one row, which stands where one of them says.
  @Test func aRowToWhichTwoPointersLeadIsSaved() throws {
    let before = try damage.rows("Person")
    let leaf = try damage.children(of: try damage.root(of: "Person"))[1]
    let numbers = try damage.numbers(on: leaf)
    try #require(numbers.count > 3)

    let report = try salvage(
      pointer: pointers(of: leaf)[0], to: word(pointers(of: leaf)[numbers.count - 1]))

    #expect(try damage.saved("Person") == before.filter { $0[0] != .integer(numbers[0]) })
    let model = try #require(report.models.first { $0.model == "Person" })
    #expect(DamagedRows.contains(model.unreadable, numbers[0]))
  }
}
