import StrataLanguageServer
import StrataSchema
import Testing

/// What names that are used at many places of one file cost, counted: four times as many uses about four times as much. Where each
/// use were compared with each other one, it would be 16.
@Suite struct RenameCostTests {
  enum Uses: String, CaseIterable, Sendable {
    case links
    case rules
    case defaults
    case cases

    /// A schema with uses of a name, and the part of it that begins with the name.
    func schema(_ count: Int) -> (text: String, part: String) {
      func lines(_ line: (Int) -> String) -> String { (0..<count).map(line).joined() }
      let head = "schema: Many\nversion: 0\n"
      switch self {
      case .links:
        return (
          head + "models:\n  Target: { properties: { a: int } }\n"
            + lines { "  M\($0): { properties: { t: Target? } }\n" }, "Target:"
        )
      case .rules:
        return (
          head + "models:\n  M:\n    properties: { a: int }\n    rules:\n"
            + lines { "      r\($0): { that: a > \($0) }\n" }, "a: int"
        )
      case .defaults:
        return (
          head + "enums: { E: { cases: [one, two] } }\nmodels:\n"
            + lines { "  M\($0): { properties: { t: { type: E, default: one } } }\n" }, "one,"
        )
      case .cases:
        return (
          head + "models:\n"
            + lines { "  M\($0): { properties: { t: { type: E, default: c0 } } }\n" }
            + "enums:\n  E:\n    cases:\n" + lines { "    - c\($0)\n" }, "c0\n    - c1"
        )
      }
    }
  }

  /// How many edits were compared with places by a rename.
  private func cost(_ uses: Uses, _ count: Int) throws -> Int {
    let (text, part) = uses.schema(count)
    let path = "schemas/Many.yaml"
    let editor = try TestEditor([path: text])
    var parameters = try editor.at(part, in: path).object ?? [:]
    parameters["newName"] = "renamed"
    let answer = editor.request("textDocument/rename", .object(parameters))
    let edits = answer["documentChanges"]?.array?.first?["edits"]?.array ?? []
    #expect(edits.count > count, "\(answer["message"]?.string ?? "")")
    return editor.server.comparedEditCount
  }

  @Test(arguments: Uses.allCases) func aRenameGrowsWithTheUses(_ uses: Uses) throws {
    let (small, large) = (try cost(uses, 100), try cost(uses, 400))
    #expect(large < small * 6, "\(small) and \(large) comparisons")
  }
}
