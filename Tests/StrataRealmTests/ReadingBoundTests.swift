import RealmFixtures
import StrataSchema
import Testing

@testable import StrataRealm

/// A reading is bounded so that a damaged file ends, and no file of Realm's may meet the bound.
@Suite("What one reading of a Realm file may do")
struct ReadingBoundTests {
  /// Two lists in 160 objects have an element; each list is read by itself, through all objects.
  @Test("A class may have hundreds of collections")
  func manyCollections() throws {
    let columns = (0..<200).map { number in
      FixtureClass.Column(name: "list\(number)", type: 0, attributes: FixtureFiles.list) {
        writer, objects in
        let element = number >= 198 && objects.contains(7) ? writer.integers([5]) : 0
        return writer.refs(objects.map { $0 == 7 ? element : 0 })
      }
    }
    let fixture = RealmFixture(
      classes: [FixtureClass(name: "A", columns: columns, count: 160)], clusterSize: 16)
    let file = try RealmFileTests.open(fixture.file)
    let table = try #require(file.table(named: "class_A"))

    file.beginReading()
    var values: [RealmValue] = []
    for column in table.columns.indices {
      try table.forEachChunk { chunk in
        for row in 0..<chunk.count {
          try chunk.forEachElement(column, row) { _, value in values.append(value) }
        }
      }
    }

    #expect(values == [.int(5), .int(5)])
  }

  /// The two rows lead to different leaves, each of 60 kB.
  @Test(
    "Rows of a column with a list of its different texts may lead to the list's leaves in turns")
  func differentTexts() throws {
    let texts = (0..<2_000).map { Array("text \($0) \(String(repeating: "y", count: 48))".utf8) }
    var writer = RealmWriter()
    let leaves = [texts[..<1_000], texts[1_000...]].map {
      writer.joined(Array($0), trailing: 1, isOld: false)
    }
    let list = Int(writer.tree(leaves, elementsOfLeaf: 1_000, count: 2_000))
    let numbers = Int(writer.integers([3, 1_500]))
    let bytes = try RealmFileTests.bytes(of: writer)
    let column = try StringLeaf(
      bytes, numbers, isText: true, isNullable: true, isLegacy: false,
      list: try ElementTree(bytes, list, .text(isNullable: true, isLegacy: false, list: nil)))

    let expected = [texts[3], texts[1_500]].map {
      RealmValue.string(String(decoding: $0, as: UTF8.self))
    }
    var right = 0
    for row in 0..<40_000 {
      if try column.text(at: row % 2, in: bytes) == expected[row % 2] { right += 1 }
    }

    #expect(right == 40_000)
  }

  /// Realm never splits that list from format 10 on.
  @Test("A column may have more different texts than a leaf of any other kind has elements")
  func manyDifferentTexts() throws {
    let texts = (0..<5_000).map { Array("text \($0)".utf8) }
    let column = FixtureClass.Column(name: "word", type: 2, texts: texts) { writer, objects in
      writer.integers(objects.map { Int64($0 % 5_000) })
    }
    let fixture = RealmFixture(
      classes: [FixtureClass(name: "A", columns: [column], count: 5_100)])

    let found = try RealmFileTests.open(fixture.file).column("word", of: "class_A")

    #expect(found == (0..<5_100).map { "s:" + Hex.encode(texts[$0 % 5_000]) })
  }
}
