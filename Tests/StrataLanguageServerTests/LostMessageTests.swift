import Foundation
import StrataLanguageServer
import StrataSchema
import StrataSource
import Testing

/// Messages that are read only in part, or not at all: the server never edits a text that the editor does not have.
@Suite struct LostMessageTests {
  private static let path = "schemas/A.yaml"
  private static let text = "schema:   A\nversion: 0\nmodels: { P: { properties: { x: int } } }\n"

  private func editor() throws -> TestEditor {
    let editor = try TestEditor([Self.path: Self.text])
    try editor.openDocument(Self.path)
    return editor
  }

  private func items(_ body: String, header: String? = nil) -> [MessageDecoder.Item] {
    var decoder = MessageDecoder()
    decoder.append("\(header ?? "Content-Length: \(body.utf8.count)")\r\n\r\n\(body)".utf8)
    var items: [MessageDecoder.Item] = []
    while let item = decoder.next() { items.append(item) }
    return items
  }

  /// What an editor sends where `text` is put into the first line, behind it or in the place of some units.
  private func insertion(
    of text: String, at units: Range<Int> = 11..<11, _ editor: TestEditor
  ) -> String {
    """
    {"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {
    "textDocument": {"uri": "\(editor.uri(Self.path))", "version": 2}, "contentChanges": [{"text": "\(text)",
    "range": {"start": {"line": 0, "character": \(units.lowerBound)},
    "end": {"line": 0, "character": \(units.upperBound)}}}]}}
    """
  }

  /// What the user reads where a text has fallen behind by a change of its own.
  private func refusal(_ editor: TestEditor) -> String {
    """
    A message of the editor could not be read, so that its text of '\(editor.root.path)/\(Self.path)' is not known: close that file \
    and open it again.
    """
  }

  private func format(_ editor: TestEditor) -> JSON {
    editor.request(
      "textDocument/formatting", ["textDocument": ["uri": .string(editor.uri(Self.path))]])
  }

  private func formatted(_ editor: TestEditor) -> String? {
    format(editor).array?.first?["newText"]?.string
  }

  /// Texts of JavaScript may hold half a surrogate pair. It takes as much room in positions as what it becomes.
  @Test(arguments: [#"\ud83d"#, #"\ude00"#, #"\ud83d\ud83d"#, #"\ud83dx"#, #"\ud83d\u0041"#])
  func halfAPairIsReplaced(_ escaped: String) throws {
    let editor = try editor()
    for item in items(insertion(of: " # " + escaped, editor)) { editor.server.handle(item) }
    try editor.change(
      Self.path, from: TextPosition(line: 0, character: 14),
      to: TextPosition(line: 0, character: 15), "y", version: 3)
    let kept =
      [#"\ud83d\ud83d"#: "y\u{FFFD}", #"\ud83dx"#: "yx", #"\ud83d\u0041"#: "yA"][escaped] ?? "y"
    #expect(formatted(editor)?.split(separator: "\n").first == "schema: A  # \(kept)")
  }

  @Test func wholePairsStay() throws {
    let editor = try editor()
    for item in items(insertion(of: #" # \ud83d\ude00"#, editor)) { editor.server.handle(item) }
    #expect(formatted(editor)?.hasPrefix("schema: A  # 😀\n") == true)
  }

  /// An editor that compares units replaces, of 😀 by 😁, the second half only, or the first one of 😀 by 𐈀.
  @Test(arguments: [(15..<16, #"\ude01"#), (14..<15, #"\ud800"#), (15..<15, "x"), (15..<16, "")])
  func aChangeBetweenHalvesIsRefused(_ units: Range<Int>, _ escaped: String) throws {
    let editor = try editor()
    for item in items(insertion(of: " # 😀", editor)) { editor.server.handle(item) }
    #expect(formatted(editor)?.hasPrefix("schema: A  # 😀\n") == true)
    for item in items(insertion(of: escaped, at: units, editor)) { editor.server.handle(item) }
    #expect(format(editor)["message"]?.string == refusal(editor))
    #expect(editor.messages.count == 1)
    #expect(
      editor.messages.first?.contains(
        "a change of '\(editor.root.path)/\(Self.path)' tears or joins the halves of a character")
        == true)
    try editor.type(Self.text, in: Self.path)
    #expect(formatted(editor)?.hasPrefix("schema: A\n") == true)
  }

  /// What comes as two halves is one character in the editor, however they have come together.
  @Test(arguments: [
    [(#" # \ud83d"#, 11..<11), (#"\ude00"#, 15..<15)],
    [(#" # \ude00"#, 11..<11), (#"\ud83d"#, 14..<14)],
    [(#" # \ud83dx\ude00"#, 11..<11), ("", 15..<16)],
  ])
  func halvesThatMeetAreNotFormatted(_ changes: [(String, Range<Int>)]) throws {
    let editor = try editor()
    for (text, units) in changes {
      for item in items(insertion(of: text, at: units, editor)) { editor.server.handle(item) }
    }
    #expect(format(editor)["message"]?.string == refusal(editor))
    #expect(editor.messages.count == 1)
  }

  /// The first message that is lost is news, and so is one behind a whole text.
  @Test func theUserIsToldOnceThatTheTextIsBehind() throws {
    let editor = try editor()
    func lose() {
      for item in items(#"{"params": }"#) { editor.server.handle(item) }
      _ = format(editor)
    }
    for _ in 1...3 { lose() }
    #expect(editor.messages.count == 1)
    try editor.type(Self.text, in: Self.path)
    for _ in 1...3 { lose() }
    #expect(editor.messages.count == 2)
  }

  @Test func nothingIsEditedWhereAMessageWasLost() throws {
    let editor = try editor()
    for item in items(#"{"jsonrpc": "2.0", "method": "textDocument/didChange", "params": }"#) {
      editor.server.handle(item)
    }
    let start = TextPosition(line: 0, character: 0)
    try editor.change(Self.path, from: start, to: start, "# y\n", version: 3)
    let sentence =
      "A message of the editor could not be read, so that its text of '\(editor.root.path)/\(Self.path)' is not known: close that file and open it again."
    #expect(format(editor)["message"]?.string == sentence)
    #expect(
      editor.messages.map { $0.hasPrefix("A message of the editor could not be read: ") } == [true])
    let place = try editor.at("x: int", in: Self.path, offset: 0).object ?? [:]
    #expect(
      editor.request("textDocument/prepareRename", .object(place))["message"]?.string == sentence)
    #expect(
      editor.request(
        "textDocument/rename", .object(place.merging(["newName": "y"]) { old, _ in old }))[
          "message"]?.string == sentence)
    let range: JSON = ["start": place["position"] ?? .null, "end": place["position"] ?? .null]
    #expect(
      editor.request(
        "textDocument/codeAction",
        .object(place.merging(["range": range, "context": [:]]) { old, _ in old }))[
          "message"]?.string == sentence)
    // A whole text is known again.
    try editor.type(Self.text, in: Self.path)
    #expect(formatted(editor)?.hasPrefix("schema: A\n") == true)
  }

  @Test(arguments: ["Content-Length:2", "Content-Length: 2 ", "content-length:\t 2\t"])
  func blanksAroundALengthAreNoPartOfIt(_ header: String) {
    guard case .message(let message) = items("{}", header: header).first else {
      Issue.record("no message")
      return
    }
    #expect(message == [:])
  }
}
