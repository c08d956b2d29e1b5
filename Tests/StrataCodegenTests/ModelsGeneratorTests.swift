import StrataCodegen
import StrataExpression
import StrataHistory
import StrataSchema
import Testing

@Suite struct ModelsGeneratorTests {
  @Test func aFileForEachModel() throws {
    let files = ModelsGenerator(
      schema: peopleSchema(), order: peopleOrder, options: GeneratorOptions()
    ).files()

    #expect(
      files.map(\.name) == [
        "Dog+Strata.swift", "PeopleSchema+Strata.swift", "Person+Strata.swift",
      ])
    try Expected.compare(files, with: "Models/People")
  }

  @Test func everyFeatureOfTheLanguage() throws {
    let files = ModelsGenerator(
      schema: everythingSchema, order: everythingOrder, options: GeneratorOptions()
    ).files()

    try Expected.compare(files, with: "Models/Everything")
  }

  @Test func aFileForEachFileOfDeclarations() throws {
    let order = DeclarationOrder(
      sources: ["Person": "People", "Dog": "pets"], files: ["People", "Pets", "notes", "pets"],
      headerFile: "People")

    let files = ModelsGenerator(
      schema: peopleSchema(), order: order, options: GeneratorOptions(layout: .source)
    ).files()

    // `Pets` and `pets` would be one file where case does not count; `notes` declares nothing.
    #expect(
      files.map(\.name) == ["People+Strata.swift", "Pets+Strata.swift", "notes+Strata.swift"])
    #expect(files[0].text.contains("public final class Person"))
    #expect(files[0].text.contains("public enum PeopleSchema"))
    #expect(files[1].text.contains("public final class Dog"))
    #expect(!files[2].text.contains("import"))
  }

  /// Some disks do not tell them apart.
  @Test func typesThatDifferInCaseShareAFile() {
    let schema = Schema(
      name: "P", version: 1,
      models: [
        Model(name: "A", swiftName: "foo"), Model(name: "B", swiftName: "Foo"),
        Model(name: "pSchema"), Model(name: "Plain"),
      ],
      enums: [EnumType(name: "FOO", rawType: .string, cases: [])])

    let files = ModelsGenerator(
      schema: schema, order: peopleOrder, options: GeneratorOptions(layout: .model)
    ).files()

    #expect(
      files.map(\.name) == ["FOO+Strata.swift", "PSchema+Strata.swift", "Plain+Strata.swift"])
    #expect(files[0].text.contains("class foo: "))
    #expect(files[0].text.contains("class Foo: "))
    #expect(files[0].text.contains("enum FOO: "))
    #expect(files[1].text.contains("class pSchema: "))
    #expect(files[1].text.contains("enum PSchema"))
  }

  @Test func everythingInOneFile() throws {
    let files = ModelsGenerator(
      schema: peopleSchema(), order: peopleOrder,
      options: GeneratorOptions(access: .internal, imports: ["Zebra", "Animals"], layout: .single)
    ).files()

    #expect(files.map(\.name) == ["People+Strata.swift"])
    #expect(
      files[0].text.contains(
        """
        import Animals
        import Strata
        import Zebra

        internal final class Dog: Object, Identifiable {
        """))
    #expect(!files[0].text.contains("public "))
  }

  @Test func importsAgreeWithPlainOnesOfOtherFiles() throws {
    let files = ModelsGenerator(
      schema: everythingSchema, order: everythingOrder,
      options: GeneratorOptions(access: .package, layout: .model)
    ).files()

    let links = try #require(files.first { $0.name == "Links+Strata.swift" })
    #expect(
      links.text.contains(
        """
        #if hasFeature(InternalImportsByDefault)
          package import Strata
        #else
          import Strata
        #endif

        package final class Links: Object, Identifiable {
        """))
  }

  /// A module that is imported twice is warned of.
  @Test(arguments: [
    (["Strata"], ["public import Strata", "#if canImport(FoundationEssentials)"]),
    (["Foundation"], ["public import Foundation\npublic import Strata"]),
    (["FoundationEssentials"], ["public import FoundationEssentials\npublic import Strata"]),
    (
      ["Strata", "Foundation", "FoundationEssentials"],
      ["public import Foundation\nimport FoundationEssentials\npublic import Strata"]
    ),
  ])
  func modulesThatAreImportedAnyway(imports: [String], expected: [String]) throws {
    let schema = Schema(
      name: "Diary", version: 0,
      models: [
        Model(
          name: "Day", properties: [Property(name: "at", type: .value(ValueType(.scalar(.date))))])
      ])
    let version = FrozenVersion(
      schema: schema, step: nil, date: "2026-11-21", stepDigest: nil, chain: Digest(of: "0"))
    let options = GeneratorOptions(access: .public, imports: imports, layout: .model)

    let files =
      ModelsGenerator(schema: schema, order: DeclarationOrder(), options: options).files()
      + MigrationsGenerator(
        history: History(name: "Diary", versions: [version]), options: options
      ).files()

    let day = try #require(files.first { $0.name == "Day+Strata.swift" })
    for text in expected { #expect(day.text.contains(text)) }
    for file in files {
      let modules = file.text.split(separator: "\n").filter { $0.contains("import ") }
        .compactMap { $0.split(separator: " ").last }
      #expect(Set(modules).count == modules.count, "\(file.text)")
    }
  }

  @Test func aChangeElsewhereLeavesAFileAsItIs() throws {
    var changed = peopleSchema(version: 2)
    changed = Schema(
      name: "People", version: 2,
      models: changed.models.filter { $0.name == "Dog" } + [Model(name: "Person")])

    let before = generate(peopleSchema())
    let after = generate(changed)

    #expect(before["Dog+Strata.swift"] == after["Dog+Strata.swift"])
    #expect(before["Person+Strata.swift"] != after["Person+Strata.swift"])
  }

  /// Also of a model that comes in front of all others.
  @Test func aModelThatComesOrGoesLeavesTheFilesOfOthersAsTheyAre() {
    let schema = peopleSchema()
    let larger = Schema(
      name: "People", version: 1, models: schema.models + [Model(name: "Ant"), Model(name: "Eel")])

    let before = generate(schema)
    let after = generate(larger)

    for name in ["Dog+Strata.swift", "Person+Strata.swift"] {
      #expect(before[name] != nil && before[name] == after[name])
    }
  }

  /// `AnyValue(Double(.infinity))` could be several things to the compiler.
  @Test(arguments: [
    (Value.double(.infinity), "AnyValue(Double.infinity)"),
    (.double(-.infinity), "AnyValue(-Double.infinity)"),
    (.double(.nan), "AnyValue(Double.nan)"),
    (.double(-0.5), "AnyValue(Double(-0.5))"),
    (.float(.infinity), "AnyValue(Float.infinity)"),
    (.float(-.infinity), "AnyValue(-Float.infinity)"),
  ])
  func aNumberOfAnySaysItsType(value: Value, expected: String) {
    let any = Property(
      name: "value", type: .value(ValueType(.scalar(.any))), defaultValue: value)
    let schema = Schema(
      name: "People", version: 1, models: [Model(name: "Person", properties: [any])])

    #expect(generate(schema)["Person+Strata.swift"]?.contains(expected) == true)
  }

  /// Read with 64 bits first and rounded again, as compilers do on x86-64, such a text is the number's neighbour. Here they are
  /// texts for the same reason.
  @Test(arguments: [
    ("9.4934056", "0x1.2fc9fa8a75397p+3"), ("-69.49366672803", "-0x1.15f983c5500c7p+6"),
    ("46837295.4043389", "0x1.655717b3c1609p+25"), ("0.1", "0.1"), ("12345.678", "12345.678"),
    ("-1e-07", "-1e-07"), ("1e+300", "1e+300"), ("0.5", "0.5"), ("1024", "1024.0"),
    ("1.7976931348623157e+308", "1.7976931348623157e+308"),
    ("2.2250738585072014e-308", "2.2250738585072014e-308"),
  ])
  func aNumberIsTheSameHoweverItIsRead(text: String, expected: String) throws {
    let number = try #require(Double(text))

    let literal = SwiftLiteral.floatingPoint(number, type: "Double", bitPattern: "")

    #expect(literal == expected)
    #expect(Double(literal) == number)
  }

  @Test func aDateIsTheSameHoweverItIsRead() throws {
    let date = Property(
      name: "date", type: .value(ValueType(.scalar(.date))),
      defaultValue: .date(try #require(Double("412986.3220520748"))))
    let schema = Schema(
      name: "People", version: 1, models: [Model(name: "Person", properties: [date])])

    let text = try #require(generate(schema)["Person+Strata.swift"])

    #expect(text.contains("timeIntervalSinceReferenceDate: 0x1.934e949c804e3p+18"))
  }

  @Test func anIgnoredPropertyBeginsWithAGeneratedValue() throws {
    let properties = [
      Property(name: "made", type: .required(.date), isIgnored: true, generate: .now),
      Property(name: "number", type: .required(.objectID), isIgnored: true, generate: .objectID),
      Property(name: "token", type: .optional(.uuid), isIgnored: true, generate: .uuid),
    ]
    let schema = Schema(
      name: "People", version: 1, models: [Model(name: "Person", properties: properties)])

    let text = try #require(generate(schema)["Person+Strata.swift"])

    #expect(text.contains("public var made: Date = Date()\n"))
    #expect(text.contains("public var number: ObjectID = ObjectID()\n"))
    #expect(text.contains("public var token: UUID? = UUID()\n"))
    #expect(text.contains("made: Date? = nil, number: ObjectID? = nil, token: UUID? = nil"))
  }

  /// Texts that are the same to Swift are not the same in a file.
  @Test func aRawValueIsWrittenThatDiffersFromItsCaseInNormalisation() {
    let cases = [("caf\u{E9}", "cafe\u{301}"), ("the\u{301}", "the\u{301}")]
    let drink = EnumType(
      name: "Drink", rawType: .string,
      cases: cases.map { EnumType.Case(name: $0.0, rawValue: .string($0.1)) })
    let schema = Schema(name: "People", version: 1, models: [], enums: [drink])

    let text = generate(schema)["Drink+Strata.swift"] ?? ""
    let lines = text.split(separator: "\n").filter { $0.hasPrefix("  case ") }

    #expect(
      lines.map { Array($0.utf8) } == [
        Array("  case caf\u{E9} = \"cafe\u{301}\"".utf8), Array("  case the\u{301}".utf8),
      ])
  }

  private func generate(_ schema: Schema) -> [String: String] {
    let files = ModelsGenerator(schema: schema, order: peopleOrder, options: GeneratorOptions())
      .files()
    return Dictionary(uniqueKeysWithValues: files.map { ($0.name, $0.text) })
  }
}
