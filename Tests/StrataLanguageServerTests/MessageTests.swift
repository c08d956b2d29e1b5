import StrataLanguageServer
import StrataSchema
import Testing

/// Messages that are no requests of the protocol: each of them is answered as "JSON-RPC 2.0", section 5.1, says, so that no editor
/// waits for an answer that never comes.
@Suite struct MessageTests {
  private func answers(to messages: JSON...) -> [JSON] {
    let server = LanguageServer(version: "test")
    server.handle(
      .message(["jsonrpc": "2.0", "id": 0, "method": "initialize", "params": [:]]))
    _ = server.takeOutput()
    for message in messages { server.handle(.message(message)) }
    return server.takeOutput().compactMap(\.json)
  }

  /// The code -32600, "Invalid Request"; the id where the message has one that can be answered to.
  @Test(
    arguments: [
      (["id": 7], 7), (["id": "a"], "a"), ([:], .null), (["id": 7, "method": 5], 7),
      (["method": .null], .null), (["params": [:]], .null),
      (["id": .double(1.5), "method": "shutdown"], .null),
      (["id": .null], .null), (["id": [1], "method": "shutdown"], .null),
      (["id": true, "method": "shutdown"], .null), (["id": .double(1.5)], .null),
      ([["id": 7, "method": "shutdown"]], .null), ("shutdown", .null),
    ] as [(JSON, JSON)])
  func whatIsNoRequestIsRefused(_ message: JSON, _ id: JSON) {
    let answers = answers(to: message)
    #expect(answers.map { $0["id"] } == [id], "\(answers)")
    #expect(answers.map { $0["error"]?["code"] } == [-32600], "\(answers)")
    #expect(answers.allSatisfy { $0["error"]?["message"]?.string?.isEmpty == false })
  }

  /// The server asks the editor to watch files, and editors answer.
  @Test(
    arguments: [
      ["id": "strata-1", "result": .null], ["id": "strata-1", "error": ["code": -32601]],
      ["id": .double(1.5), "result": .null], ["method": "$/unknown"],
      ["id": .null, "method": "$/unknown"],
      ["method": "textDocument/didOpen"],
    ] as [JSON])
  func answersAndNotificationsAreNotAnswered(_ message: JSON) {
    #expect(answers(to: message) == [])
  }

  @Test func aRequestBehindARefusedOneIsAnswered() {
    let answers = answers(
      to: ["id": .double(1.5), "method": "shutdown"], ["id": 2, "method": "shutdown"])
    #expect(answers.map { $0["id"] } == [.null, 2])
    #expect(answers.last?["result"] == .null)
  }
}
