import Strata
import StrataCLI
import StrataEvolution
import StrataProject
import StrataSource
import StrataTesting
import Testing

// `strata verify` in a case. Its Swift blocks are in the case as text and here as what they compile to; a test holds the two together.

extension RuleCase {
  /// What a proof of the case's steps finds.
  func proofFindings(in project: ProjectFiles) throws -> Diagnostics {
    let steps = try #require(CaseBlocks.steps[name], "the blocks of \(name) are not compiled")
    let target = UpgradeTarget(history: try history(of: project), steps: steps)
    let report = try MigrationProof(target: target, seed: 42).run()
    return ProofFindings(files: project).diagnostics(of: report)
  }
}

enum CaseBlocks {
  typealias V0 = PeopleVersion0
  typealias V1 = PeopleVersion1

  static let steps: [String: [Step]] = ["STR4015": [toVersion1]]

  /// Numbers people as they come, and in which order they come is promised nowhere.
  static let toVersion1 = Step(to: 1) { step in
    var count = 0
    try step.each(V0.Person.self, V1.Person.self) { old, new in
      count += 1
      new.number = count
    }
  }
}

// As code generation writes them.

enum PeopleVersion0 {
  struct Person: FrozenObject {
    static let modelName = "Person"
    static let version = 0
    let _row: FrozenRow
    init(_row row: FrozenRow) { _row = row }
  }
}

enum PeopleVersion1 {
  struct Person: FrozenObject {
    static let modelName = "Person"
    static let version = 1
    let _row: FrozenRow
    init(_row row: FrozenRow) { _row = row }
    var number: Int {
      get { _row.value(1) }
      nonmutating set { _row.setValue(1, newValue) }
    }
  }
}

@Suite("Blocks of cases")
struct CaseBlocksTests {
  @Test("What is compiled is what the case says", arguments: CaseBlocks.steps.keys.sorted())
  func sameText(name: String) throws {
    let here = try SourceFolder.read(file: #filePath)
    let tokens = SwiftLexer.tokens(of: here.bytes).map(\.text)
    for block in try RuleCase(name: name).after().swift {
      let body = SwiftLexer.tokens(of: block.bytes).map(\.text)
      // From the name of the step to the brace that closes the extension.
      let start = try #require(body.firstIndex { $0.hasPrefix("toVersion") })
      let text = body[start...].dropLast()
      #expect(tokens.indices.contains { tokens[$0...].starts(with: text) }, "\(block.name)")
    }
  }

  @Test("A failed proof has its rule, its place and its help in all formats")
  func formats() throws {
    let rule = RuleCase(name: "STR4015")
    let found = try rule.proofFindings(in: try rule.after())
    #expect(found.sorted.map(\.code) == ["STR4015"])
    for format in DiagnosticFormat.allCases {
      let text = format.render(found, kinds: Explanations.kinds, toolVersion: "1")
      #expect(text.contains("STR4015"), "\(format)")
      #expect(text.contains("1-Number.swift"), "\(format)")
    }
  }
}
