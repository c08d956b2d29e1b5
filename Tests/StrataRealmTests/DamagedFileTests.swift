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

  @Test func aTreeThatLeadsToItselfEnds() throws {
    var writer = RealmWriter()
    // The next node's own place, which is the first child of itself.
    let place = Int64(writer.bytes.count)
    let node = writer.refs(
      [0, RealmWriter.tagged(1), RealmWriter.tagged(9), place], flags: RealmWriter.inner)
    #expect(node == place)
    let bytes = try RealmFileTests.bytes(of: writer)
    #expect(throws: RealmError("a tree is deeper than 64 nodes", at: Int(place))) {
      try ClusterTree(bytes, Int(place))
    }
  }

  @Test func aTreeOfWhichEachNodeIsAChildOfTheNextManyTimesEnds() throws {
    var writer = RealmWriter()
    var child = writer.refs([RealmWriter.tagged(200)])
    for _ in 0..<20 {
      child = writer.refs(
        [0, RealmWriter.tagged(1), RealmWriter.tagged(9)] + [Int64](repeating: child, count: 30),
        flags: RealmWriter.inner)
    }
    let bytes = try RealmFileTests.bytes(of: writer)
    #expect(
      throws: RealmError(
        "its references lead to the same places too often: the file is damaged")
    ) { try ClusterTree(bytes, Int(child)) }
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
