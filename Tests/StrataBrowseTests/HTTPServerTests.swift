import Foundation
import Testing

@testable import StrataBrowse

/// Several clients of one thread.
@Suite("The server of the page")
struct HTTPServerTests {
  /// A client that reads when it is told to.
  private final class Client {
    private let descriptor: Int32

    init(of server: HTTPServer) throws {
      #if canImport(Glibc)
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      #else
        descriptor = socket(AF_INET, SOCK_STREAM, 0)
      #endif
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = server.port.bigEndian
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      let result = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      try #require(result == 0)
      _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    }

    deinit { close(descriptor) }

    func ask(_ paths: String...) {
      let text = paths.map { "GET \($0) HTTP/1.1\r\nHost: h\r\n\r\n" }.joined()
      let count = text.utf8.count
      #expect(send(descriptor, text, count, 0) == count)
    }

    /// What has arrived by now; nil where the server has ended the connection.
    func received() -> String? {
      var text: [UInt8] = []
      while true {
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        let count = recv(descriptor, &piece, piece.count, 0)
        if count == 0 { return nil }
        if count < 0 { return String(decoding: text, as: UTF8.self) }
        text += piece[..<count]
      }
    }
  }

  /// Something that an answer holds until it is whole.
  private final class Held {}

  private static let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 16)

  /// Answers with its path; `/endless` never comes to its end.
  private func server(timeout: Duration = HTTPServer.sendTimeout) throws -> HTTPServer {
    try HTTPServer(port: 0, sendTimeout: timeout) { request in
      request.target == "/endless"
        ? HTTPResponse(200, type: "text/plain", .pieces { Self.piece })
        : .text(200, "This is \(request.target).")
    }
  }

  /// Lets the server look at its connections as often as needed for what the tests send.
  private func turn(_ server: HTTPServer) {
    for _ in 0..<200 { server.turn(patience: 0) }
  }

  @Test("While a client reads nothing of what it asked for, others are answered")
  func othersAreAnswered() throws {
    let server = try server()
    let slow = try Client(of: server)
    slow.ask("/endless")
    turn(server)
    let other = try Client(of: server)
    for path in ["/a", "/b"] {
      other.ask(path)
      turn(server)
      #expect(other.received()?.hasSuffix("This is \(path).") == true)
    }
    // The slow one goes on where it was.
    for _ in 0..<3 {
      #expect((slow.received() ?? "").utf8.count > Self.piece.count)
      turn(server)
    }
  }

  @Test("So they are while a client reads all of a long answer")
  func turns() throws {
    let server = try server()
    let (fast, other) = (try Client(of: server), try Client(of: server))
    fast.ask("/endless")
    other.ask("/a")
    var answer = ""
    for _ in 0..<20 {
      server.turn(patience: 0)
      #expect(fast.received() != nil)
      answer += other.received() ?? ""
    }
    #expect(answer.hasSuffix("This is /a."))
  }

  @Test("The server ends when it is told to, also while a client reads nothing")
  func ends() throws {
    let server = try server()
    let slow = try Client(of: server)
    slow.ask("/endless")
    var looks = 0
    server.run(patience: 0) {
      looks += 1
      return looks > 200
    }
    #expect(slow.received() == nil)
  }

  @Test("A client that reads nothing for too long is ended, and what its answer held is let go of")
  func timeout() throws {
    weak var weakHeld: Held?
    let server = try HTTPServer(port: 0, sendTimeout: .zero) { request in
      let held = Held()
      weakHeld = held
      return HTTPResponse(
        200, type: "text/plain", .pieces { withExtendedLifetime(held) { Self.piece } })
    }
    let slow = try Client(of: server)
    slow.ask("/endless")
    server.turn(patience: 0)
    turn(server)
    #expect(weakHeld == nil)
    #expect(slow.received() == nil)
  }

  @Test("What cannot be answered yet is asked again when another answer is whole")
  func waits() throws {
    var pieces = 3
    var asked = 0
    let server = try HTTPServer(port: 0) { request in
      if request.target == "/export" {
        return HTTPResponse(
          200, type: "text/plain",
          .pieces {
            pieces -= 1
            return pieces > 0 ? Self.piece : nil
          })
      }
      asked += 1
      return pieces > 0 ? nil : .text(200, "This is \(request.target).")
    }
    let (export, edit) = (try Client(of: server), try Client(of: server))
    export.ask("/export")
    server.turn(patience: 0)
    server.turn(patience: 0)
    edit.ask("/edit", "/next")
    while pieces > 0 {
      #expect(edit.received() == "")
      server.turn(patience: 0)
      _ = export.received()
    }
    turn(server)
    #expect(asked == 3)
    let answers = try #require(edit.received())
    #expect(answers.contains("This is /edit.HTTP/1.1 200") && answers.hasSuffix("This is /next."))
  }

  @Test("An answer that fails ends without its last chunk, and its connection with it")
  func failing() throws {
    struct Failure: Error {}
    var pieces = [Self.piece[...], "rest".utf8.map { $0 }[...]]
    let server = try HTTPServer(port: 0) { _ in
      HTTPResponse(
        200, type: "text/plain",
        .pieces {
          guard let piece = pieces.popLast() else { throw Failure() }
          return Array(piece)
        })
    }
    let client = try Client(of: server)
    client.ask("/")
    var text = ""
    for _ in 0..<20 {
      server.turn(patience: 0)
      text += client.received() ?? ""
    }
    #expect(text.contains("\r\n4\r\nrest\r\n10000\r\nxxx") && text.hasSuffix("xxx\r\n"))
    #expect(client.received() == nil)
  }
}
