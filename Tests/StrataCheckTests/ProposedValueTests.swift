import StrataCLI
import StrataEvolution
import StrataFrontend
import StrataHistory
import StrataProject
import StrataSchema
import StrataSource
import Testing

/// What the helps and the draft of a step propose for a property whose shape changes is what the same check takes: over every pair of
/// shapes, each a property of one model.
@Suite("Proposed values")
struct ProposedValueTests {
  static let shapes = [
    "int", "int?", "string", "string?", "date", "any", "E", "E?", "[int]", "[string?]", "[E]",
    "[any]", "set<int>", "set<string>", "map<int>", "map<string?>", "Q", "Q?", "[Q]", "set<Q>",
    "map<Q>", "M?", "[M]",
  ]
  /// What a person would write for a shape's values.
  static let literals = [
    "int": "3", "string": "'a'", "date": "date('2021-01-01')", "any": "5", "E": "'a'",
  ]

  /// A model for each old shape, with a property for each new one.
  static func declaration(version: Int) -> SourceFile {
    var text = """
      schema: People
      version: \(version)
      enums:
        E: { cases: [a, b] }
      models:
        Q: { properties: { n: int } }
        M: { embedded: true, properties: { s: string } }

      """
    for (model, old) in shapes.enumerated() {
      text += "  P\(model):\n    properties:\n"
      for (property, new) in shapes.enumerated() {
        let shape = version == 0 ? old : new
        let rule = shape == "Q" ? ", deleteRule: deny" : ""
        text += "      p\(property): { type: \"\(shape)\"\(rule) }\n"
      }
    }
    return SourceFile(path: "People.yaml", text: text)
  }

  static func schema(version: Int) throws -> Schema {
    var diagnostics = Diagnostics()
    let compiled = SchemaCompiler.compile(
      [declaration(version: version)], reporting: &diagnostics)
    return try #require(compiled, "\(diagnostics.sorted.map(\.message).prefix(3))").schema
  }

  /// The errors after all the changes, with a step.
  static func check(step: String) throws -> [Diagnostic] {
    let older = try schema(version: 0)
    let line = VersionLock.Line(
      version: 0, date: "2026-11-21", shape: older.shape, rules: older.rulesDigest,
      cases: older.casesDigest, step: nil, after: nil)
    let files = ProjectFiles(
      schemas: [declaration(version: 1)],
      versions: [SourceFile(path: "versions/0.yaml", text: older.canonicalYAML)],
      lock: SourceFile(path: "schema.lock", text: VersionLock(lines: [line]).text),
      steps: [SourceFile(path: "migrations/1.yaml", text: "to: 1\n" + step)])
    return ProjectCheck.run(files).sorted.filter { $0.severity == .error }
  }

  /// What a step says of properties, and of objects that have no value for them.
  struct Proposals {
    var values: [SchemaPath: String] = [:]
    var deletions: [String: [String]] = [:]

    var step: String {
      let models = Dictionary(grouping: values, by: \.key.model)
      var text = "set:\n"
      for (model, values) in models.sorted(by: { $0.key < $1.key }) {
        text += "  \(model):\n"
        for (path, value) in values.sorted(by: { $0.key < $1.key }) {
          text += "    \(path.property ?? ""): \"\(value)\"\n"
        }
      }
      text += deletions.isEmpty ? "" : "delete:\n"
      for (model, conditions) in deletions.sorted(by: { $0.key < $1.key }) {
        text += "  \(model): \"\(conditions.joined(separator: " OR "))\"\n"
      }
      return text
    }

    /// What the check says against it.
    func complaints() throws -> [String] {
      let lines = step.split(separator: "\n")
      return try check(step: step).compactMap { finding in
        if let span = finding.span, span.path == "migrations/1.yaml" {
          // The first line is `to: 1`.
          return "\(lines[span.start.line - 2]): \(finding.message)"
        }
        return path(finding).flatMap { values[$0] }.map { "\($0) leaves \(finding.message)" }
      }
    }
  }

  /// The property that a finding is about.
  static func path(_ finding: Diagnostic) -> SchemaPath? {
    finding.message.firstMatch(of: /'(P\d+)\.(p\d+)'/).map {
      SchemaPath(String($0.1), String($0.2))
    }
  }

  /// With something for each `…`; nil where the language has nothing of its own, as for required links.
  static func filled(_ value: Substring, for path: SchemaPath) throws -> String? {
    let text = String(value.replacing("\"", with: ""))
    guard text.contains("…") else { return text }
    let shape = shapes[try #require(path.property.flatMap { Int($0.dropFirst()) })]
    let element = shape.replacing(/^\[|^set<|^map<|[\]>]$/, with: "").replacing("?", with: "")
    let isCollection = shape.contains(/[\[<]/)
    if text == "…", isCollection { return literals[element].map { "{\($0)}" } ?? "{}" }
    if literals[element] == nil, !shape.hasSuffix("?") { return nil }
    return text.replacing("…", with: literals[element] ?? "nil")
  }

  @Test("What the help of each finding says is accepted, or it is a Swift block")
  func helps() throws {
    var proposals = Proposals()
    for finding in try Self.check(step: "") {
      let path = try #require(Self.path(finding), "\(finding.message)")
      let help = finding.help ?? ""
      let value = help.firstMatch(of: /set: \{ P\d+: \{ p\d+: (.*?) \} \}/)
      let condition = help.firstMatch(of: /delete: \{ P\d+: (.*?) \}/)
      if let value { proposals.values[path] = try Self.filled(value.1, for: path) }
      if let condition {
        let text = String(condition.1.replacing("\"", with: ""))
        proposals.deletions[path.model, default: []].append(text)
      }
      if value == nil, condition == nil {
        #expect(help.contains("'swift: [\(path.model)]'"), "\(finding.message): \(help)")
      }
    }
    #expect(proposals.values.count > 300)
    let complaints = try proposals.complaints()
    #expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))")
  }

  @Test("What the draft of a step proposes is accepted")
  func drafts() throws {
    let history = History(
      name: "People",
      versions: [
        FrozenVersion(
          schema: try Self.schema(version: 0), step: nil, date: "2026-11-21", stepDigest: nil,
          chain: nil)
      ])
    let freeze = Freeze(history: history, lock: VersionLock(), steps: [:], blocks: [:])
    let plan = try freeze.plan(freezing: try Self.schema(version: 1), date: "2026-11-22")
    let draft = try #require(plan.files.first { $0.place == .migration("1.yaml") }?.text)
    var proposals = Proposals()
    var model = ""
    for line in draft.split(separator: "\n") {
      if let found = line.wholeMatch(of: /\ {2}(P\d+):/) { model = String(found.1) }
      if let found = line.wholeMatch(of: /\ {4}(p\d+): "\?\?\? (.*)"/) {
        proposals.values[SchemaPath(model, String(found.1))] = String(found.2)
      }
      if let found = line.wholeMatch(of: /\ {2}(P\d+): "\?\?\? (.*)"/) {
        proposals.deletions[String(found.1)] = [String(found.2)]
      }
    }
    #expect(proposals.values.count > 70)
    let complaints = try proposals.complaints()
    #expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))")
  }
}
