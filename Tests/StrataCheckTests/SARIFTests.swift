import StrataCLI
import StrataSchema
import StrataSource
import StrataTestSupport
import Testing

/// The part of the schema of SARIF 2.1.0 (OASIS, sarif-schema-2.1.0.json) that is made use of: what has to be there, of which type, and
/// that nothing else is.
@Suite("SARIF")
struct SARIFTests {
  @Test("What a check finds is a SARIF log", arguments: try RuleCase.all)
  func log(rule: RuleCase) throws {
    let text = DiagnosticFormat.sarif.render(
      try rule.findings(), kinds: Explanations.kinds, toolVersion: "1")
    let log = try JSON.parse(text)
    #expect(JSONSchema(schema: Self.schema).problems(log) == [])

    let run = try #require(log["runs"]?.array?.first)
    let rules = run["tool"]?["driver"]?["rules"]?.array ?? []
    #expect(Set(rules.compactMap { $0["id"]?.string }).count == rules.count)
    for result in run["results"]?.array ?? [] {
      // The index leads to the rule, and the region is one.
      let index = try #require(result["ruleIndex"]?.int)
      #expect(rules[Int(index)]["id"] == result["ruleId"])
      let region = result["locations"]?.array?.first?["physicalLocation"]?["region"]
      let (start, end) = (region?["startLine"]?.int ?? 0, region?["endLine"]?.int ?? 0)
      #expect(start >= 1 && start <= end)
    }
  }

  private static func object(_ required: [String], _ members: [String: JSON]) -> JSON {
    [
      "type": "object", "required": .array(required.map(JSON.string)),
      "additionalProperties": false,
      "properties": .object(members),
    ]
  }

  private static func list(_ items: JSON) -> JSON { ["type": "array", "items": items] }

  private static func number(from minimum: Int64) -> JSON {
    ["type": "integer", "minimum": .int(minimum)]
  }

  private static let text: JSON = ["type": "string"]
  private static let message = object(["text"], ["text": text])
  private static let artifact = object([], ["uri": text])
  private static let region = object(
    [],
    [
      "startLine": number(from: 1), "startColumn": number(from: 1), "endLine": number(from: 1),
      "endColumn": number(from: 1), "byteOffset": number(from: 0), "byteLength": number(from: 0),
    ])
  private static let place = object(
    ["artifactLocation"], ["artifactLocation": artifact, "region": region])
  private static let level: JSON = ["enum": ["none", "note", "warning", "error"]]

  private static let rule = object(
    ["id"],
    [
      "id": text, "name": text, "shortDescription": message, "help": message,
      "defaultConfiguration": object([], ["level": level]),
    ])

  private static let fix = object(
    ["artifactChanges"],
    [
      "description": message,
      "artifactChanges": list(
        object(
          ["artifactLocation", "replacements"],
          [
            "artifactLocation": artifact,
            "replacements": list(
              object(
                ["deletedRegion"], ["deletedRegion": region, "insertedContent": message])),
          ])),
    ])

  private static let result = object(
    ["message", "ruleId", "level"],
    [
      "ruleId": text, "ruleIndex": number(from: 0), "level": level, "message": message,
      "locations": list(object([], ["physicalLocation": place])),
      "relatedLocations": list(
        object([], ["id": number(from: 0), "physicalLocation": place, "message": message])),
      "fixes": list(fix),
    ])

  private static let schema = object(
    ["version", "runs"],
    [
      "$schema": text, "version": ["const": "2.1.0"],
      "runs": list(
        object(
          ["tool", "results"],
          [
            "tool": object(
              ["driver"],
              ["driver": object(["name"], ["name": text, "version": text, "rules": list(rule)])]),
            "columnKind": ["enum": ["utf16CodeUnits", "unicodeCodePoints"]],
            "results": list(result),
          ])),
    ])
}
