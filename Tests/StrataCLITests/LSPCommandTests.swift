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

  @Test func anEditorThatGoesAwayEndsTheServer() throws {
    #expect(try messages([request(1, "initialize")]).status == 1)
    #expect(try messages(["Content-Length: x\r\n\r\n"]).status == 1)
  }
}
