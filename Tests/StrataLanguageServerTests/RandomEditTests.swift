import Foundation
import StrataLanguageServer
import StrataSchema
import Testing

/// Random edits and requests: the server answers each, and its findings are those of `check` over the same texts.
///
/// `STRATA_EDITS=10000` runs the long form.
@Suite struct RandomEditTests {
  static let count =
    ProcessInfo.processInfo.environment["STRATA_EDITS"].flatMap { Int($0) } ?? 300

  private struct Generator {
    var state: UInt64
    mutating func next(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return bound <= 1 ? 0 : Int((state >> 33) % UInt64(bound))
    }
  }

  static let pieces = [
    "\n", " ", "  ", ":", "?", "{", "}", "[", "]", ",", "\"", "#", "a", "é", "😀", "- ", "string",
    "Person", "int: ",
    "rename: ", "\r\n", "set:\n  Person: { name: old.name }\n", "Person.name: fullName",
    "type: Mood", "&a", "\t",
    "version: 3\n", "to: 2\n", "drop: [Person.email]\n", "x: { type: int, default: 5 }\n      ",
  ]

  static let requests = [
    "hover", "completion", "definition", "references", "documentSymbol", "codeAction", "formatting",
    "prepareRename", "rename",
  ]

  @Test(arguments: [UInt64(1), 2])
  func findingsStayThoseOfCheck(seed: UInt64) throws {
    let editor = try TestEditor(
      TestProject.files(step: "to: 2\nset: { Person: { name: old.name } }\n"))
    let paths = [
      "schemas/People.yaml", "schemas/Places.yaml", "migrations/2.yaml", "schemas/versions/1.yaml",
      "schemas/schema.lock",
    ]
    let originals = try Dictionary(uniqueKeysWithValues: paths.map { ($0, try editor.text($0)) })
    for path in paths { try editor.openDocument(path) }
    var random = Generator(state: seed)
    var version: Int64 = 1
    for number in 1...Self.count {
      let path = paths[random.next(8) < 6 ? random.next(3) : random.next(paths.count)]
      let lines = TextLines(Array(try editor.text(path).utf8))
      if random.next(3) == 0 {
        ask(Self.requests[random.next(Self.requests.count)], path, lines, &random, editor)
        continue
      }
      if random.next(12) == 0, let original = originals[path] {
        try editor.type(original, in: path)
      } else {
        let start = random.next(lines.bytes.count + 1)
        let end = min(lines.bytes.count, start + (random.next(2) == 0 ? 0 : random.next(8)))
        let text = random.next(4) == 0 ? "" : Self.pieces[random.next(Self.pieces.count)]
        version += 1
        try editor.change(
          path, from: lines.position(of: start), to: lines.position(of: end), text, version: version
        )
      }
      if number % 5 == 0 || Self.count <= 300 {
        let checked = try editor.checked()
        #expect(editor.findings.sorted() == checked, "seed \(seed), edit \(number)")
        guard editor.findings.sorted() == checked else { return }
      }
    }
  }

  private func ask(
    _ method: String, _ path: String, _ lines: TextLines, _ random: inout Generator,
    _ editor: TestEditor
  ) {
    let position = lines.position(of: random.next(lines.bytes.count + 1)).json
    let answer = editor.request(
      "textDocument/" + method,
      [
        "textDocument": ["uri": .string(editor.uri(path))], "position": position,
        "range": ["start": position, "end": position], "newName": "newName",
        "context": ["diagnostics": [], "includeDeclaration": true], "options": [:],
      ])
    // Refusals of a rename are answers, mistakes of the server are not.
    let code = answer["code"]?.int
    #expect(code == nil || code == -32803, "\(method): \(answer)")
  }
}
