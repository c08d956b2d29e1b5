import StrataExpression
import StrataFrontend
import StrataHistory
import StrataSchema
import StrataSource
import Testing

@Suite struct StepReaderTests {
  func findings(_ text: String, name: String = "2.yaml") -> [String] {
    var diagnostics = Diagnostics()
    _ = StepReader.read(
      SourceFile(path: "migrations/\(name)", text: text), reporting: &diagnostics)
    return diagnostics.sorted.map(line)
  }

  func read(_ text: String) throws -> StepCompilation {
    var diagnostics = Diagnostics()
    let file = SourceFile(path: "migrations/2.yaml", text: text)
    guard let compilation = StepReader.read(file, reporting: &diagnostics) else {
      throw UnexpectedFindings(description: TextRenderer().render(diagnostics))
    }
    return compilation
  }

  @Test func theGuidesExampleIsRead() throws {
    let step = try read(WholeLanguage.step).step
    #expect(step.to == 2)
    #expect(step.renames.models == ["Human": "Person"])
    #expect(step.renames.properties == [SchemaPath("Person", "nickname"): "nick"])
    #expect(
      step.set["Person"]?.mapValues(\.text) == [
        "fullName": "old.firstName + ' ' + old.lastName", "city": "old.home.city",
        "pet": "old.dogs[0]", "mood": "if(old.angry, 'angry', 'calm')",
        "age": "int(old.age) ?? 0",
      ])
    #expect(step.delete.mapValues(\.text) == ["Human": "old.age < 0"])
    #expect(step.deduplicate == ["Human": Deduplication(properties: ["email"], keep: .last)])
    #expect(
      step.drop == [
        SchemaPath("Human", "firstName"), SchemaPath("Human", "lastName"), SchemaPath("Draft"),
      ])
    #expect(step.swiftModels == ["Person"])
    #expect(
      step.accept == [
        Acceptance(
          rule: "property-removed", at: SchemaPath("Human", "phone"), because: "GDPR-114")
      ])
    #expect(try MigrationStep(json: step.json) == step)
  }

  @Test func placesAreKnown() throws {
    let map = try read(WholeLanguage.step).sourceMap
    func place(_ span: SourceSpan?) -> String? {
      span.map { "\($0.start.line):\($0.start.column)-\($0.end.line):\($0.end.column)" }
    }
    #expect(place(map.renamedFrom[SchemaPath("Human")]) == "2:39-2:44")
    #expect(place(map.renamedTo[SchemaPath("Person", "nickname")]) == "2:33-2:37")
    #expect(place(map.set[SchemaPath("Person", "city")]) == "6:5-6:9")
    #expect(place(map.span(ofExpressionFor: SchemaPath("Person", "city"))) == "6:11-6:24")
    #expect(
      place(map.span(ofExpressionFor: SchemaPath("Person", "city"), part: 4..<8)) == "6:15-6:19")
    #expect(place(map.span(ofConditionFor: "Human", part: 0..<7)) == "10:23-10:30")
    #expect(place(map.deduplicateBy[SchemaPath("Human", "email")]) == "11:30-11:35")
    #expect(place(map.drop[SchemaPath("Draft")]) == "12:48-12:53")
    #expect(place(map.accept.first?.at) == "14:45-14:56")
  }

  @Test(arguments: [
    ("plain", "old.a + 'é' + old.b", "4:22-4:27"),
    ("single", "'old.a + ''é'' + old.b'", "4:25-4:30"),
    ("double", "\"old.a + '\\u00e9' + old.b\"", "4:28-4:33"),
    ("folded", "old.a +\n       'é' +\n       old.b", "6:8-6:13"),
    ("block", ">-\n      old.a + 'é' +\n      old.b", "6:7-6:12"),
    ("literal", "|\n      old.a + 'é'\n        + old.b\n", "6:11-6:16"),
  ])
  func partsOfExpressionsAreFoundInEveryStyle(style: String, text: String, place: String) throws {
    let compilation = try read("to: 2\nset:\n  M:\n    p: \(text)\n")
    let expression = try #require(compilation.step.set["M"]?["p"])
    let part = try #require(rightOperand(expression))
    let span = compilation.sourceMap.span(ofExpressionFor: SchemaPath("M", "p"), part: part)
    #expect(
      span.map { "\($0.start.line):\($0.start.column)-\($0.end.line):\($0.end.column)" } == place)
  }

  /// Where the right operand of the outermost sum stands.
  private func rightOperand(_ expression: Expression) -> Range<Int>? {
    if case .binary(_, _, let right) = expression.kind { return right.range }
    return nil
  }

  @Test func mistakesAreFound() {
    #expect(
      findings(
        """
        to: 3
        renam: { A: B }
        rename: { A.b.c: d, A.b: B.c, C: }
        set: { M: { p: old. , q: ~, r: }, "M.x": { p: old.x } }
        delete: [M]
        deduplicate: { A: { keep: frist }, B: { by: email }, C: { by: [email], kep: last } }
        drop: [A.b.c, D, D]
        swift: Person
        accept: [{ rule: x }, { rule: x, at: "A.", because: y }, 5]
        """) == [
          "1:5-1:6 STR4102 the file is named 2.yaml and says 3",
          "2:1-2:6 STR2001 unknown key 'renam'",
          "3:11-3:16 STR4104 'A.b.c' is no model or property",
          "3:26-3:29 STR4104 'B.c' is no name of a property",
          "3:31-3:32 STR2002 'C' is nothing",
          "4:20-4:20 STR6002 the expression ends where a property's name is expected",
          "4:26-4:27 STR2002 the expression for nothing is 'nil'",
          "4:29-4:30 STR2002 'r' is nothing",
          "4:35-4:40 STR4104 'M.x' is no name of a model",
          "5:9-5:12 STR2002 'delete' is a list",
          "6:16-6:17 STR2003 'A' does not say what equal objects share",
          "6:27-6:32 STR2004 'frist' is no value of 'keep'",
          "6:45-6:50 STR2002 'by' is 'email'",
          "6:72-6:75 STR2001 unknown key 'kep'",
          "7:8-7:13 STR4104 'A.b.c' is no model or property",
          "7:18-7:19 STR4105 'D' is dropped twice",
          "8:8-8:14 STR2002 'swift' is 'Person'",
          "9:10-9:21 STR2003 'at' is missing",
          "9:38-9:42 STR4104 'A.' is no model or property",
          "9:58-9:59 STR2002 'accept' lists mappings, and this is '5'",
        ])
  }

  /// The name alone would be that of a model.
  @Test(arguments: ["set", "back"]) func aPropertyIsSetBelowItsModel(_ key: String) {
    var diagnostics = Diagnostics()
    _ = StepReader.read(
      SourceFile(path: "2.yaml", text: "to: 2\n\(key): { Item.cents: 1 }\n"),
      reporting: &diagnostics)

    #expect(diagnostics.sorted.map(\.message) == ["'Item.cents' is no name of a model"])
    #expect(
      diagnostics.sorted.map(\.help) == ["write the property below its model: Item: { cents: … }"])
    #expect(diagnostics.sorted.allSatisfy { $0.fixIt == nil })
  }

  @Test func mistakesOfAWayBackAreFound() {
    #expect(
      findings(
        """
        to: 2
        back: { M: { p: new. , q: ~, r: old.x, s: name, ok: "before(new.name, ' ')" }, "M.x": { p: new.x }, N: [p] }
        """) == [
          "2:21-2:21 STR6002 the expression ends where a property's name is expected",
          "2:27-2:28 STR2002 the expression for nothing is 'nil'",
          "2:80-2:85 STR4104 'M.x' is no name of a model",
          "2:104-2:107 STR2002 'N' is a list",
        ])
    #expect(findings("to: 2\nback: [M]") == ["2:7-2:10 STR2002 'back' is a list"])
  }

  @Test func contradictionsAreFound() {
    #expect(
      findings(
        """
        to: 2
        rename: { A.a: c, A.b: c, X: Z, Y: Z, D.d: e }
        drop: [D.d]
        """) == [
          "2:24-2:25 STR4105 'A.a' and 'A.b' cannot both become 'A.c'",
          "2:36-2:37 STR4105 'X' and 'Y' cannot both become 'Z'",
          "3:8-3:11 STR4105 'D.d' is renamed and dropped",
        ])
  }

  @Test func aStepIsAMappingNamedAfterItsVersion() {
    #expect(
      findings("to: 2\n", name: "two.yaml")
        == ["1:1-1:1 STR4101 a step's file is named after the version it reaches"])
    #expect(findings("") == ["1:1-1:1 STR2002 a step is a mapping, and this is nothing"])
    #expect(findings("[a]") == ["1:1-1:4 STR2002 a step is a mapping, and this is a list"])
    #expect(
      findings("drop: [A]")
        == ["1:1-1:5 STR2003 the step does not say the version that it reaches"])
  }
}
