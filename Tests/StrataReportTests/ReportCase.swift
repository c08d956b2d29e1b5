import StrataEvolution
import StrataExpression
import StrataFrontend
import StrataHistory
import StrataSchema
import StrataSource
import Testing

@testable import StrataReport

/// A history of two versions or more, from their declarations and steps.
enum ReportCase {
  /// Links of each kind: to one and to many, with an inverse, embedded.
  static let club = """
    schema: Club
    version: 0
    models:
      Person:
        primaryKey: id
        properties:
          id: int
          dogs: "[Dog]"
          boss: { type: Person?, doc: 'who says "go"; <b>' }
          home: Address
      Dog: { properties: { owner: { linkingObjects: Person.dogs } } }
      Address: { embedded: true, properties: { street: string } }
    """

  static func schema(_ yaml: String) throws -> Schema {
    var diagnostics = Diagnostics()
    let compilation = SchemaCompiler.compile(
      [SourceFile(path: "schemas/a.yaml", text: yaml)], reporting: &diagnostics)
    return try #require(compilation, "\(diagnostics.sorted)").schema
  }

  /// - Parameters:
  ///   - versions: the declarations of each version, without its head.
  ///   - steps: by the version that they reach, without `to:`.
  static func input(
    _ versions: [String], steps: [Int: String] = [:], blocks: [Int: String] = [:],
    samples: [Sample]? = nil
  ) throws -> CheckInput {
    var checked: [CheckedVersion] = []
    for (number, yaml) in versions.enumerated() {
      let schema = try schema("schema: Club\nversion: \(number)\n\(yaml)")
      var diagnostics = Diagnostics()
      let file = SourceFile(
        path: "migrations/\(number).yaml", text: "to: \(number)\n\(steps[number] ?? "")")
      let step = steps[number] == nil ? nil : StepReader.read(file, reporting: &diagnostics)
      #expect(diagnostics.isEmpty, "\(diagnostics.sorted)")
      checked.append(
        CheckedVersion(
          schema: schema, places: SchemaPlaces(),
          step: step.map { CheckedStep($0.step, StepPlaces(file: file)) },
          blocks: blocks[number].map {
            [SourceFile(path: "migrations/\(number)-Block.swift", text: $0)]
          } ?? [],
          line: number == versions.count - 1 ? nil : line(of: schema)))
    }
    var input = CheckInput(frozen: Array(checked.dropLast()), working: checked.last)
    input.samples = samples
    return input
  }

  private static func line(of schema: Schema) -> VersionLock.Line {
    VersionLock.Line(
      version: schema.version, date: "2026-01-01", shape: schema.shape, step: nil,
      chain: Digest(of: "\(schema.version)"))
  }

  static func pages(_ input: CheckInput) -> [String: String] {
    var pages: [String: String] = [:]
    Report(input, findings: Diagnostics()).forEachFile { pages[$0.name] = $0.text }
    return pages
  }
}
