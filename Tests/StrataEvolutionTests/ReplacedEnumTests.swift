import StrataSchema
import Testing

extension SchemaDiffTests {
  @Test(
    "An enum in the place of another one: values that mean another case there need a word",
    arguments: [
      ("[calm, angry]", "[calm, angry]", "STR3301 Person.a automatic"),
      ("[calm, angry]", "[calm, angry, sad]", "STR3301 Person.a automatic"),
      // The same cases under other names.
      ("[calm, angry]", "[cool, hot]", "STR3301 Person.a automatic"),
      ("[calm, angry]", "[cool, angry]", "STR3301 Person.a automatic"),
      ("[calm, angry]", "[angry, calm]", "STR3302 Person.a step open"),
      ("[calm, angry]", "[sad, calm, angry]", "STR3302 Person.a step open"),
      ("[calm, angry]", "[angry, cross]", "STR3302 Person.a step open"),
      ("[calm, angry]", "[calm]", "STR3302 Person.a step open"),
    ])
  func replacedEnum(old: String, new: String, expected: String) throws {
    let found = try changes(
      "a: Mood", "a: Temper", oldEnums: "Mood: { type: int, cases: \(old) }",
      newEnums: "Temper: { type: int, cases: \(new) }")
    #expect(found.contains(expected), "\(found)")
    #expect(found.count { $0.contains("Person.a") } == 1, "\(found)")
  }

  @Test("A sealed version is not judged by what was called automatic when it was sealed")
  func replacedEnumOfSealedVersion() throws {
    func declare(_ version: Int, _ name: String, _ cases: String) throws -> Schema {
      try schema(
        version: version, "Person: { properties: { mood: \(name), age: int } }",
        enums: "\(name): { type: int, cases: \(cases) }")
    }
    func change(_ cases: String) throws -> SchemaChange? {
      SchemaDiff(from: try declare(0, "Mood", "[low, high]"), to: try declare(1, "Temper", cases))
        .changes.first { $0.kind == .typeChangedLossy }
    }
    let swapped = try change("[high, low]")
    #expect(
      swapped?.message == "'Person.mood' was Mood and is Temper: 0 was 'low' and is 'high' now")
    #expect(swapped?.isJudgedWhenSealed == false)
    // A value without a case has needed a step since ever.
    #expect(try change("[low]")?.isJudgedWhenSealed == true)
  }

  @Test(
    "A case that is added between others of a list of ints moves their values",
    arguments: [
      (
        "[a, b]", "[a, c, b]",
        [
          "STR3802 'Mood.c' is added, and 'b' is stored as 2 now; older programs meet a value that they do not know",
          "STR3803 1 was 'b' and is 'c' now",
        ]
      ),
      (
        "{ a: 0, b: 1 }", "{ a: 1, b: 2 }",
        [
          "STR3803 'Mood.a' was stored as 0 and is stored as 1", "STR3803 1 was 'b' and is 'a' now",
          "STR3802 'Mood.b' is stored as 2 now; older programs meet a value that they do not know",
        ]
      ),
      (
        "[a, b, c]", "[a, c]",
        [
          "STR3803 'Mood.c' was stored as 2 and is stored as 1", "STR3803 1 was 'b' and is 'c' now",
        ]
      ),
      ("[a, b]", "[a, c]", []),
    ] as [(String, String, [String])])
  func movedCases(old: String, new: String, expected: [String]) throws {
    func declare(_ version: Int, _ cases: String) throws -> Schema {
      try schema(
        version: version, "P: { properties: { a: Mood } }",
        enums: "Mood: { type: int, cases: \(cases) }")
    }
    #expect(
      SchemaDiff(from: try declare(0, old), to: try declare(1, new)).changes
        .map { "\($0.kind.code) \($0.message)" } == expected)
  }
}
