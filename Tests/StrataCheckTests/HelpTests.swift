import StrataCLI
import StrataEvolution
import StrataExpression
import StrataFrontend
import StrataProject
import StrataSchema
import StrataSource
import Testing

/// A help that proposes a text for the step proposes one that is accepted.
///
/// For each finding of each case, each `'key: …'` of its help is written into the step, with something of the right type for
/// each `…`; the finding has to go, and nothing in the step may be wrong.
@Suite("Helps")
struct HelpTests {
  struct Proposal: CustomTestStringConvertible {
    let rule: RuleCase
    let finding: Diagnostic
    /// A key of the step with its value.
    let text: String
    var testDescription: String { "\(rule.name): \(text)" }
  }

  static let proposals: [Proposal] = {
    let cases = (try? RuleCase.all) ?? []
    return cases.filter { !$0.has("verify") && !$0.has("samples") }.flatMap { rule -> [Proposal] in
      let findings = (try? rule.findings())?.sorted ?? []
      return findings.filter { $0.severity == .error }.flatMap { finding -> [Proposal] in
        let help = finding.help ?? ""
        let texts = help.matches(
          of: #/'((?:set|drop|delete|deduplicate|rename|swift): (?:\{.*?\}|\[.*?\]))'(?=[,;:. ]|$)/#
        )
        return texts.map { Proposal(rule: rule, finding: finding, text: String($0.1)) }
      }
    }
  }()

  @Test("There are proposals")
  func count() { #expect(Self.proposals.count >= 15) }

  @Test("What a help proposes is accepted", arguments: proposals)
  func accepted(_ proposal: Proposal) throws {
    var files = try proposal.rule.after()
    let working = try #require(
      files.schemas.isEmpty ? nil : Self.compile(files.schemas), "\(proposal.rule.name)")
    let number = working.version
    let isWritten = files.steps.contains { StepReader.number(of: $0) == number }
    let isSealed = files.versions.contains { StepReader.number(of: $0) == number }
    // A step that says something already is not put together with more here, and one that is sealed stays as it is.
    if isWritten || isSealed { return }
    let text = Self.fill(proposal.text, for: proposal.finding, in: working)
    files.steps.append(
      SourceFile(path: "migrations/\(number).yaml", text: "to: \(number)\n\(text)\n"))
    if text.hasPrefix("swift: ") {
      files.swift.append(
        SourceFile(
          path: "migrations/\(number)-Help.swift",
          text: """
            extension PeopleMigrations {
              static let toVersion\(number) = Step(to: \(number)) { step in fill(step) }
            }

            """))
    }

    let found = ProjectCheck.run(files).sorted

    let same = found.filter {
      $0.code == proposal.finding.code && $0.message == proposal.finding.message
    }
    #expect(same.isEmpty, "\(text) leaves \(same.map(\.message))")
    let wrong = found.filter {
      $0.severity == .error && $0.span?.path == "migrations/\(number).yaml"
    }
    #expect(wrong.isEmpty, "\(text): \(wrong.map(\.message))")
  }

  private static func compile(_ files: [SourceFile]) -> Schema? {
    var diagnostics = Diagnostics()
    return SchemaCompiler.compile(files, reporting: &diagnostics)?.schema
  }

  /// Something for each `…`: of the type of the property that is set, or the properties that have to be told apart.
  private static func fill(_ text: String, for finding: Diagnostic, in schema: Schema) -> String {
    guard text.contains("…") else { return text }
    if text.hasPrefix("deduplicate: ") {
      let name = text.matches(of: #/\{ (\w+): \{/#).first.map { String($0.1) } ?? ""
      let model = schema.model(named: name)
      let key =
        finding.message.matches(of: #/'\w+\.(\w+)'/#).first.map { [String($0.1)] }
        ?? model?.primaryKey ?? []
      let names = key.isEmpty ? (model?.primaryKey ?? []) : key
      return text.replacing("…", with: names.joined(separator: ", "))
    }
    let path = text.matches(of: #/\{ "?(\w+)"?: \{ "?(\w+)"?: /#).first
    let property = path.flatMap {
      schema.model(named: String($0.1))?.property(named: String($0.2))
    }
    // What follows the old value of a collection takes the place of each of its elements that is nil.
    let isElement = text.contains("?? …")
    let literal = literal(of: property, isElement: isElement, in: schema)
    return text.replacing("…", with: "\"" + literal + "\"")
      .replacing(#/: (old\..*?) \?\? "(.*?)"/#) { ": \"\($0.1) ?? \($0.2)\"" }
  }

  private static func literal(
    of property: Property?, isElement: Bool, in schema: Schema
  ) -> String {
    guard let type = property?.type.valueType else { return "nil" }
    if property?.type.isCollection == true, !isElement { return "{}" }
    switch type.base {
    case .object: return "nil"
    case .enumeration(let name):
      let value = schema.enumeration(named: name)?.cases.first?.rawValue ?? .null
      return Expression(.literal(value)).text
    case .scalar(.string): return "''"
    case .scalar(.bool): return "true"
    case .scalar(.date): return "date(0)"
    case .scalar(.uuid): return "uuid('00000000-0000-0000-0000-000000000000')"
    case .scalar(.data): return "nil"
    default: return "0"
    }
  }
}
