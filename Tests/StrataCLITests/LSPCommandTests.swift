import Foundation
import StrataSchema
import Testing

/// `strata lsp` as a process: framing, order, cancelling, the end.
@Suite struct LSPCommandTests {
  private func frame(_ text: String) -> String {
    "Content-Length: \(text.utf8.count)\r\n\r\n\(text)"
  }

  /// What the command writes for an input, message by message.
  private func messages(_ input: [String]) throws -> (messages: [JSON], status: Int32) {
    let runner = try CommandRunner()
    try FileManager.default.createDirectory(
      atPath: runner.path("schemas"), withIntermediateDirectories: true)
    try Data("schema: A\nversion: 0\nmodels: { P: { properties: { x: strnig } } }\n".utf8).write(
      to: URL(fileURLWithPath: runner.path("schemas/A.yaml")))
    return try messages(input, in: runner)
  }

  private func messages(
    _ input: [String], in runner: CommandRunner
  ) throws -> (messages: [JSON], status: Int32) {
    let text = input.joined()
    try Data(text.utf8).write(to: URL(fileURLWithPath: runner.path("input")))
    let result = try runner.shell("strata lsp --stdio < input")
    var rest = Substring(result.output)
    var messages: [JSON] = []
    while let end = rest.range(of: "\r\n\r\n") {
      let length = Int(rest[..<end.lowerBound].split(separator: " ").last ?? "") ?? 0
      let body = rest[end.upperBound...].utf8.prefix(length)
      messages.append(try JSON.parse(String(body) ?? ""))
      rest = rest[body.endIndex...]
    }
    return (messages, result.status)
  }

  private func request(_ id: Int, _ method: String, _ parameters: String = "{}") -> String {
    frame(#"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":\#(parameters)}"#)
  }

  private func notification(_ method: String, _ parameters: String = "{}") -> String {
    frame(#"{"jsonrpc":"2.0","method":"\#(method)","params":\#(parameters)}"#)
  }

  @Test func aSessionFromBeginToEnd() throws {
    let runner = try messages([
      request(1, "initialize"), notification("initialized"),
      request(2, "workspace/symbol", #"{"query":""}"#), request(3, "no/such"),
      request(4, "shutdown"), notification("exit"),
    ])
    #expect(runner.status == 0)
    #expect(runner.messages.compactMap { $0["id"]?.int } == [1, 2, 3, 4])
    #expect(runner.messages[0]["result"]?["serverInfo"]?["name"] == "strata")
    #expect(runner.messages[2]["error"]?["code"] == -32601)
  }

  @Test func whatIsNoMessageIsSaidAndTheNextOneIsRead() throws {
    let found = try messages([
      frame("{"), request(1, "initialize"), request(2, "shutdown"), notification("exit"),
    ])
    #expect(found.messages.first?["error"]?["code"] == -32700)
    #expect(found.messages.compactMap { $0["id"]?.int } == [1, 2])
    #expect(found.status == 0)
  }

  /// What `strata.yaml` names and the project does not have: the editor shows the sentence with which `check` ends.
  @Test(arguments: [
    "schemas: modles", "schemas: notes", "migrations: migratoins", "baseline: v9",
    "baseline: git:nothing", "baseline: nothing",
  ])
  func theEditorIsToldWhatCheckEndsWith(_ settings: String) throws {
    let runner = try CommandRunner()
    func write(_ text: String, _ path: String) throws {
      let url = runner.folder.appendingPathComponent(path)
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: url)
    }
    try write("", "notes/a.txt")
    for (version, name) in [(0, "a"), (1, "b")] {
      try write(
        "schema: A\nversion: \(version)\nmodels: { P: { properties: { \(name): int } } }\n",
        "schemas/A.yaml")
      try write("to: 1\nrename: { P.a: b }\n", "migrations/1.yaml")
      if version == 0 { try FileManager.default.removeItem(atPath: runner.path("migrations")) }
      let frozen = try runner.strata("freeze", "--date", "2026-01-01")
      #expect(frozen.status == 0, "\(frozen.errors)")
    }
    try write(settings + "\n", "strata.yaml")
    let check = try runner.strata("check")
    #expect(check.status == 3 || check.status == 64)

    let uri = "file://" + runner.folder.resolvingSymlinksInPath().path
    // Findings come before all messages of a full queue are handled.
    let found = try messages(
      [request(1, "initialize", #"{"rootUri":"\#(uri)"}"#)]
        + Array(repeating: notification("$/wait"), count: 64)
        + [request(2, "shutdown"), notification("exit")], in: runner)
    let published = found.messages.compactMap { $0["params"] }.filter {
      $0["diagnostics"]?.array?.isEmpty == false
    }
    let told = published.flatMap { $0["diagnostics"]?.array ?? [] }
    #expect(published.map { $0["uri"] } == [.string(uri + "/strata.yaml")], "\(found.messages)")
    #expect(
      told.map { $0["message"]?.string.map { "error: \($0)\n" } } == [check.errors],
      "\(check.errors)")
    let key = settings.prefix { $0 != ":" }.count
    #expect(told.first?["range"]?["start"] == ["line": 0, "character": .int(Int64(key + 2))])
  }

  @Test func anEditorThatGoesAwayEndsTheServer() throws {
    #expect(try messages([request(1, "initialize")]).status == 1)
    #expect(try messages(["Content-Length: x\r\n\r\n"]).status == 1)
  }
}
