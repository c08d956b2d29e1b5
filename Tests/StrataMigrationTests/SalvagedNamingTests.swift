import StrataSQLite
import Testing

@testable import Strata
@testable import StrataFiles

/// Damaged inner pages that name wrong pages, and rows of damaged pages whose values go on where others' do: no object is saved as one of another
/// model or with a value of another, and none is missing untold.
@Suite struct SalvagedNamingTests {
  /// Dogs and cats have equal columns.
  private static let tables = ["Dog", "Cat", "Person", "Person.words"]

  /// - Parameter nameLength: characters of each name; less than 1,000 of them have few rows on a page, more go on elsewhere.
  private func file(
    dogs: Int = 0, cats: Int = 0, nameLength: Int, people: Int = 0, noteLength: Int = 0,
    wordLength: Int = 0
  ) throws -> SalvageDamage {
    let file = try SalvageDamage(
      people: people, dogs: dogs, cats: cats, noteLength: noteLength, wordLength: wordLength)
    for table in ["Dog", "Cat"] {
      // Each byte says whose it is.
      try file.sql(
        "UPDATE \(table) SET name = replace(printf('%.*c', \(nameLength) / 8, '.'), '.', printf('%8s', name))"
      )
    }
    try file.sql("PRAGMA wal_checkpoint(TRUNCATE)")
    return file
  }

  /// Has a pointer of a page lead into the page's head, where no cell is.
  private func damage(_ page: Int, pointer: Int = 0, in file: SalvageDamage) throws {
    var image = try file.image(of: page)
    let head = BTreePage.Kind(rawValue: image[0])?.isLeaf == true ? 8 : 12
    image.replaceSubrange(head + 2 * pointer..<head + 2 * pointer + 2, with: [0, 4])
    try file.overwrite(page, image)
  }

  private func bytes(_ number: Int) -> [UInt8] {
    withUnsafeBytes(of: UInt32(number).bigEndian) { Array($0) }
  }

  /// Has the last child of an inner page be another page.
  private func setLastChild(of page: Int, to number: Int, in file: SalvageDamage) throws {
    var image = try file.image(of: page)
    image.replaceSubrange(8..<12, with: bytes(number))
    try file.overwrite(page, image)
  }

  /// What is saved of a table is what was there, and what is not is told.
  private func expectNothingUntold(
    _ before: [String: [[SQLiteValue]]], _ file: SalvageDamage, _ report: Salvage.Report
  ) throws {
    let people = Set(try file.saved("Person").map { $0[0] })
    for table in Self.tables {
      let (old, saved) = (Set(before[table] ?? []), Set(try file.saved(table)))
      #expect(saved.subtracting(old) == [], "made up in \(table)")
      let ranges = report.models.first { $0.model == table }?.unreadable ?? []
      let untold = old.subtracting(saved).filter { row in
        table.contains(".")
          ? people.contains(row[0])
            && !report.losses.contains { $0.contains("elements of \(table) of ") }
          : !DamagedRows.contains(ranges, row[0].ifInteger ?? 0)
      }
      #expect(untold.isEmpty, "\(untold.count) of \(table) are missing: \(report.losses)")
    }
  }

  private func rows(_ file: SalvageDamage) throws -> [String: [[SQLiteValue]]] {
    try Dictionary(uniqueKeysWithValues: Self.tables.map { ($0, try file.rows($0)) })
  }

  // MARK: - Pages that are not there

  /// The inner page names pages that the header counts and the file has not.
  @Test func aFileThatWasCutOffBehindADamagedInnerPageIsSavedAsFarAsItGoes() throws {
    let file = try file(dogs: 1200, nameLength: 900)
    let before = try rows(file)
    try damage(try file.root(of: "Dog"), pointer: 1, in: file)
    let content = try file.bench.bytes(file.path)
    let size = Int(Database.strataPageSize)
    try file.write(Array(content[..<(content.count / size / 4 * size)]))

    let report = try file.salvage()

    let saved = try file.saved("Dog").count
    #expect(saved > 100 && saved < 1000)
    try expectNothingUntold(before, file, report)
  }

  /// The number of a page is damaged, and that of none.
  @Test(arguments: [0, 1, 0x00F0_0000])
  func aPageOfElementsThatIsNotFoundIsTold(number: Int) throws {
    let file = try file(nameLength: 8, people: 2000, wordLength: 200)
    let before = try rows(file)
    let inner = try #require(
      try file.children(of: try file.root(of: "Person.words")).first {
        try !file.tree($0).kind.isLeaf
      })
    let (leaf, place) = (try file.children(of: inner)[3], try file.tree(inner).cells[3].local)
    var image = try file.image(of: inner)
    // A cell's child stands before the size of its payload, which takes two bytes here.
    let child = place.lowerBound - 6..<place.lowerBound - 2
    try #require(Array(image[child]) == bytes(leaf))
    image.replaceSubrange(child, with: bytes(number))
    try file.overwrite(inner, image)
    try file.fill(leaf, with: 0)

    let report = try file.salvage()

    #expect(try file.saved("Person.words").count < 4000)
    try expectNothingUntold(before, file, report)
  }

  // MARK: - Pages that two places name

  enum Shared: CaseIterable { case leaf, damagedLeaf, innerPage }

  @Test(arguments: Shared.allCases)
  func aPageThatTwoDamagedPagesNameIsNoOnes(_ shared: Shared) throws {
    let count = shared == .innerPage ? 6000 : 200
    let file = try file(dogs: count, cats: count, nameLength: 900)
    let before = try rows(file)
    let (dog, cat) = (try file.root(of: "Dog"), try file.root(of: "Cat"))
    let last = try #require(try file.children(of: cat).last)
    try #require(try file.tree(last).kind.isLeaf == (shared != .innerPage))
    let other = try #require(try file.children(of: dog).first)
    let saved = try file.numbers(on: shared == .innerPage ? try file.children(of: other)[1] : other)
    for root in [dog, cat] {
      try #require(try file.tree(root).cells.count > 1)
      try damage(root, pointer: 1, in: file)
    }
    try setLastChild(of: dog, to: last, in: file)
    if shared == .damagedLeaf { try damage(last, in: file) }

    let report = try file.salvage()

    try expectNothingUntold(before, file, report)
    // What is named once is saved.
    #expect(Set(try file.saved("Dog").map { $0[0] }).isSuperset(of: saved.map(SQLiteValue.integer)))
  }

  /// The other one is a whole page that nothing names, because the root of its table is lost.
  @Test func aPageThatADamagedAndAStrayPageNameIsNoOnes() throws {
    let file = try file(dogs: 200, cats: 6000, nameLength: 900)
    let before = try rows(file)
    let (dog, cat) = (try file.root(of: "Dog"), try file.root(of: "Cat"))
    let inner = try #require(try file.children(of: cat).last)
    let leaf = try #require(try file.children(of: inner).last)
    try #require(try !file.tree(inner).kind.isLeaf && file.tree(leaf).kind.isLeaf)
    try damage(dog, pointer: 1, in: file)
    try setLastChild(of: dog, to: leaf, in: file)
    try file.fill(cat, with: 0)

    let report = try file.salvage()

    try expectNothingUntold(before, file, report)
  }

  /// It is judged by its looks then, as if nothing had named it.
  @Test func aPageThatAnothersDamagedPageNamesIsItsOwnTables() throws {
    let file = try file(dogs: 200, nameLength: 900, people: 200, noteLength: 9000)
    let before = try rows(file)
    let (dog, person) = (try file.root(of: "Dog"), try file.root(of: "Person"))
    let leaf = try #require(try file.children(of: person).last)
    try damage(dog, pointer: 1, in: file)
    try setLastChild(of: dog, to: leaf, in: file)
    try file.fill(person, with: 0)

    let report = try file.salvage()

    #expect(try file.saved("Person") == before["Person"])
    try expectNothingUntold(before, file, report)
  }

  // MARK: - Values that go on where others do

  /// Has the last value on a page go on where the first one of another page does.
  private func join(_ page: Int, to other: Int, in file: SalvageDamage) throws {
    let (last, first) = (try file.tree(page).cells.last, try file.tree(other).cells.first)
    let place = try #require(last).local.upperBound
    var image = try file.image(of: page)
    image.replaceSubrange(place..<place + 4, with: bytes(try #require(first).overflow))
    try file.overwrite(page, image)
  }

  /// Below a damaged root a damaged page names what a whole page names, too.
  @Test func aDamagedPageBelowADamagedOneHasNoValueOfAnother() throws {
    let file = try file(dogs: 200, nameLength: 5000)
    let before = try rows(file)
    let root = try file.root(of: "Dog")
    let leaves = try file.children(of: root)
    let (page, other) = (leaves[leaves.count - 2], leaves[leaves.count - 5])
    try join(page, to: other, in: file)
    try damage(page, in: file)
    try damage(root, pointer: 1, in: file)

    let report = try file.salvage()

    try expectNothingUntold(before, file, report)
  }

  /// The other one is a page that nothing names, because the root of its table is lost.
  @Test func aDamagedPageHasNoValueOfAStrayPage() throws {
    let file = try file(dogs: 200, cats: 200, nameLength: 5000)
    let before = try rows(file)
    let (dogs, cat) = (try file.children(of: try file.root(of: "Dog")), try file.root(of: "Cat"))
    let cats = try file.children(of: cat)
    let page = dogs[dogs.count - 2]
    try join(page, to: cats[cats.count - 5], in: file)
    try damage(page, in: file)
    try file.fill(cat, with: 0)

    let report = try file.salvage()

    try expectNothingUntold(before, file, report)
  }

  /// Two rows have changed places, and all cells can be read: of the page those rows are lost, and the one that goes on elsewhere.
  @Test func theOtherRowsOfADamagedPageAreSaved() throws {
    let file = try file(dogs: 200, cats: 200, nameLength: 5000)
    let before = try rows(file)
    let (dogs, cat) = (try file.children(of: try file.root(of: "Dog")), try file.root(of: "Cat"))
    let cats = try file.children(of: cat)
    let page = dogs[dogs.count - 2]
    let numbers = try file.numbers(on: page)
    try #require(numbers.count >= 4)
    try join(page, to: cats[cats.count - 5], in: file)
    var image = try file.image(of: page)
    for byte in 8..<10 { image.swapAt(byte, byte + 2) }
    try file.overwrite(page, image)
    // Rows of a table are read from its pages where one of them is damaged otherwise.
    try damage(dogs[3], in: file)
    try file.fill(cat, with: 0)

    let report = try file.salvage()

    try expectNothingUntold(before, file, report)
    let saved = Set(try file.saved("Dog").compactMap { $0[0].ifInteger })
    #expect(saved.isSuperset(of: numbers[2..<numbers.count - 1]))
    #expect(!saved.contains(numbers[numbers.count - 1]))
  }
}
