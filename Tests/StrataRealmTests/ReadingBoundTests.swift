import RealmFixtures
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
}
