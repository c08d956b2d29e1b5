import StrataEvolution
import StrataExpression
import StrataHistory
import StrataSchema
import Testing

@Suite("Differences of two versions")
struct SchemaDiffTests {
  static let enums = "Mood: { type: string, cases: [calm, angry] }"

  /// `Person` with these properties before and after, `Dog` beside it: code and path of each change.
  func changes(
    _ old: String, _ new: String, step text: String? = nil, oldEnums: String = enums,
    newEnums: String = enums
  ) throws -> [String] {
    func declare(_ version: Int, _ properties: String, _ enums: String) throws -> Schema {
      try schema(
        version: version,
        "Person: { properties: { id: int, \(properties) } }\nDog: { properties: { name: string } }\n"
          + "Address: { embedded: true, properties: { city: string } }", enums: enums)
    }
    let step = try text.map { try StrataEvolutionTests.step("to: 1\n" + $0) }
    let coverage = StepCoverage(
      older: try declare(0, old, oldEnums), newer: try declare(1, new, newEnums), step: step)
    return coverage.diff.changes.map {
      "\($0.kind.code) \($0.path) \($0.verdict)\(coverage.covers($0) ? "" : " open")"
    }
  }

  @Test(
    "A property's change has one verdict",
    arguments: [
      ("a: int", "a: int", []),
      ("a: int", "a: int, b: string?", ["STR3201 Person.b automatic"]),
      ("a: int", "a: int, b: { type: string, default: x }", ["STR3201 Person.b automatic"]),
      ("a: int", "a: int, b: { type: uuid, generate: uuid }", ["STR3201 Person.b automatic"]),
      ("a: int", "a: int, b: [Dog]", ["STR3201 Person.b automatic"]),
      ("a: int", "a: int, b: string", ["STR3202 Person.b step open"]),
      ("a: int, b: string", "a: int", ["STR3203 Person.b step open"]),
      ("a: int, b: Dog?", "a: int", ["STR3701 Person.b step open"]),
      ("a: int", "b: int", ["STR3204 Person.b step open"]),
      ("a: int", "b: string?", ["STR3203 Person.a step open", "STR3201 Person.b automatic"]),
      ("a: int32", "a: int64", ["STR3301 Person.a automatic"]),
      ("a: int32", "a: double", ["STR3301 Person.a automatic"]),
      ("a: float", "a: double", ["STR3301 Person.a automatic"]),
      ("a: int", "a: any", ["STR3301 Person.a automatic"]),
      ("a: any?", "a: any", ["STR3301 Person.a automatic"]),
      ("a: int?", "a: any", ["STR3301 Person.a automatic"]),
      ("a: [any?]", "a: [any]", ["STR3301 Person.a automatic"]),
      ("a: any", "a: any?", ["STR3402 Person.a automatic"]),
      ("a: string", "a: [string]", ["STR3301 Person.a automatic"]),
      ("a: Mood", "a: string", ["STR3301 Person.a automatic"]),
      ("a: string", "a: Mood", ["STR3302 Person.a step open"]),
      ("a: int", "a: double", ["STR3302 Person.a step open"]),
      ("a: string", "a: int", ["STR3302 Person.a step open"]),
      ("a: int64", "a: int8", ["STR3302 Person.a step open"]),
      ("a: data", "a: date", ["STR3303 Person.a step open"]),
      ("a: string", "a: Dog?", ["STR3303 Person.a step open"]),
      ("a: string", "a: { type: Dog, deleteRule: deny }", ["STR3303 Person.a step open"]),
      ("a: { type: Dog, deleteRule: deny }", "a: string", ["STR3303 Person.a step open"]),
      ("a: string", "a: map<string>", ["STR3303 Person.a step open"]),
      ("a: string?", "a: string", ["STR3401 Person.a step open"]),
      (
        "a: string?", "a: { type: string, default: x }",
        ["STR3401 Person.a step", "STR3403 Person.a automatic"]
      ),
      ("a: string", "a: string?", ["STR3402 Person.a automatic"]),
      ("a: [int?]", "a: [int]", ["STR3401 Person.a step open"]),
      (
        "a: { type: int, default: 1 }", "a: { type: int, default: 2 }",
        ["STR3403 Person.a automatic"]
      ),
      ("a: int", "a: { type: int, default: 2 }", ["STR3403 Person.a automatic"]),
      ("a: { type: int, default: 1 }", "a: int", ["STR3405 Person.a automatic"]),
      ("a: { type: int, unique: true }", "a: int", ["STR3504 Person.a automatic"]),
      ("a: int", "a: { type: int, unique: true }", ["STR3503 Person.a step open"]),
      // A default is the same for all, also where nil becomes it.
      (
        "a: int", "a: int, b: { type: int, default: 1, unique: true }",
        ["STR3201 Person.b automatic", "STR3503 Person.b step open"]
      ),
      (
        "a: int", "a: int, b: { type: date, generate: now, unique: true }",
        ["STR3201 Person.b automatic", "STR3503 Person.b step open"]
      ),
      (
        "a: { type: int?, unique: true }", "a: { type: int, default: 0, unique: true }",
        ["STR3401 Person.a step", "STR3403 Person.a automatic", "STR3503 Person.a step open"]
      ),
      ("a: int", "a: { type: int, indexed: true }", ["STR3601 Person.a automatic"]),
      ("a: { type: int, indexed: true }", "a: int", ["STR3602 Person.a automatic"]),
      ("a: string", "a: { type: string, indexed: fulltext }", ["STR3605 Person.a automatic"]),
      (
        "a: { type: string, indexed: true }", "a: { type: string, indexed: fulltext }",
        ["STR3602 Person.a automatic", "STR3605 Person.a automatic"]
      ),
      (
        "a: { type: string, indexed: fulltext }", "a: { type: string, indexed: true }",
        ["STR3601 Person.a automatic", "STR3605 Person.a automatic"]
      ),
      ("a: [Dog]", "a: [Person]", ["STR3702 Person.a step open"]),
      ("a: [Dog]", "a: Dog?", ["STR3703 Person.a step open"]),
      ("a: [int]", "a: int?", ["STR3703 Person.a step open"]),
      ("a: Dog?", "a: [Dog]", ["STR3704 Person.a automatic"]),
      ("a: [Dog]", "a: set<Dog>", ["STR3705 Person.a automatic"]),
      ("a: set<int>", "a: [int]", ["STR3705 Person.a automatic"]),
      ("a: Dog?", "a: { type: Dog?, deleteRule: cascade }", ["STR3707 Person.a automatic"]),
      (
        "a: { type: Dog?, deleteRule: cascade }", "a: any?",
        ["STR3303 Person.a step open", "STR3707 Person.a automatic"]
      ),
      (
        "a: Dog?", "a: { type: Dog, deleteRule: deny }",
        ["STR3707 Person.a automatic", "STR3709 Person.a step open"]
      ),
      ("a: Person?", "a: Person?, b: { linkingObjects: Person.a }", ["STR3710 Person.b automatic"]),
      ("a: { type: int, doc: x }", "a: { type: int, doc: y, swiftName: z }", []),
      ("a: int", "a: int, c: { type: int, ignored: true }", []),
      ("a: int, c: int", "a: int, c: { type: int, ignored: true }", ["STR3203 Person.c step open"]),
      // An incompatible type says it all.
      ("a: string?", "a: [Dog]", ["STR3303 Person.a step open"]),
    ] as [(String, String, [String])])
  func property(old: String, new: String, expected: [String]) throws {
    #expect(try changes(old, new) == expected)
  }

  @Test(
    "A step covers what it speaks of",
    arguments: [
      ("a: int", "b: int", "rename: { Person.a: b }", ["STR3205 Person.b automatic"]),
      (
        "a: int", "b: int", "drop: [Person.a]",
        ["STR3203 Person.a step", "STR3202 Person.b step open"]
      ),
      (
        "a: int", "b: string", "set: { Person: { b: string(old.a) } }",
        ["STR3203 Person.a step open", "STR3202 Person.b step"]
      ),
      (
        "a: int", "b: string", "{set: { Person: { b: string(old.a) } }, drop: [Person.a]}",
        ["STR3203 Person.a step", "STR3202 Person.b step"]
      ),
      (
        "a: int", "b: string", "swift: [Person]",
        ["STR3203 Person.a step", "STR3202 Person.b step"]
      ),
      ("a: string?", "a: string", "set: { Person: { a: old.a ?? '' } }", ["STR3401 Person.a step"]),
      (
        "a: int", "a: { type: int, unique: true }",
        "deduplicate: { Person: { by: [a], keep: first } }",
        ["STR3503 Person.a step"]
      ),
      (
        "a: int", "a: { type: int, unique: true }",
        "deduplicate: { Person: { by: [id], keep: first } }", ["STR3503 Person.a step open"]
      ),
      (
        "a: int", "b: { type: int, unique: true }",
        "{rename: {Person.a: b}, deduplicate: { Person: { by: [a], keep: first } }}",
        ["STR3205 Person.b automatic", "STR3503 Person.b step"]
      ),
      ("a: [Dog]", "a: Dog?", "set: { Person: { a: 'old.a[0]' } }", ["STR3703 Person.a step"]),
      (
        "a: { type: int?, unique: true }", "a: { type: int, default: 0, unique: true }",
        "set: { Person: { a: old.a ?? -old.id } }",
        ["STR3401 Person.a step", "STR3403 Person.a automatic", "STR3503 Person.a step"]
      ),
      (
        "a: { type: int?, unique: true }", "a: { type: int, default: 0, unique: true }",
        "delete: { Person: old.a == nil }",
        ["STR3401 Person.a step", "STR3403 Person.a automatic", "STR3503 Person.a step"]
      ),
      // Objects with nil are no duplicates of each other, nor of one with the default.
      (
        "a: { type: int?, unique: true }", "a: { type: int, default: 0, unique: true }",
        "deduplicate: { Person: { by: [a], keep: first } }",
        ["STR3401 Person.a step", "STR3403 Person.a automatic", "STR3503 Person.a step open"]
      ),
      (
        "a: int?", "a: { type: int, default: 0, unique: true }",
        "deduplicate: { Person: { by: [a], keep: first } }",
        ["STR3401 Person.a step", "STR3403 Person.a automatic", "STR3503 Person.a step open"]
      ),
    ] as [(String, String, String, [String])])
  func coverage(old: String, new: String, step: String, expected: [String]) throws {
    let lines = step.hasPrefix("{") ? flattened(step) : step
    #expect(try changes(old, new, step: lines) == expected.sortedByPath)
  }

  /// `{a: b, c: d}` over several lines, as a step file has it.
  private func flattened(_ text: String) -> String {
    String(text.dropFirst().dropLast()).replacing("}, d", with: "}\nd")
  }

  @Test(
    "An enum's change",
    arguments: [
      ("[calm, angry, sad]", ["STR3802 Mood.sad automatic"]),
      ("[calm]", ["STR3801 Mood.angry step open"]),
      ("{calm: calm, angry: a}", ["STR3803 Mood.angry step open"]),
      (
        "{calm: angry, angry: calm}",
        ["STR3803 Mood.angry step open", "STR3803 Mood.calm step open"]
      ),
      ("{calm: calm, cross: angry}", []),
    ] as [(String, [String])])
  func enumeration(cases: String, expected: [String]) throws {
    #expect(
      try changes("a: Mood", "a: Mood", newEnums: "Mood: { type: string, cases: \(cases) }")
        == expected)
  }

  @Test("An enum's raw type changes; a `set:` of all its properties covers it")
  func rawType() throws {
    let int = "Mood: { type: int, cases: [calm, angry] }"
    #expect(try changes("a: Mood", "a: Mood", newEnums: int) == ["STR3804 Mood step open"])
    #expect(
      try changes(
        "a: Mood", "a: Mood", step: "set: { Person: { a: \"if(old.a == 'calm', 0, 1)\" } }",
        newEnums: int) == ["STR3804 Mood step"])
    #expect(
      try changes("a: int", "a: int", newEnums: Self.enums + "\nX: { type: int, cases: [y] }")
        == ["STR3806 X automatic"])
  }

  // MARK: Models

  func changes(models old: String, _ new: String, step text: String? = nil) throws -> [String] {
    let step = try text.map { try StrataEvolutionTests.step("to: 1\n" + $0) }
    let coverage = StepCoverage(
      older: try schema(version: 0, old), newer: try schema(version: 1, new), step: step)
    return coverage.diff.changes.map {
      "\($0.kind.code) \($0.path) \($0.verdict)\(coverage.covers($0) ? "" : " open")"
    }
  }

  @Test("Models come, go and get other names")
  func models() throws {
    let person = "Person: { properties: { name: string, age: int, email: string } }"
    let human = "Human: { properties: { name: string, age: int, email: string } }"
    let dog = "Dog: { properties: { owner: Person? } }"
    #expect(try changes(models: person, "\(person)\n\(dog)") == ["STR3101 Dog automatic"])
    #expect(try changes(models: "\(person)\n\(dog)", person) == ["STR3102 Dog step open"])
    #expect(
      try changes(models: "\(person)\n\(dog)", person, step: "drop: [Dog]") == ["STR3102 Dog step"])
    #expect(try changes(models: person, human) == ["STR3103 Human step open"])
    #expect(
      try changes(models: person, human, step: "rename: { Person: Human }") == [
        "STR3104 Human automatic"
      ])
    #expect(
      try changes(models: person, human, step: "drop: [Person]")
        == ["STR3101 Human automatic", "STR3102 Person step"])
    // A link to a renamed model still leads to the same objects.
    #expect(
      try changes(
        models: "\(person)\n\(dog)", "\(human)\nDog: { properties: { owner: Human? } }",
        step: "rename: { Person: Human }") == ["STR3104 Human automatic"])
  }

  @Test("Models that split, merge, become embedded; properties that move")
  func splits() throws {
    #expect(
      try changes(
        models: "User: { properties: { name: string, street: string, city: string } }",
        "User: { properties: { name: string, home: Address? } }\nAddress: { properties: { street: string, city: string } }"
      ) == ["STR3101 Address automatic", "STR3105 User step open", "STR3201 User.home automatic"])
    #expect(
      try changes(
        models: "Post: { properties: { text: string } }\nPage: { properties: { title: string } }",
        "Entry: { properties: { text: string, title: string } }")
        == ["STR3101 Entry automatic", "STR3106 Page step open", "STR3106 Post step open"])
    #expect(
      try changes(
        models: "A: { properties: { x: int } }", "A: { embedded: true, properties: { x: int } }")
        == ["STR3107 A step open"])
    #expect(
      try changes(
        models:
          "Order: { properties: { note: string, meta: Meta? } }\nMeta: { properties: { x: int } }",
        "Order: { properties: { meta: Meta? } }\nMeta: { properties: { x: int, note: string } }")
        == ["STR3209 Meta.note step open"])
  }

  @Test(
    "Names that differ in Unicode normalisation alone are not the same, and no step covers that")
  func normalisation() throws {
    let (one, other) = ("caf\u{E9}", "cafe\u{301}")
    #expect(try changes("\(one): int", "\(one): int") == [])
    #expect(try changes("\(one): int", "\(other): int") == ["STR3903 Person.\(one) never open"])
    #expect(
      try changes("\(one): int", "\(other): int", step: "set: { Person: { \(other): '1' } }")
        == ["STR3903 Person.\(one) never open"])
    #expect(
      try changes(
        models: "\(one): { properties: { a: int } }", "\(other): { properties: { a: int } }")
        == ["STR3903 \(one) never open"])
    #expect(
      try changes(
        "a: int", "a: int", oldEnums: "\(one): { type: string, cases: [a] }",
        newEnums: "\(other): { type: string, cases: [a] }") == ["STR3903 \(one) never open"])
    func rule(_ name: String, _ text: String) -> String {
      "P: { properties: { a: string }, rules: { \(name): { that: \"a != '\(text)'\" } } }"
    }
    #expect(
      try changes(models: rule(one, "x"), rule(other, "x")) == ["STR3903 P.\(one) never open"])
    #expect(
      try changes(models: rule("r", one), rule("r", other)) == ["STR3506 P.r verified"])
    #expect(
      try SchemaDiff(
        from: schema("P: { properties: { \(one): int } }"),
        to: schema("P: { properties: { \(other): int } }")
      ).changes.map(\.message) == [
        "'P.\(one)' has other Unicode scalars than before, which is another name in a file: U+0065 U+0301, it was U+00E9"
      ])
  }

  @Test("Schemas that differ in Unicode normalisation alone are of two shapes")
  func shapesOfNormalisation() throws {
    func property(_ name: String) throws -> Schema {
      try schema("P: { properties: { \(name): int } }")
    }
    let (one, other) = (try property("caf\u{E9}"), try property("cafe\u{301}"))
    #expect(one.shape != other.shape)
    #expect(!one.hasShape(of: other))
    #expect(try one.hasShape(of: property("caf\u{E9}")))
  }

  @Test("Many models that lose, gain, exchange and rename properties")
  func manyModels() throws {
    func models(_ properties: String) -> String {
      (100..<160).map { "M\($0): { properties: { \(properties) } }" }.joined(separator: "\n")
    }
    func each(_ changes: String...) -> [String] {
      (100..<160).flatMap { number in changes.map { $0.replacing("M.", with: "M\(number).") } }
    }
    #expect(
      try changes(models: models("a: int, x: int"), models("a: int, y: int"))
        == each("STR3204 M.y step open"))
    let renames = (100..<160).map { "M\($0).x: y, M\($0).y: x" }.joined(separator: ", ")
    #expect(
      try changes(
        models: models("x: int, y: int"), models("x: int, y: int"), step: "rename: { \(renames) }")
        == each("STR3205 M.x automatic", "STR3205 M.y automatic"))
    // Each went to the model that the one it left links to.
    func pairs(_ left: String, _ right: String) -> String {
      (100..<160).map {
        "A\($0): { properties: { b: 'B\($0)?', \(left) } }\nB\($0): { properties: { c: int, \(right) } }"
      }.joined(separator: "\n")
    }
    #expect(
      try changes(models: pairs("n: string", "d: int"), pairs("e: int", "d: int, n: string"))
        .filter { $0.contains("STR3209") }
        == (100..<160).map { "STR3209 B\($0).n step open" })
  }

  @Test("Keys")
  func keys() throws {
    let plain = "P: { properties: { a: int, b: int } }"
    let keyed = "P: { primaryKey: a, properties: { a: int, b: int } }"
    let other = "P: { primaryKey: [a, b], properties: { a: int, b: int } }"
    #expect(try changes(models: plain, keyed) == ["STR3502 P step open"])
    #expect(
      try changes(models: plain, keyed, step: "deduplicate: { P: { by: [a], keep: last } }")
        == ["STR3502 P step"])
    // What a part of the new key told apart stays apart.
    #expect(try changes(models: keyed, other) == ["STR3501 P step"])
    #expect(
      try changes(models: keyed, other, step: "set: { P: { a: '1' } }") == ["STR3501 P step open"])
    #expect(
      try changes(models: keyed, "P: { primaryKey: b, properties: { a: int, b: int } }")
        == ["STR3501 P step open"])
    // No step has to say anything of a key that is gone, and programs may find several objects.
    #expect(try changes(models: keyed, plain) == ["STR3501 P step", "STR3504 P automatic"])
    #expect(
      try changes(
        models: keyed, "P: { primaryKey: c, properties: { c: int, b: int } }",
        step: "rename: { P.a: c }") == ["STR3205 P.c automatic"])
    #expect(
      try changes(
        models: plain,
        "P: { primaryKey: id, properties: { a: int, b: int, id: { type: uuid, generate: uuid } } }")
        == ["STR3502 P step", "STR3201 P.id automatic"])
    // Generated keys need no step, whatever the model was called; one that has values already does.
    let generated = "properties: { a: int, b: int, id: { type: uuid, generate: uuid } } }"
    #expect(
      try changes(models: keyed, "P: { primaryKey: id, \(generated)")
        == ["STR3501 P step", "STR3201 P.id automatic"])
    #expect(
      try changes(
        models: "P: { \(generated)", "Q: { primaryKey: id, \(generated)", step: "rename: { P: Q }")
        == ["STR3104 Q automatic", "STR3502 Q step open"])
    let indexed = "P: { indexes: [[a, b]], unique: [[b, a]], properties: { a: int, b: int } }"
    #expect(
      try changes(models: plain, indexed) == ["STR3503 P step open", "STR3601 P automatic"])
    #expect(try changes(models: indexed, plain) == ["STR3504 P automatic", "STR3602 P automatic"])
  }

  @Test("What nil becomes in a key has to differ, unless another part of it tells objects apart")
  func nilInKeys() throws {
    let filled = ["STR3401 P.a step", "STR3403 P.a automatic"]
    #expect(
      try changes(
        models: "P: { primaryKey: a, properties: { a: int? } }",
        "P: { primaryKey: a, properties: { a: { type: int, default: 0 } } }")
        == filled + ["STR3503 P.a step open"])
    #expect(
      try changes(
        models: "P: { unique: [[a, b]], properties: { a: int?, b: int } }",
        "P: { unique: [[a, b]], properties: { a: { type: int, default: 0 }, b: int } }")
        == filled + ["STR3503 P.a step open"])
    #expect(
      try changes(
        models: "P: { primaryKey: b, unique: [[a, b]], properties: { a: int?, b: int } }",
        "P: { primaryKey: b, unique: [[a, b]], properties: { a: { type: int, default: 0 }, b: int } }"
      )
        == filled + ["STR3503 P.a step"])
  }

  @Test("The order is by path, then by code, and the same on every run")
  func order() throws {
    let old = "B: { properties: { x: int, y: string? } }\nA: { properties: { z: int } }"
    let new = "B: { properties: { x: string, y: string } }\nA: { properties: { z: int?, a: int? } }"
    let first = try changes(models: old, new)
    #expect(
      first == [
        "STR3201 A.a automatic", "STR3402 A.z automatic", "STR3302 B.x step open",
        "STR3401 B.y step open",
      ])
    for _ in 0..<10 { #expect(try changes(models: old, new) == first) }
  }
}

extension [String] {
  /// As the diff sorts: by path, then by code.
  var sortedByPath: [String] {
    sorted {
      let (a, b) = ($0.split(separator: " "), $1.split(separator: " "))
      return (a[1], a[0]) < (b[1], b[0])
    }
  }
}
