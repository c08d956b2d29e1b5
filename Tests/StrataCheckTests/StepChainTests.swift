import StrataEvolution
import StrataExpression
import StrataFrontend
import StrataHistory
import StrataSchema
import StrataSource
import Testing

@Suite("Several steps seen as one")
struct StepChainTests {
  func schema(_ version: Int, _ models: String) throws -> Schema {
    var diagnostics = Diagnostics()
    let text =
      "schema: S\nversion: \(version)\nmodels:\n"
      + models.split(separator: "\n").map { "  \($0)\n" }.joined()
    return try #require(
      SchemaCompiler.compile(
        [SourceFile(path: "s.yaml", text: text)], reporting: &diagnostics)
    ).schema
  }

  func changes(
    _ versions: [String], steps: [Int: MigrationStep] = [:], sealed: Set<Int> = []
  ) throws -> [String] {
    let schemas = try versions.enumerated().map { try schema($0.offset, $0.element) }
    let chain = StepChain(
      zip(schemas, schemas.dropFirst()).map { ($0, $1, steps[$1.version]) },
      sealedVersions: sealed)
    let covers = chain.coverage(from: schemas[0], to: schemas[schemas.count - 1])
    return SchemaDiff(from: schemas[0], to: schemas[schemas.count - 1], chain.correspondence)
      .changes.map { "\($0.kind.code) \($0.path)\(covers($0) ? "" : " open")" }
  }

  @Test("Renames add up")
  func renames() throws {
    let found = try changes(
      [
        "A: { properties: { x: int } }", "B: { properties: { y: int } }",
        "C: { properties: { z: int } }",
      ],
      steps: [
        1: MigrationStep(
          to: 1,
          renames: Renames(models: ["A": "B"], properties: [SchemaPath("A", "x"): "y"])),
        2: MigrationStep(
          to: 2,
          renames: Renames(models: ["B": "C"], properties: [SchemaPath("B", "y"): "z"])),
      ])
    #expect(found == ["STR3104 C", "STR3205 C.z"])
  }

  @Test("What went and came back under its name is another property")
  func reused() throws {
    let versions = [
      "A: { properties: { x: int, y: int? } }", "A: { properties: { x: int } }",
      "A: { properties: { x: int, y: int? } }",
    ]
    let drop = MigrationStep(to: 1, drop: [SchemaPath("A", "y")])
    #expect(try changes(versions, steps: [1: drop]) == ["STR3203 A.y", "STR3201 A.y"].sorted())
    #expect(
      try changes(versions).contains("STR3203 A.y open")
        || changes(versions).contains("STR3204 A.y open"))
  }

  @Test("What was no question when a version was sealed is none now")
  func sealed() throws {
    let versions = [
      "C: { properties: { order: Order? } }\nOrder: { properties: { n: int } }\nNew: { properties: { n: int } }",
      "C: { properties: { order: Order? } }\nOld: { properties: { n: int } }\nOrder: { properties: { n: int } }",
    ]
    let step = MigrationStep(to: 1, renames: Renames(models: ["Order": "Old", "New": "Order"]))
    #expect(try changes(versions, steps: [1: step]).contains("STR3702 C.order open"))
    #expect(try changes(versions, steps: [1: step], sealed: [1]).contains("STR3702 C.order"))
  }
}
