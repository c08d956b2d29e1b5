import Testing

@testable import Strata

/// The digest of data is compared between editions of the library: the same data has the same digest for ever.
@Suite struct DataDigestTests {
  private func digest(of statements: [String]) throws -> String? {
    let bench = try Workbench()
    let path = try Graph.file("a.db", in: bench)
    for statement in statements { try bench.sql(path, statement) }
    return try Graph.digest(path)
  }

  @Test func aGraphHasTheDigestThatItAlwaysHad() throws {
    #expect(
      try digest(of: Graph.objects)
        == "02ff74378eaf4182dd00355d73bdc1a199c6eb4502f4ac9ce39526158f57e2a8")
  }

  /// Each node links to the next one: it takes 64 rounds, and they do not tell all of them apart.
  @Test func aLongChainHasTheDigestThatItAlwaysHad() throws {
    let chain =
      Graph.numbers(200)
        + """
        INSERT INTO Node(_row, n, next) SELECT x, 0, CASE WHEN x < 200 THEN x + 1 END FROM i
        """
    #expect(
      try digest(of: [chain])
        == "145929557abefc488285d65fa67848ef19084f909706c0eef9be9fdaa472b43f")
  }

  /// More elements in one list, set and map than are kept in memory.
  @Test func largeCollectionsHaveTheDigestThatTheyAlwaysHad() throws {
    let digest = try digest(of: [
      Graph.numbers(9000) + "INSERT INTO Node(_row, n) SELECT x, x FROM i",
      Graph.numbers(9000)
        + "INSERT INTO \"Node.others\"(_owner, _index, value) SELECT 7, x, 1 + (x * 7) % 9000 FROM i",
      Graph.numbers(9000)
        + "INSERT INTO \"Node.peers\"(_owner, value) SELECT 7, x FROM i",
      Graph.numbers(9000)
        + "INSERT INTO \"Node.tags\"(_owner, value) SELECT 8, 't' || x FROM i",
      Graph.numbers(9000)
        + "INSERT INTO \"Node.names\"(_owner, _index, value) SELECT 8, 'k' || x, 'v' || x FROM i",
    ])
    #expect(
      digest
        == "30d9f2cbfbed97bc03fcd84b7f8eb5d9e2c4ed470726c6fb14523580c931040b")
  }
}
