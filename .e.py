import json
p='CHANGELOG.md'
p='docs/json/verify.schema.json'; s=open(p).read()
s=s.replace('''          "message",
          "file",''','''          "message",
          "explanation",
          "file",''')
a='''          "message": {
            "type": "string"
          },
          "file"'''
assert a in s
s=s.replace(a,'''          "message": {
            "type": "string"
          },
          "explanation": {
            "type": "string",
            "description": "What the two ways have, with the smallest data that shows it, or why the upgrade stops, as the rule that an object breaks: what the text says, in lines."
          },
          "file"''')
json.loads(s); open(p,'w').write(s)
p='Sources/StrataCLI/Commands/VerifyCommand.swift'; s=open(p).read()
s=s.replace('''            "message": .string(finding.message),
''','''            "message": .string(finding.message), "explanation": .string(failure.plainExplanation),
''')
s=s.rstrip('\n')+'''

extension MigrationProofReport.Failure {
  /// Without the indentation that it has in the report.
  fileprivate var plainExplanation: String {
    explanation.split(separator: "\\n").map { $0.hasPrefix("  ") ? $0.dropFirst(2) : $0 }
      .joined(separator: "\\n")
  }
}
'''
open(p,'w').write(s)
p='Tests/StrataCheckTests/OutputTests.swift'; s=open(p).read()
s=s.replace('''path: "0 → 1", step: 1, explanation: "")
      ])''','''path: "0 → 1", step: 1,
          explanation: "  the upgrade is refused: no\\n    Person\\n")
      ])''')
s=s.replace('''    #expect(try schema("verify").problems(json) == [])
''','''    #expect(try schema("verify").problems(json) == [])
    #expect(
      json["failures"]?.array?.first?["explanation"]?.string
        == "the upgrade is refused: no\\n  Person")
''')
open(p,'w').write(s)
p='Tests/StrataCLITests/DataRuleCommandTests.swift'; s=open(p).read()
s=s.replace('''    // The step says what becomes of them.
''','''    // So is a sample of a proof, which says which rule.
    let proof = try run.strata("verify", "--samples", "files", "--json")
    #expect(proof.status == 1, "\\(proof.errors)")
    let failure = (proof.json["failures"] as? [[String: Any]])?.first
    #expect(failure?["code"] as? String == "STR5210")
    #expect(
      (failure?["explanation"] as? String)?.contains("A member is at least 18.") == true,
      "\\(failure ?? [:])")

    // The step says what becomes of them.
''')
open(p,'w').write(s)
