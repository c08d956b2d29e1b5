import StrataCodegen
import StrataExpression
import StrataHistory
import StrataSchema
import Testing

@Suite struct MigrationsGeneratorTests {
  @Test func frozenTypesForTheModelsThatABlockNames() throws {
    let files = MigrationsGenerator(history: history, options: GeneratorOptions()).files()

    #expect(files.map(\.name) == MigrationsGenerator.fileNames)
    try Expected.compare(files, with: "Migrations/People")
  }

  @Test func noBlockNoFrozenTypes() throws {
    var plain = history.versions
    plain[1].step?.swiftModels = []
    let files = MigrationsGenerator(
      history: History(name: "People", versions: plain), options: GeneratorOptions()
    ).files()

    #expect(!files[0].text.contains("import"))
    #expect(files[1].text.contains("public static var steps: [Step] { [] }"))
  }

  /// `strata generate` puts the classes and the chain into one module.
  @Test func aModelCalledStepIsToldFromThatOfMigrations() {
    let schema = Schema(name: "Meals", version: 0, models: [Model(name: "Step")])
    let version = FrozenVersion(
      schema: schema, step: nil, date: "2026-11-21", stepDigest: nil, chain: Digest(of: "0"))

    let files = MigrationsGenerator(
      history: History(name: "Meals", versions: [version]), options: GeneratorOptions()
    ).files()

    #expect(files[1].text.contains("public static var steps: [Strata.Step] { [] }"))
    #expect(files[1].text.contains("toVersionN = Strata.Step(to: N)"))
    #expect(files[1].text.contains("enum MealsMigrations: MigrationChain {"))
  }

  @Test func theHistoryIsReadBackFromTheLiteral() throws {
    let readBack = try readBack(history)
    #expect(readBack.versions.map(\.shape) == history.versions.map(\.shape))
    #expect(readBack.versions.map(\.step) == history.versions.map(\.step))
    #expect(readBack.versions.map(\.chain) == history.versions.map(\.chain))
  }

  /// What the app holds data against is linked into it: rules with their sentences, and what steps repair.
  @Test func rulesAreLinkedIntoTheApp() throws {
    let rule = ModelRule(
      name: "adult", condition: "age >= 18", sentence: "A \"member\" is at least 18.")
    let schema = Schema(
      name: "People", version: 0,
      models: [
        Model(name: "Person", properties: [Property(name: "age", type: .int)], rules: [rule])
      ])
    let step = MigrationStep(
      to: 0,
      repair: [
        SchemaPath("Person", "adult"): Repair(set: ["age": try Expression.parse("18", for: .query)])
      ])
    let read = try readBack(
      History(
        name: "People",
        versions: [
          FrozenVersion(
            schema: schema, step: step, date: "2026-11-21", stepDigest: nil, chain: nil)
        ]))
    #expect(read.versions[0].schema.models[0].rules == [rule])
    #expect(read.versions[0].step == step)
    let models = ModelsGenerator(
      schema: schema, order: DeclarationOrder(), options: GeneratorOptions()
    ).files()
    #expect(models.contains { $0.text.contains("age >= 18") })
  }

  private func readBack(_ history: History) throws -> History {
    let files = MigrationsGenerator(history: history, options: GeneratorOptions()).files()

    let lines = files[1].text.split(separator: "\n").map(String.init)
    let start = try #require(lines.firstIndex { $0.hasSuffix("#\"\"\"") })
    let end = try #require(lines.firstIndex { $0.hasSuffix("\"\"\"#") })
    let json = lines[(start + 1)..<end].map { line in
      let text = line.drop { $0 == " " }
      return text.hasSuffix("\\#") ? String(text.dropLast(2)) : String(text)
    }.joined()

    return try History(json: try JSON.parse(json))
  }

  /// Person(firstName, lastName) becomes Person(fullName, …) by a block; Cat becomes Dog by a rename.
  private let history: History = {
    let first = Schema(
      name: "People", version: 0,
      models: [
        Model(
          name: "Person",
          properties: [
            Property(name: "firstName", type: .string), Property(name: "lastName", type: .string),
            Property(name: "born", type: .optional(.date)),
            Property(name: "mood", type: .value(ValueType(.enumeration("Mood")))),
            Property(
              name: "boss", type: .value(ValueType(.object("Person"), isOptional: true))),
            Property(name: "cats", type: .list(ValueType(.object("Cat")))),
            Property(name: "tags", type: .set(ValueType(.scalar(.string)))),
            Property(name: "marks", type: .map(ValueType(.scalar(.int), isOptional: true))),
            Property(name: "row", type: .int), Property(name: "link", type: .optional(.int)),
            Property(name: "places", type: .map(ValueType(.object("Cat")))),
          ]),
        Model(name: "Cat", properties: [Property(name: "name", type: .string)]),
      ],
      enums: [
        EnumType(
          name: "Mood", rawType: .int, cases: [EnumType.Case(name: "calm", rawValue: .int(0))])
      ])
    let step = MigrationStep(
      to: 1, renames: Renames(models: ["Cat": "Dog"]), swiftModels: ["Person"])
    return History(
      name: "People",
      versions: [
        FrozenVersion(
          schema: first, step: nil, date: "2026-11-21", stepDigest: nil,
          chain: Digest(of: "0")),
        FrozenVersion(
          schema: peopleSchema(), step: step, date: "2026-11-28", stepDigest: Digest(of: "step"),
          chain: Digest(of: "1")),
      ])
  }()
}
