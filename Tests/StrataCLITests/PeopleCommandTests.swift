import Foundation
import Testing

@Suite struct PeopleCommandTests {
  let run: CommandRunner

  init() throws { run = try CommandRunner() }

  @Test func aSampleIsUpgradedAndInspected() throws {
    try run.people("create", "a.db", "--version", "0", "--sample", "1000", "--seed", "7")
    #expect(try run.people("migrate", "a.db").status == 0)

    let file = try run.people("inspect", "a.db", "--digest", "--json").firstFile
    #expect(file["version"] as? Int == 5)
    #expect(file["status"] as? String == "current")
    #expect((file["counts"] as? [String: Int])?["Person"] == 1000)
  }

  @Test func everySplitOfTheWayGivesTheSameData() throws {
    func digest(_ file: String) throws -> String? {
      try run.people("inspect", file, "--digest", "--json").firstFile["dataDigest"] as? String
    }
    for file in ["straight.db", "stepwise.db"] {
      try run.people("create", file, "--version", "0", "--sample", "200", "--seed", "7")
    }
    try run.people("migrate", "straight.db")
    for version in 1...5 { try run.people("migrate", "stepwise.db", "--to", "\(version)") }
    #expect(try digest("straight.db") == digest("stepwise.db"))
    #expect(try digest("straight.db")?.count == 64)
  }

  @Test func emailsOfVersionOneDoNotReturnAndThoseOfVersionThreeStay() throws {
    for (version, file) in [(1, "one.db"), (1, "through.db"), (3, "three.db")] {
      try run.people("create", file, "--version", "\(version)", "--sample", "20", "--seed", "1")
    }
    try run.people("migrate", "one.db")
    try run.people("migrate", "through.db", "--to", "2")
    try run.people("migrate", "through.db")
    let before = try emails("three.db")
    try run.people("migrate", "three.db")

    #expect(try emails("one.db") == Array(repeating: "", count: 20))
    #expect(try emails("through.db") == Array(repeating: "", count: 20))
    #expect(try emails("three.db") == before)
    #expect(!before.contains(""))
  }

  private func emails(_ file: String) throws -> [String] {
    try run.people("export", file, "--model", "Person").output.split(separator: "\n").map { line in
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return object?["email"] as? String ?? "none"
    }
  }

  @Test func whatIsExportedIsImported() throws {
    try run.people("create", "a.db", "--sample", "50", "--seed", "3")
    let lines = try run.people("export", "a.db").output
    try lines.write(toFile: run.path("a.jsonl"), atomically: true, encoding: .utf8)
    try run.people("create", "b.db")
    #expect(try run.people("import", "b.db", "a.jsonl").status == 0)

    func digest(_ file: String) throws -> String? {
      try run.people("inspect", file, "--digest", "--json").firstFile["dataDigest"] as? String
    }
    #expect(try digest("a.db") == digest("b.db"))
  }

  @Test func objectsThatAreThereTakeTheGivenValuesAndKeepTheRest() throws {
    try run.people("create", "a.db", "--sample", "50", "--seed", "3")
    let places = try run.people("export", "a.db", "--model", "Place").output.split(separator: "\n")
    let lines = try places.map { line in
      let place = try #require(
        try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      let key = try #require(place["postalCode"] as? String)
      return
        #"{"$model":"Place","postalCode":"\#(key)","county":"Kings of \#(key)","latitude":1.5}"#
    }
    try lines.joined(separator: "\n").write(
      toFile: run.path("b.jsonl"), atomically: true, encoding: .utf8)
    let result = try run.people("import", "a.db", "b.jsonl")
    #expect(result.output.contains("0 created, 50 updated"))

    let after = try run.people("export", "a.db", "--model", "Place").output.split(separator: "\n")
    #expect(after.count == 50)
    for (old, new) in zip(places, after) {
      var wanted = try JSONSerialization.jsonObject(with: Data(old.utf8)) as? [String: Any] ?? [:]
      wanted["county"] = "Kings of \(wanted["postalCode"] ?? "")"
      wanted["latitude"] = 1.5
      let found = try JSONSerialization.jsonObject(with: Data(new.utf8)) as? [String: Any] ?? [:]
      #expect(NSDictionary(dictionary: found) == NSDictionary(dictionary: wanted))
    }
  }

  @Test func aLineMayBeLongerThanWhatIsReadAtOnce() throws {
    try run.people("create", "a.db")
    let long = String(repeating: "ä\\n\"x\"", count: 300_000)
    let text = String(decoding: try JSONEncoder().encode([long]), as: UTF8.self)
      .dropFirst().dropLast()
    let lines = """
      {"$model":"Pet","name":"Rex","age":3}
      {"$model":"Pet","name":\(text),"age":123456789012345678}
      {"$model":"Pet","name":"Tom","age":-0}
      """
    try lines.write(toFile: run.path("pets.jsonl"), atomically: true, encoding: .utf8)
    #expect(try run.people("import", "a.db", "pets.jsonl").output.contains("3 created"))

    let pets = try run.people("export", "a.db").output.split(separator: "\n").map { line in
      try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
    }
    #expect(pets.map { $0?["name"] as? String } == ["Rex", long, "Tom"])
    #expect(pets.map { $0?["age"] as? Int } == [3, 123_456_789_012_345_678, 0])
  }

  /// Programs of Windows begin a text with it.
  @Test(arguments: ["\n", ""]) func aByteOrderMarkIsNoPartOfALine(_ end: String) throws {
    try run.people("create", "a.db")
    try ("\u{FEFF}{\"$model\":\"Pet\",\"name\":\"Rex\",\"age\":3}" + end)
      .write(toFile: run.path("pets.jsonl"), atomically: true, encoding: .utf8)
    let result = try run.people("import", "a.db", "pets.jsonl", "pets.jsonl")
    #expect(result.output.contains("2 created"), "\(result.errors)")
  }

  @Test func aBadLineOfAnImportStoresNothing() throws {
    try run.people("create", "a.db")
    let lines = """
      {"$model":"Pet","name":"Rex","age":3}
      {"$model":"Pet","name":"Tom","age":"old"}
      """
    try lines.write(toFile: run.path("pets.jsonl"), atomically: true, encoding: .utf8)
    let result = try run.people("import", "a.db", "pets.jsonl")
    #expect(result.status == 3)
    #expect(result.errors.contains("error: pets.jsonl:2: Pet.age is int, which \"old\" is not"))
    #expect(try run.people("export", "a.db").output == "")
  }

  @Test func aPlanChangesNothing() throws {
    try run.people("create", "a.db", "--version", "0", "--sample", "10")
    let before = try run.contents()
    let plan = try run.people("plan", "a.db", "--json").json
    #expect(plan["format"] as? String == "strata.plan/1")
    #expect(plan["steps"] as? [Int] == [1, 2, 3, 4, 5])
    #expect(plan["write"] as? String == "aside")
    #expect(try run.contents() == before)
  }

  /// The stock command has no blocks inside, and says how to get one's own.
  @Test func theStockCommandMeetsASwiftStep() throws {
    try run.people("create", "a.db", "--version", "0", "--sample", "5")
    let before = try run.contents()
    let result = try run.strata(
      "migrate", "a.db", "--schemas", CommandRunner.root.appendingPathComponent("schemas").path,
      "--migrations", CommandRunner.root.appendingPathComponent("migrations").path)
    #expect(result.status == 3)
    #expect(result.errors.contains("StrataCLI.main(migrations: PeopleMigrations.self)"))
    #expect(try run.contents() == before)
  }

  @Test func wrongUsageIsSixtyFour() throws {
    #expect(try run.people("migrate").status == 64)
    #expect(try run.people("migrate", "--bogus", "a.db").status == 64)
    #expect(try run.people("nothing").status == 64)
  }
}
