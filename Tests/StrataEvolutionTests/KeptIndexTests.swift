import StrataSchema
import Testing

extension SchemaDiffTests {
  @Test(
    "An index or a uniqueness that is removed is missed where nothing else does the same",
    arguments: [
      ("unique: [[a, b]]", "unique: [[b, a]]", []),
      ("unique: [[a, b]]", "primaryKey: [b, a]", []),
      ("unique: [[a, b]]", "unique: [[a]]", []),
      ("unique: [[a, b]]", "unique: [[b, c]]", ["STR3504"]),
      ("unique: [[a]]", "unique: [[a, b]]", ["STR3504"]),
      ("primaryKey: a", "unique: [[a]]", []),
      ("primaryKey: a", "indexes: [[a]]", ["STR3504"]),
      ("indexes: [[a], [a, b]]", "indexes: [[a, b]]", []),
      ("indexes: [[a, b]]", "unique: [[a, b, c]]", []),
      ("indexes: [[a, b]]", "primaryKey: [a, b]", []),
      ("indexes: [[a, b]]", "indexes: [[b, a]]", ["STR3602"]),
      ("indexes: [[a, b]]", "indexes: [[a]]", ["STR3602"]),
    ] as [(String, String, [String])])
  func keptLists(old: String, new: String, missed: [String]) throws {
    func declare(_ version: Int, _ lists: String) throws -> Schema {
      try schema(
        version: version, "P: { \(lists), properties: { a: int, b: int, c: int } }")
    }

    let changes = SchemaDiff(from: try declare(0, old), to: try declare(1, new)).changes

    let removed = changes.filter { [.uniqueRemoved, .indexRemoved].contains($0.kind) }
    #expect(removed.filter(\.isJudged).map(\.kind.code) == missed)
    // The file's indexes are others all the same.
    #expect(!changes.isEmpty)
  }

  @Test("An index of a property is missed where no other one begins with it")
  func keptProperties() throws {
    func removals(_ old: String, _ new: String, _ lists: String) throws -> [String] {
      let older = try schema(version: 0, "P: { properties: { a: \(old), b: string } }")
      let newer = try schema(version: 1, "P: { \(lists)properties: { a: \(new), b: string } }")
      return SchemaDiff(from: older, to: newer).changes.filter {
        [.uniqueRemoved, .indexRemoved].contains($0.kind)
      }.map { "\($0.message)\($0.isJudged ? "" : " (kept)")" }
    }
    let (indexed, unique) = ("{ type: string, indexed: true }", "{ type: string, unique: true }")

    #expect(try removals(indexed, "string", "") == ["'P.a' is not indexed any more"])
    #expect(
      try removals(indexed, "string", "indexes: [[b, a]], ") == ["'P.a' is not indexed any more"])
    #expect(
      try removals(indexed, "string", "indexes: [[a, b]], ")
        == ["the index of 'P.a' is removed, and another one begins with it (kept)"])
    #expect(
      try removals(indexed, unique, "")
        == ["the index of 'P.a' is removed, and another one begins with it (kept)"])
    #expect(
      try removals(unique, "string", "primaryKey: a, ")
        == ["the uniqueness of 'P.a' is removed, and another one keeps it (kept)"])
    #expect(
      try removals(unique, "string", "unique: [[a, b]], ") == ["'P.a' need not be unique any more"])
  }
}
