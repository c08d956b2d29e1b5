import Testing

@testable import StrataBrowse

@Suite("Requests of a browser")
struct ServerTests {
  private func read(_ text: String) -> HTTPRequestReader.Progress {
    var reader = HTTPRequestReader()
    reader.take(text.utf8)
    return reader.next()
  }

  @Test("A request arrives in pieces, and the next one behind it")
  func pieces() throws {
    let text =
      "POST /t/api?a=1&b=x%20y HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhelloGET / HTTP/1.1\r\n\r\n"
    var reader = HTTPRequestReader()
    var requests: [HTTPRequest] = []
    for byte in text.utf8 {
      reader.take([byte])
      if case .request(let request) = reader.next() { requests.append(request) }
    }
    #expect(requests.map(\.method) == ["POST", "GET"])
    let first = try #require(requests.first)
    #expect(first.path == ["t", "api"])
    #expect(first.query == ["a": "1", "b": "x y"])
    #expect(first.headers == ["host": "h", "content-length": "5"])
    #expect(String(decoding: first.body, as: UTF8.self) == "hello")
  }

  @Test(
    "What no browser sends is refused",
    arguments: [
      ("get / HTTP/1.1\r\n\r\n", 400), ("GET /\r\n\r\n", 400), ("GET / HTTP/3\r\n\r\n", 400),
      ("GET / HTTP/1.1\r\nHost : h\r\n\r\n", 400), ("GET / HTTP/1.1\r\nno colon\r\n\r\n", 400),
      ("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
      ("POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400),
      ("POST / HTTP/1.1\r\nContent-Length: +1\r\n\r\n", 400),
      ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
      ("POST / HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n", 413),
    ])
  func refusals(text: String, status: Int) {
    guard case .refused(let refused) = read(text) else {
      Issue.record("\(text) is taken")
      return
    }
    #expect(refused == status)
  }

  @Test("A head without an end is refused at its limit")
  func endlessHead() {
    var reader = HTTPRequestReader()
    var refused = false
    for _ in 0..<40 {
      reader.take(Array(repeating: UInt8(ascii: "a"), count: 1024))
      if case .refused(431) = reader.next() {
        refused = true
        break
      }
    }
    #expect(refused)
  }

  static let access = AccessGuard(token: "abc123", port: 8000)
  static let headers = ["host": "127.0.0.1:8000"]
  static let own = headers.merging([
    "origin": "http://127.0.0.1:8000", "x-strata-token": "abc123", "sec-fetch-site": "same-origin",
  ]) { $1 }

  @Test("The page's own requests pass")
  func passes() {
    #expect(
      Self.access.path(of: HTTPRequest(method: "GET", target: "/abc123/", headers: Self.headers))
        == [""])
    #expect(
      Self.access.path(of: HTTPRequest(method: "POST", target: "/abc123/api", headers: Self.own))
        == ["api"])
  }

  @Test(
    "Nothing else passes",
    arguments: [
      // Another token, none, part of it.
      ("GET", "/abc124/", headers), ("GET", "/", headers), ("GET", "/abc12/", headers),
      // Another host: a name of an attacker that leads here.
      ("GET", "/abc123/", ["host": "evil.example:8000"]), ("GET", "/abc123/", [:]),
      ("GET", "/abc123/", ["host": "127.0.0.1:8001"]),
      // Another site.
      ("GET", "/abc123/", headers.merging(["sec-fetch-site": "cross-site"]) { $1 }),
      ("GET", "/abc123/", headers.merging(["origin": "http://evil.example"]) { $1 }),
      ("GET", "/abc123/", headers.merging(["origin": "null"]) { $1 }),
      // Without the token in its header, or without an origin.
      ("POST", "/abc123/api", headers.merging(["origin": "http://127.0.0.1:8000"]) { $1 }),
      ("POST", "/abc123/api", own.filter { $0.key != "origin" }),
      ("POST", "/abc123/api", own.merging(["x-strata-token": "abc124"]) { $1 }),
      ("DELETE", "/abc123/api", headers),
    ] as [(String, String, [String: String])])
  func refused(method: String, target: String, headers: [String: String]) {
    #expect(
      Self.access.path(of: HTTPRequest(method: method, target: target, headers: headers)) == nil)
  }

  @Test(
    "The port of http is left out by clients, and no other one",
    arguments: [
      (80, "127.0.0.1", true), (80, "localhost", true), (80, "127.0.0.1:80", true),
      (80, "evil.example", false), (8000, "127.0.0.1", false), (8000, "localhost", false),
    ] as [(UInt16, String, Bool)])
  func portOfHTTP(port: UInt16, host: String, passes: Bool) {
    let access = AccessGuard(token: "abc123", port: port)
    let headers = Self.own.merging(["host": host, "origin": "http://\(host)"]) { $1 }
    let request = HTTPRequest(method: "POST", target: "/abc123/api", headers: headers)
    #expect((access.path(of: request) == ["api"]) == passes)
  }

  @Test("A token is 128 bits, and another one each time")
  func token() {
    let tokens = Set((0..<100).map { _ in AccessGuard.makeToken() })
    #expect(tokens.count == 100)
    #expect(tokens.allSatisfy { $0.utf8.count == 32 })
  }

  @Test("A header's value begins no other header")
  func headerInjection() {
    let response = HTTPResponse(
      200, type: "a\r\nSet-Cookie: b", .bytes([]), headers: [("X", "1\n2")])
    let head = String(decoding: response.head(), as: UTF8.self)
    #expect(
      head
        == "HTTP/1.1 200 OK\r\nContent-Type: aSet-Cookie: b\r\nX: 12\r\nContent-Length: 0\r\n\r\n")
  }

  @Test(
    "A saved file has the name of its model, whatever it is spelled with (RFC 6266)",
    arguments: [
      ("Person_2", "Person_2", "Person_2"), ("Größe", "Gre", "Gr%C3%B6%C3%9Fe"),
      ("人", "objects", "%E4%BA%BA"), (#"a "b"\c"#, "abc", "a%20%22b%22%5Cc"), ("", "objects", ""),
    ])
  func attachment(model: String, plain: String, whole: String) {
    #expect(
      BrowseHandler.attachment(model, "csv")
        == "attachment; filename=\"\(plain).csv\"; filename*=UTF-8''\(whole).csv")
  }

  @Test("A line of CSV: quotes, line breaks, and nothing that a spreadsheet runs")
  func csv() {
    let line = SelectionExport.line(["1", "a,b", "say \"x\"", "=1+1", "-5", "@x", "two\nlines"])
    #expect(
      String(decoding: line, as: UTF8.self)
        == "1,\"a,b\",\"say \"\"x\"\"\",'=1+1,-5,'@x,\"two\nlines\"\r\n")
  }

  @Test("Images by their first bytes; a document that may hold scripts is none")
  func images() {
    #expect(ImageKind([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0]) == .png)
    #expect(ImageKind([0xFF, 0xD8, 0xFF, 0xE0]) == .jpeg)
    #expect(ImageKind(Array("RIFF1234WEBPVP8 ".utf8)) == .webp)
    #expect(ImageKind(Array("<svg xmlns=".utf8)) == nil)
    #expect(ImageKind([]) == nil)
  }
}
