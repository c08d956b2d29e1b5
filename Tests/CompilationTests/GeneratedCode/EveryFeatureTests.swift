import Foundation
import StrataCodegen
import StrataFrontend
import StrataSchema
import StrataSource
import Testing

/// A schema with all that the language has, generated in every way that can be asked for.
@Suite struct EveryFeatureTests {
  /// Every type, as a property, optional, in each collection, with a default, indexed and ignored where that can be.
  private static var types: String {
    var properties = ""
    for scalar in ScalarType.allCases.map(\.rawValue) {
      properties += """
              \(scalar)Required: \(scalar)
              \(scalar)Optional: \(scalar)?
              \(scalar)List: [\(scalar)]
              \(scalar)Set: set<\(scalar)>
              \(scalar)Map: map<\(scalar)>

        """
      if scalar != "any" {
        properties += """
                \(scalar)Options: "[\(scalar)?]"
                \(scalar)OptionMap: map<\(scalar)?>
                \(scalar)Draft: { type: "\(scalar)?", ignored: true }
                \(scalar)Zero: { type: \(scalar), ignored: true }
                \(scalar)Drafts: { type: "[\(scalar)]", ignored: true }

          """
      }
      if ["bool", "int", "date", "string", "uuid", "objectId"].contains(scalar) {
        properties += "      \(scalar)Indexed: { type: \"\(scalar)?\", indexed: true }\n"
      }
    }
    return "models:\n  Types:\n    properties:\n" + properties
  }

  private static let features = #"""
    schema: Features
    version: 7
    models:
      Named:
        doc: |
          Whatever has a name.

          - Note: `code` and "quotes", \backslashes\ and */.
        abstract: true
        properties:
          name: { type: string, doc: Never empty. }
          related: [Person]
          note: { type: "string?", ignored: true }
      Person:
        extends: Named
        doc: A person.
        primaryKey: id
        indexes: [[last, first], [born, id]]
        unique: [[email, mood]]
        properties:
          id: { type: uuid, generate: uuid }
          token: { type: objectId, generate: objectId, unique: true }
          made: { type: date, generate: now }
          opened: { type: date, ignored: true, generate: now }
          ticket: { type: "objectId?", ignored: true, generate: objectId }
          first: { type: string, default: "", indexed: fulltext }
          last: { type: string, default: "a \"quoted\" \\ text\nof \u202E two lines \U0001F600" }
          email: { type: "string?", indexed: true }
          born: date?
          count: { type: int, default: -9223372036854775808 }
          ratio: { type: double, default: .nan }
          share: { type: float, default: -.inf }
          amount: { type: decimal, default: "-12345678901234567890.125" }
          day: { type: date, default: 2001-01-01T00:00:00.1Z }
          key: { type: data, default: "00ff" }
          fixed: { type: uuid, default: 01020304-0506-0708-090a-0b0c0d0e0f10 }
          whatever: { type: any, default: 7 }
          mood: { type: Mood, default: default }
          moods: [Mood]
          rank: { type: "Rank?", default: none }
          ranks: set<Rank>
          rankOf: map<Rank?>
          boss: { type: Person?, swiftName: superior }
          spouse: { type: "Person?", deleteRule: cascade }
          home: Address?
          homes: [Address]
          placed: map<Address>
          friends: set<Person>
          byName: map<Person>
          country: { type: Country, deleteRule: deny }
          staff: { linkingObjects: Person.boss }
          admirers: { linkingObjects: Person.friends }
          class: { type: string, default: "first", doc: "A word of Swift." }
      Student:
        extends: Person
        swiftName: Pupil
        properties: { school: string }
      Address:
        embedded: true
        properties: { street: string, inside: Address?, country: Country? }
      Country:
        primaryKey: [code, number]
        properties: { code: string, number: int? }
      Empty: {}
    enums:
      Mood: { doc: How it goes., type: string, cases: { calm: c, angry: "a\"ngry", default: default } }
      Rank: { type: int, cases: { none: 0, some: 1000000, low: -1 } }

    """#

  static let declarations = [
    "types.yaml": types, "Features.yaml": features,
    "notes.yml": "models:\n  Note:\n    properties: { text: string, of: Person? }\n",
  ]

  struct Way: CustomTestStringConvertible, Sendable {
    let options: GeneratorOptions
    let settings: [String]
    var testDescription: String {
      "\(options.access) \(options.layout) \(settings.isEmpty ? "plain" : "upcoming features")"
    }
  }

  private static let ways = AccessLevel.allCases.flatMap { access in
    GeneratorOptions.Layout.allCases.flatMap { layout in
      [[], GeneratedCode.upcomingFeatures].map { settings in
        Way(
          options: GeneratorOptions(access: access, imports: ["Synchronization"], layout: layout),
          settings: settings)
      }
    }
  }

  @Test(arguments: ways) func compilesWithoutAWarningAndIsFormatted(_ way: Way) throws {
    let code = try GeneratedCode(of: Self.declarations, options: way.options)

    expectNothing(try code.compilerFindings(["-package-name", "generated"] + way.settings))
    expectNothing(try code.lintFindings())
  }

  @Test func frozenTypesToo() throws {
    let schema = try GeneratedCode.compile(
      Self.declarations.map { SourceFile(path: $0.key, text: $0.value) }
    ).schema
    let code = GeneratedCode.migrations(of: schema)
    let block = """
      import Strata

      extension FeaturesMigrations {
        static let toVersion8 = Step(to: 8) { step in
          try step.each(V7.Person.self, V8.Person.self) { old, new in new.first = old.last }
        }
      }

      """

    expectNothing(try code.adding(block, named: "8-Block.swift").compilerFindings())
    expectNothing(try code.lintFindings())

    // And without the block: the error names it.
    let errors = try code.compilerFindings()
    #expect(errors.contains("error: cannot find 'toVersion8' in scope"))
  }

  @Test func generatedFilesComeBesideHandWrittenOnes() throws {
    let code = try GeneratedCode(of: Self.declarations)
      .adding(
        """
        import Strata

        extension Person {
          public var fullName: String { "\\(first) \\(last)" }
        }
        extension Address: Comparable {
          public static func < (left: Address, right: Address) -> Bool { left.street < right.street }
        }

        """, named: "Person.swift")

    expectNothing(try code.compilerFindings())
  }

  /// Lines are broken where the formatter breaks them, however long lists and names are.
  @Test func listsOfEveryLengthAreFormatted() throws {
    var files: [GeneratedFile] = []
    for count in 0...24 {
      let name = "S\(String(repeating: "x", count: count))"
      let models = (0..<count).map { "  Model\($0):\n    properties: { value: string }\n" }.joined()
      let code = try GeneratedCode(
        of: ["a.yaml": "schema: \(name)\nversion: 0\n" + (count == 0 ? "" : "models:\n" + models)],
        options: GeneratorOptions(layout: .single))
      files += code.files
      files.append(
        GeneratedFile(name: "\(name)Steps.swift", text: GeneratedCode.steps(count, of: name)))
    }
    expectNothing(try GeneratedCode(files: files).lintFindings())
  }

  @Test func noFoundationUnlessAPropertyNeedsIt() throws {
    let files = try GeneratedCode(of: Self.declarations).files
    let withFoundation = files.filter { $0.text.contains("Foundation") }.map(\.name)

    #expect(withFoundation == ["Person+Strata.swift", "Pupil+Strata.swift", "Types+Strata.swift"])
  }
}
