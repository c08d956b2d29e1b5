import RealmFixtures
import Testing

@testable import StrataRealm

@Suite("Realm files before format 10")
struct OldFileTests {
  @Test(
    "Each type stands in a column of its own",
    arguments: [
      ("id", ["i:10", "i:11", "i:12", "i:13", "i:14"]),
      ("count", ["n", "i:1", "i:2", "n", "i:4"]),
      ("long", ["s:7878787878787878787878787878787878787878", "n", "s:62", "s:", "s:63"]),
      ("short", ["s:61", "n", "s:", "s:64", "n"]), ("flag", ["n", "b:1", "b:0", "b:1", "n"]),
      ("date", ["t:10:5", "n", "t:-1:-9", "t:0:0", "t:978307200:0"]),
      ("parent", ["n", "l:0", "l:1", "l:2", "n"]),
      ("children", ["[L:0:0,L:0:2,]", "[]", "[]", "[L:0:0,L:0:2,]", "[]"]),
      ("numbers", ["[i:7,n,]", "[]", "[i:7,n,]", "[]", "[]"]),
      ("colour", ["s:726564", "s:677265656e", "s:726564", "s:677265656e", "s:677265656e"]),
      ("bytes", ["x:01", "x:0203", "x:", "x:", "x:04"]),
      ("day", ["t:0:0", "t:86400:0", "t:5:0", "t:6:0", "t:7:0"]),
    ])
  func columns(_ name: String, _ expected: [String]) throws {
    let file = try RealmFileTests.open(OldFixture.file(format: 9))
    #expect(try file.column(name, of: "class_Old") == expected)
  }

  @Test func theKeyIsSaidByATableOfItsOwn() throws {
    let file = try RealmFileTests.open(OldFixture.file(format: 3))
    #expect(file.format == 3)
    #expect(file.schemaVersion == 3)
    #expect(file.table(named: "class_Old")?.primaryKey == 0)
    #expect(file.table(named: "class_Old")?.count == OldFixture.count)
  }

  @Test("A class that has no property, and links to it, has its objects")
  func withoutProperties() throws {
    var writer = RealmWriter()
    func tagged(_ values: UInt64...) -> [Int64] { values.map(RealmWriter.tagged) }
    let noName = writer.short([])
    let tags = writer.refs([
      writer.refs([
        writer.integers([14]), noName, writer.integers([0]), writer.refs(tagged(1, 1)),
      ]),
      // The first and the last one have one backlink each.
      writer.refs([writer.refs([RealmWriter.tagged(0), 0, RealmWriter.tagged(1)])]),
    ])
    let names = writer.texts([Array("name".utf8), Array("tag".utf8)])
    let people = writer.refs([
      writer.refs([
        writer.integers([2, 12]), names, writer.integers([0, 0]), writer.refs(tagged(0)),
      ]),
      writer.refs([
        writer.texts([Array("Ada".utf8), Array("Bob".utf8)]), writer.integers([1, 3]),
      ]),
    ])
    let classes = writer.texts([Array("class_Tag".utf8), Array("class_Person".utf8)])
    let top = writer.refs([classes, writer.refs([tags, people])])

    let file = try RealmFileTests.open(writer.file(top: top, format: 9))

    let table = try #require(file.table(named: "class_Tag"))
    #expect(table.columns.isEmpty)
    #expect(table.count == 3)
    #expect(try table.rank(of: 2) == 2)
    #expect(try file.column("tag", of: "class_Person") == ["l:0", "l:2"])
  }

  @Test("A text without a byte, not even the zero behind it, is empty; from format 10 on an error")
  func textsWithoutEnd() throws {
    var writer = RealmWriter()
    let ends = writer.integers([3, 3, 5])
    let joined = writer.refs([ends, writer.blob(Array("ab\0c\0".utf8))])
    let whole = writer.blob(Array("ab\0".utf8))
    let (empty, piece) = (writer.blob([]), writer.pieces([], of: 1))
    let blobs = writer.refs([whole, empty], flags: RealmWriter.context)
    let pieces = writer.refs([piece], flags: RealmWriter.context)
    let bytes = try RealmFileTests.bytes(of: writer)
    func texts(_ place: Int64, isLegacy: Bool) throws -> [RealmValue] {
      let leaf = try StringLeaf(
        bytes, Int(place), isText: true, isNullable: false, isLegacy: isLegacy)
      return try (0..<leaf.count).map { try leaf.text(at: $0, in: bytes) }
    }

    #expect(try texts(joined, isLegacy: true) == [.string("ab"), .string(""), .string("c")])
    #expect(try texts(blobs, isLegacy: true) == [.string("ab"), .string("")])
    #expect(try texts(pieces, isLegacy: true) == [.string("")])
    #expect(throws: RealmError("a text ends before it begins", at: Int(ends))) {
      try texts(joined, isLegacy: false)
    }
    for (place, blob) in [(blobs, empty), (pieces, piece)] {
      #expect(throws: RealmError("a text has no end", at: Int(blob))) {
        try texts(place, isLegacy: false)
      }
    }
  }

  @Test(
    "A row's list is found in any leaf of its column: one may be empty, or have empty lists only")
  func references() throws {
    var writer = RealmWriter()
    let lists = (0..<7).map { writer.integers([$0]) }
    let leaves: [[Int64]] = [
      Array(lists[..<3]), [], [lists[3]], [0, 0], Array(lists[4...]),
    ]
    let nodes = leaves.map { writer.refs($0) }
    let root = Int(writer.tree(nodes, elementsOfLeaf: 3, count: 9))
    let references = try OldReferences(try RealmFileTests.bytes(of: writer), root)

    let found = try (-1...9).map { row in try references.ref(at: row).map { Int64($0) } }

    let expected: [Int64?] = [
      nil, lists[0], lists[1], lists[2], lists[3], nil, nil, lists[4], lists[5], lists[6], nil,
    ]
    #expect(found == expected)
  }
}
