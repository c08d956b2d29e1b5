import Testing

@testable import StrataCLI

/// Which shard a file belongs to. Machines do not talk to each other about it, so that it may never change.
@Suite struct ShardTests {
  private static func shards(of path: String, count: Int) -> [Int] {
    (1...count).filter { Shard(index: $0, of: count).contains(path) }
  }

  /// The first eight bytes of the SHA-256 of the path's UTF-8, the highest first, modulo the count.
  @Test(arguments: [
    ("a.db", 9, 553), ("fleet/a/1.db", 10, 314), ("fleet/a/2.db", 13, 605),
    ("fleet/b/deep/1.db", 13, 165), ("/data/fleet/user 1.db", 5, 221),
    ("fleet/\u{E9}.db", 11, 75), ("fleet/e\u{301}.db", 13, 69),
  ])
  func isTheSameOnEveryMachine(path: String, ofSixteen: Int, ofThousand: Int) {
    #expect(Self.shards(of: path, count: 16) == [ofSixteen])
    #expect(Self.shards(of: path, count: 1000) == [ofThousand])
  }

  @Test(arguments: 1...64) func everyPathIsInExactlyOne(count: Int) {
    for number in 0..<200 {
      let path = "fleet/\(number % 7)/\(number).db"
      #expect(Self.shards(of: path, count: count).count == 1)
      // Indexes that begin at 0 divide the files in the same way.
      #expect(
        Shard(index: 0, of: count).contains(path) == Shard(index: count, of: count).contains(path))
    }
  }

  @Test func spellingsOfAPathAreOnePath() {
    for spelling in ["./fleet/a.db", "fleet//a.db", "fleet/./a.db"] {
      #expect(
        Self.shards(of: spelling, count: 64) == Self.shards(of: "fleet/a.db", count: 64),
        "\(spelling)")
    }
  }
}
