import RealmFixtures
import Testing

@testable import StrataRealm

/// What is wrong in a file is an error, whatever it is.
@Suite("Damaged Realm files")
struct DamagedFileTests {
  /// Reads everything; an error is fine, everything else is the end of the process.
  static func read(_ bytes: [UInt8], key: [UInt8]? = nil) throws {
    do {
      let file = try RealmFileTests.open(bytes, key: key)
      _ = try file.allCells()
      for table in file.tables { _ = try table.rank(of: 77) }
    } catch is RealmError {}
  }

  @Test func aFileThatEndsTooEarlyIsAnError() throws {
    let bytes = FixtureFiles.all(count: 20).file
    for count in stride(from: 1, to: bytes.count, by: 97) { try Self.read(Array(bytes[..<count])) }
  }

  @Test func changedBytesAreAnErrorOrAnotherValue() throws {
    let bytes = FixtureFiles.all(count: 9).file
    var state: UInt64 = 42
    for _ in 0..<3_000 {
      var damaged = bytes
      for _ in 0..<3 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        damaged[Int(state >> 33) % bytes.count] = UInt8(truncatingIfNeeded: state >> 24)
      }
      try Self.read(damaged)
    }
  }

  /// A crash, or a block that the disk lost, leaves zeros: they would read as an empty node.
  @Test func aNodeOfZerosIsAnErrorAndNoEmptyNode() throws {
    let fixture = FixtureFiles.all(count: 9).nodes()
    let bytes = fixture.writer.file(top: fixture.top, format: 24)
    let whole = try RealmFileTests.open(bytes).allCells()
    var errors = 0
    for place in fixture.writer.places {
      var damaged = bytes
      damaged.replaceSubrange(place..<place + 8, with: [UInt8](repeating: 0, count: 8))
      do {
        // Some nodes hold what is not read, and nothing is missing without them.
        #expect(try RealmFileTests.open(damaged).allCells() == whole, "byte \(place)")
      } catch {
        #expect(
          error as? RealmError == RealmError("a node begins as no node of Realm does", at: place))
        errors += 1
      }
    }
    #expect(errors > 100)
  }

  @Test(
    "What a node begins with in old files: Realm's first mark, and the bytes that the node has room for",
    arguments: [
      ([1, 1, 1, 1], true), ([0, 0, 24, 0], true), ([0, 1, 0, 0], true), ([0, 0, 8, 0], false),
      ([0, 0, 25, 0], false), ([0, 0, 24, 1], false), ([0, 0, 0, 0], false),
    ] as [([UInt8], Bool)])
  func oldBeginnings(_ beginning: [UInt8], isNode: Bool) throws {
    var writer = RealmWriter()
    let place = Int(writer.integers([1_000, 2_000, 3_000, 4_000, 5_000, 6_000, 7_000]))
    var bytes = writer.file(top: 0, format: 3)
    bytes.replaceSubrange(place..<place + 4, with: beginning)
    let file = RealmBytes(MappedFile(copying: bytes))
    if isNode {
      #expect(try Node(file, place).integer(at: 6) == 7_000)
    } else {
      #expect(throws: RealmError("a node begins as no node of Realm does", at: place)) {
        try Node(file, place)
      }
    }
  }

  @Test func anEncryptedPageOfZerosIsAnErrorWhenItIsRead() throws {
    let fixture = FixtureFiles.all(count: 900).nodes()
    let key = RealmFileTests.key
    let plain = fixture.writer.file(top: fixture.top, format: 24)
    let whole = EncryptedCopy(key: key).bytes(of: plain)
    // The second page of data, which is the third of the file; its checksums are the second entry of the first.
    var lost = whole
    lost.replaceSubrange(2 * 4096..<3 * 4096, with: [UInt8](repeating: 0, count: 4096))
    #expect(
      throws: RealmError(
        "an encrypted page is damaged: neither of its checksums is right", at: 4096)
    ) { try RealmFileTests.open(lost, key: key).allCells() }
    var unwritten = lost
    unwritten.replaceSubrange(64..<128, with: [UInt8](repeating: 0, count: 64))
    #expect(throws: RealmError("a page is read that was never written", at: 4096)) {
      try RealmFileTests.open(unwritten, key: key).allCells()
    }
    // Room behind what was written is not read.
    let roomy = EncryptedCopy(key: key).bytes(of: plain) + [UInt8](repeating: 0, count: 4096)
    #expect(
      try RealmFileTests.open(roomy, key: key).allCells()
        == RealmFileTests.open(plain).allCells())
  }

  @Test func aTreeThatLeadsToItselfEnds() throws {
    var writer = RealmWriter()
    // The next node's own place, which is the first child of itself.
    let place = Int64(writer.bytes.count)
    let node = writer.refs(
      [0, RealmWriter.tagged(1), RealmWriter.tagged(9), place], flags: RealmWriter.inner)
    #expect(node == place)
    let bytes = try RealmFileTests.bytes(of: writer)
    #expect(throws: RealmError("a tree leads to the same node twice", at: Int(place))) {
      try ClusterTree(bytes, Int(place))
    }
  }

  @Test func aTreeThatIsDeeperThanAnyFileIsAnError() throws {
    var writer = RealmWriter()
    var nodes = [writer.integers([1])]
    for _ in 0..<70 { nodes.append(writer.tree([nodes.last ?? 0], elementsOfLeaf: 1, count: 1)) }
    let bytes = try RealmFileTests.bytes(of: writer)
    // The root is the first of 65 nodes.
    #expect(throws: RealmError("a tree is deeper than 64 nodes", at: Int(nodes[70 - 64]))) {
      try ElementTree(bytes, Int(nodes[70]), .int)
    }
  }

  @Test func aTreeOfWhichEachNodeIsAChildOfTheNextManyTimesEnds() throws {
    var writer = RealmWriter()
    let cluster = writer.refs([RealmWriter.tagged(200)])
    var child = cluster
    for _ in 0..<20 {
      child = writer.refs(
        [0, RealmWriter.tagged(1), RealmWriter.tagged(9)] + [Int64](repeating: child, count: 30),
        flags: RealmWriter.inner)
    }
    let bytes = try RealmFileTests.bytes(of: writer)
    #expect(throws: RealmError("a tree leads to the same node twice", at: Int(cluster))) {
      try ClusterTree(bytes, Int(child))
    }
  }

  @Test func aListWithTheSameLeafManyTimesIsAnError() throws {
    var writer = RealmWriter()
    let leaf = writer.integers([1, 2])
    let references = writer.refs([0, 0])
    func root(of leaf: Int64) -> Int {
      Int(writer.tree([Int64](repeating: leaf, count: 20), elementsOfLeaf: 2, count: 40))
    }
    let (list, links) = (root(of: leaf), root(of: references))
    let bytes = try RealmFileTests.bytes(of: writer)
    #expect(throws: RealmError("a tree leads to the same node twice", at: Int(leaf))) {
      try ElementTree(bytes, list, .int)
    }
    #expect(throws: RealmError("a tree leads to the same node twice", at: Int(references))) {
      try OldReferences(bytes, links)
    }
  }

  @Test func aListThatManyObjectsLeadToEnds() throws {
    var writer = RealmWriter()
    let list = Int(writer.integers([1]))
    let bytes = try RealmFileTests.bytes(of: writer)
    #expect(
      throws: RealmError("its references lead to the same places too often: the file is damaged")
    ) {
      for _ in 0..<50_000 { _ = try ElementTree(bytes, list, .int) }
    }
  }

  /// Zeros and nulls take no bytes: eight are enough to say that there are 16 million.
  @Test func aLeafThatSaysItHasMoreThanOneOfRealmIsAnError() throws {
    var writer = RealmWriter()
    let most = Int(writer.integers([Int64](repeating: 0, count: 4_096)))
    let leaf = Int(writer.integers([Int64](repeating: 0, count: 5_000)))
    let bytes = try RealmFileTests.bytes(of: writer)
    #expect(try ElementTree(bytes, most, .int).count == 4_096)
    let error = RealmError("a leaf is said to have 5000 elements, more than 4096", at: leaf)
    #expect(throws: error) { try ElementTree(bytes, leaf, .int) }
    #expect(throws: error) { try OldReferences(bytes, leaf) }
  }

  /// Of a list of a column's different texts the bytes are the bound.
  @Test func aListOfTextsThatSaysItHasMoreThanItsBytesCanIsAnError() throws {
    var writer = RealmWriter()
    let list = Int(writer.short([[UInt8]?](repeating: nil, count: 400_000)))
    let bytes = try RealmFileTests.bytes(of: writer)
    #expect(
      throws: RealmError(
        "the file is said to hold more than its bytes can: it is damaged", at: list)
    ) {
      try ElementTree(
        bytes, list, .text(isNullable: true, isLegacy: false, list: nil), isSplit: false)
    }
  }

  @Test func aLongListInAValueOfTypeMixedIsAnError() throws {
    var writer = RealmWriter()
    let inner = writer.refs([writer.integers([Int64](repeating: 0, count: 5_000))])
    // A list is of type 19, and its reference stands in the fifth child.
    let list = writer.integers([20 | 4 << 5])
    let outer = Int(writer.refs([list, 0, 0, 0, writer.refs([inner])]))
    let bytes = try RealmFileTests.bytes(of: writer)
    let leaf = try MixedLeaf(bytes, outer, MixedContext())
    #expect(
      throws: RealmError("a leaf is said to have 5000 elements, more than 4096", at: Int(inner))
    ) { try leaf.value(at: 0, in: bytes) }
  }

  @Test func aFileThatSaysItHoldsMoreThanItsBytesCanIsAnError() throws {
    var writer = RealmWriter()
    let list = Int(writer.integers([Int64](repeating: 0, count: 4_000)))
    let bytes = try RealmFileTests.bytes(of: writer)
    #expect(
      throws: RealmError(
        "the file is said to hold more than its bytes can: it is damaged", at: list)
    ) {
      for _ in 0..<1_000 { _ = try ElementTree(bytes, list, .int) }
    }
    // A new reading counts anew.
    bytes.beginReading()
    #expect(try ElementTree(bytes, list, .int).count == 4_000)
  }

  @Test func aTextThatManyElementsLeadToIsAnError() throws {
    var writer = RealmWriter()
    let text = writer.blob([UInt8](repeating: UInt8(ascii: "x"), count: 60_000) + [0])
    let list = Int(
      writer.refs([Int64](repeating: text, count: 4_000), flags: RealmWriter.context))
    let bytes = try RealmFileTests.bytes(of: writer)
    let texts = try ElementTree(
      bytes, list, .text(isNullable: true, isLegacy: false, list: nil))
    let error = RealmError(
      "its texts and blobs are more than its bytes can be: the file is damaged")
    #expect(throws: error) {
      for index in 0..<texts.count { _ = try texts.value(at: index) }
    }
    // A new reading counts anew.
    bytes.beginReading()
    #expect(try texts.value(at: 0) != .null)
    let blobs = try ElementTree(bytes, list, .data(isLegacy: false))
    #expect(throws: error) {
      for index in 0..<blobs.count { _ = try blobs.value(at: index) }
    }
  }

  @Test(
    "A text that is said to end outside of all texts is an error, whatever the number",
    arguments: [.min, .min + 1, -1, 0, .max] as [Int64])
  func aTextThatEndsNowhere(_ end: Int64) throws {
    var writer = RealmWriter()
    // One text of three letters and the zero behind it.
    let (content, nulls) = (writer.blob(Array("abc\0".utf8)), writer.integers([0]))
    let ends = writer.integers([end])
    let place = Int(writer.refs([ends, content, nulls]))
    let file = try RealmFileTests.bytes(of: writer)
    let texts = try StringLeaf(
      file, place, isText: true, isNullable: true, isLegacy: false)
    #expect(throws: RealmError("a text ends before it begins", at: Int(ends))) {
      try texts.text(at: 0, in: file)
    }
  }

  @Test(
    "Where a text begins is where the one before it ends",
    arguments: [.min, -1, 5, .max] as [Int64]
  )
  func aTextThatBeginsNowhere(_ end: Int64) throws {
    var writer = RealmWriter()
    let (content, nulls) = (writer.blob(Array("abc\0".utf8)), writer.integers([1, 0]))
    let ends = writer.integers([end, 4])
    let place = Int(writer.refs([ends, content, nulls]))
    let file = try RealmFileTests.bytes(of: writer)
    let texts = try StringLeaf(
      file, place, isText: true, isNullable: true, isLegacy: false)
    #expect(throws: RealmError("a text ends before it begins", at: Int(ends))) {
      try texts.text(at: 1, in: file)
    }
  }

  @Test func aTableThatStandsInTheFileTwiceIsAnError() throws {
    var writer = RealmWriter()
    let none = writer.integers([])
    let spec = writer.refs([none, writer.short([]), none, 0, 0, none])
    func table(of spec: Int64) -> Int64 {
      writer.refs([spec, 0, writer.refs([RealmWriter.tagged(0)]), RealmWriter.tagged(1)])
    }
    func file(_ tables: [Int64]) -> [UInt8] {
      var writer = writer
      let names = writer.texts([Array("class_A".utf8), Array("class_B".utf8)])
      let top = writer.refs([names, writer.refs(tables)])
      return writer.file(top: top, format: 24)
    }
    let (one, other) = (table(of: spec), table(of: spec))

    #expect(throws: RealmError("'class_B' stands where another table does", at: Int(one))) {
      try RealmFileTests.open(file([one, one]))
    }
    #expect(throws: RealmError("'class_B' stands where another table does", at: Int(spec))) {
      try RealmFileTests.open(file([one, other]))
    }
  }

  /// Eight bytes say that there are 65,535 columns, or names of them, that are all zero.
  @Test func aTableThatSaysItHasMoreColumnsThanItsFileCanHoldIsAnError() throws {
    var writer = RealmWriter()
    let zeros = writer.integers([Int64](repeating: 0, count: 65_535))
    let names = writer.short([[UInt8]?](repeating: nil, count: 65_535))
    let spec = writer.refs([zeros, names, zeros, 0, 0, zeros])
    let table = writer.refs([
      spec, 0, writer.refs([RealmWriter.tagged(0)]), RealmWriter.tagged(1),
    ])
    let top = writer.refs([writer.texts([Array("class_A".utf8)]), writer.refs([table])])
    #expect(
      throws: RealmError(
        "the file is said to hold more than its bytes can: it is damaged", at: Int(spec))
    ) { try RealmFileTests.open(writer.file(top: top, format: 24)) }
  }

  @Test func anErrorSaysWhereItIs() throws {
    var writer = RealmWriter()
    let names = writer.texts([Array("class_A".utf8)])
    let top = writer.refs([names, writer.refs([8_000])])
    #expect(throws: RealmError("8 bytes are expected where the file ends", at: 8_000)) {
      try RealmFileTests.open(writer.file(top: top, format: 24))
    }
  }
}

extension RealmFileTests {
  /// The bytes of a file that is only mapped.
  static func bytes(of writer: RealmWriter) throws -> RealmBytes {
    RealmBytes(MappedFile(copying: writer.file(top: 0, format: 24)))
  }
}
