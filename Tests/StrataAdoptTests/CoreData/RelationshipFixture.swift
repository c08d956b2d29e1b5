import StrataAdopt
import StrataHistory

@testable import StrataCLI

/// Versions of a Core Data model that differ in their relationships.
enum RelationshipFixture {
  /// The entities of a version. `A.bs* B.as` is the relationship `bs` of A, to many B, whose inverse is `as`; `+` is ordered, `-` stands
  /// for no inverse, `>A` for none of one to A, and `A.items=bs*` has the renaming identifier `bs`. `C: B` is a sub-entity, `P!` is abstract.
  static func entities(_ lines: [String]) -> String {
    var attributes: [String: String] = ["A": "", "B": ""]
    var relationships: [String: String] = [:]
    for line in lines {
      let words = line.split(separator: " ").map(String.init)
      let here = words[0].split(separator: ".")
      guard here.count == 2 else {
        let name = String(words[0].filter(\.isLetter))
        attributes[name, default: ""] += words[0].contains("!") ? #" isAbstract="YES""# : ""
        attributes[name, default: ""] += words.count > 1 ? " parentEntity=\"\(words[1])\"" : ""
        continue
      }
      let there = words[1].split(separator: ".")
      let names = here[1].filter { $0 != "*" && $0 != "+" }.split(separator: "=")
      let target =
        words[1].hasPrefix(">")
        ? String(words[1].dropFirst())
        : there.count > 1 ? String(there[0]) : here[0] == "A" ? "B" : "A"
      if attributes[String(here[0])] == nil { attributes[String(here[0])] = "" }
      relationships[String(here[0]), default: ""] +=
        "<relationship name=\"\(names[0])\" optional=\"YES\" deletionRule=\"Nullify\" destinationEntity=\"\(target)\""
        + (here[1].allSatisfy { $0 != "*" && $0 != "+" } ? " maxCount=\"1\"" : " toMany=\"YES\"")
        + (here[1].hasSuffix("+") ? " ordered=\"YES\"" : "")
        + (names.count < 2 ? "" : " elementID=\"\(names[1])\"")
        + (there.count < 2 ? "/>" : " inverseName=\"\(there[1])\" inverseEntity=\"\(there[0])\"/>")
    }
    return attributes.sorted { $0.key < $1.key }.map { name, attributes in
      "<entity name=\"\(name)\"\(attributes)>\(relationships[name] ?? "")</entity>"
    }.joined()
  }

  static func project(_ older: [String], _ newer: [String]) throws -> AdoptedProject {
    try AdoptedProject(history(older, newer), date: "2026-11-30")
  }

  static func history(_ older: [String], _ newer: [String]) throws -> AdoptedHistory {
    try AdoptFixture.coreData([
      "Shop": entities(older), "Shop 2": entities(newer),
    ]).coreData()
  }

  /// The history as a second run has it, whose source is without the older version.
  static func inTwoRuns(_ older: [String], _ newer: [String]) throws -> AdoptedProject {
    var history = try history(older, newer)
    history.versions[0] = AdoptedVersion(
      name: "as it was", schema: history.versions[0].schema, notes: [])
    return try AdoptedProject(history, date: "2026-11-30")
  }
}

extension AdoptedProject {
  /// The step to version 2, without comments.
  var stepLines: String {
    let text = files.first { $0.path == "migrations/2.yaml" }?.text ?? ""
    return text.split(separator: "\n").filter {
      !$0.drop { $0 == " " }.hasPrefix("#") && !$0.hasPrefix("to:")
    }.joined(separator: "\n")
  }

  /// The paths under what ADOPTED.md calls given up.
  var givenUpPaths: [String] {
    report().split(separator: "\n").drop { $0 != "## Given up" }.dropFirst().prefix {
      !$0.hasPrefix("##")
    }.compactMap { line in
      let cells = line.split(separator: "|").map { $0.filter { $0 != " " } }
      return cells.count > 1 && Int(cells[0]) != nil ? String(cells[1]) : nil
    }
  }
}
