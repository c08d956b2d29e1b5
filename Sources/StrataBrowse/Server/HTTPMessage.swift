package import StrataSchema

/// A request, read whole.
package struct HTTPRequest: Sendable {
  package var method: String
  /// What stands behind the host: path and query, as they were sent.
  package var target: String
  /// By lower-case name.
  package var headers: [String: String]
  package var body: [UInt8]

  package init(
    method: String, target: String, headers: [String: String] = [:], body: [UInt8] = []
  ) {
    self.method = method
    self.target = target
    self.headers = headers
    self.body = body
  }

  /// The parts of the path between its slashes, decoded; nil for a path that is none.
  package var path: [String]? {
    let path = target.prefix { $0 != "?" }
    guard path.hasPrefix("/") else { return nil }
    var parts: [String] = []
    for part in path.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
      guard let decoded = PercentCoding.decode(part, plusIsSpace: false) else { return nil }
      parts.append(decoded)
    }
    return parts
  }

  /// The fields of the query.
  package var query: [String: String] {
    guard let mark = target.firstIndex(of: "?") else { return [:] }
    var fields: [String: String] = [:]
    for field in target[target.index(after: mark)...].split(separator: "&") {
      let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = PercentCoding.decode(parts[0], plusIsSpace: true) else { continue }
      fields[name] = parts.count == 2 ? PercentCoding.decode(parts[1], plusIsSpace: true) : ""
    }
    return fields
  }
}

/// An answer: bytes, or pieces that are made while they are sent.
package struct HTTPResponse {
  package enum Body {
    case bytes([UInt8])
    /// Gives one piece after the other, and nil behind the last.
    case pieces(() throws -> [UInt8]?)
  }

  package var status: Int
  package var headers: [(name: String, value: String)]
  package var body: Body

  package init(
    _ status: Int, type: String, _ body: Body, headers: [(name: String, value: String)] = []
  ) {
    self.status = status
    self.headers = [("Content-Type", type)] + headers
    self.body = body
  }

  package static func text(_ status: Int, _ text: String) -> HTTPResponse {
    HTTPResponse(status, type: "text/plain; charset=utf-8", .bytes(Array(text.utf8)))
  }

  package static func json(_ json: JSON, status: Int = 200) -> HTTPResponse {
    var bytes: [UInt8] = []
    json.write(to: &bytes)
    return HTTPResponse(status, type: "application/json; charset=utf-8", .bytes(bytes))
  }

  /// The head as it is sent, up to the empty line.
  func head() -> [UInt8] {
    var text = "HTTP/1.1 \(status) \(Self.reasons[status] ?? "Status")\r\n"
    for (name, value) in headers {
      // A line break in a value would begin another header.
      text += "\(name): \(String(value.unicodeScalars.filter { $0.value >= 0x20 }))\r\n"
    }
    switch body {
    case .bytes(let bytes): text += "Content-Length: \(bytes.count)\r\n"
    case .pieces: text += "Transfer-Encoding: chunked\r\n"
    }
    return Array((text + "\r\n").utf8)
  }

  private static let reasons = [
    200: "OK", 400: "Bad Request", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
    408: "Request Timeout", 413: "Content Too Large", 415: "Unsupported Media Type",
    431: "Request Header Fields Too Large", 500: "Internal Server Error",
  ]
}

/// `%20` and the like (RFC 3986, section 2.1).
enum PercentCoding {
  static func decode(_ text: some StringProtocol, plusIsSpace: Bool) -> String? {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "%"):
        guard rest.count >= 2, let value = Hex.decode(rest.prefix(2))?.first else { return nil }
        bytes.append(value)
        rest = rest.dropFirst(2)
      case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
      default: bytes.append(byte)
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }
}

/// Reads a request from bytes as they arrive (RFC 9112), the part of it that a browser sends to a page of its own: a length,
/// no chunks, no continuation.
package struct HTTPRequestReader {
  /// Bytes of the request line and the headers at most, and of the body.
  package static let maximumHead = 32 << 10
  package static let maximumBody = 64 << 20

  package enum Progress {
    case more
    case request(HTTPRequest)
    /// What cannot be read: the status to answer with.
    case refused(Int)
  }

  private var bytes: [UInt8] = []
  private var head: (request: HTTPRequest, length: Int, bodyStart: Int)?
  private var searched = 0

  package init() {}

  /// Takes more bytes.
  package mutating func take(_ more: some Sequence<UInt8>) { bytes += more }

  /// The request that has arrived whole. What stands behind it stays for the next call.
  package mutating func next() -> Progress {
    if head == nil {
      guard let end = endOfHead() else {
        return bytes.count > Self.maximumHead ? .refused(431) : .more
      }
      guard end <= Self.maximumHead else { return .refused(431) }
      guard let request = Self.parse(String(decoding: bytes[..<end], as: UTF8.self)) else {
        return .refused(400)
      }
      guard request.headers["transfer-encoding"] == nil else { return .refused(400) }
      let field = request.headers["content-length"] ?? "0"
      guard let length = Int(field), length >= 0, field.utf8.allSatisfy({ $0 >= 0x30 }) else {
        return .refused(400)
      }
      guard length <= Self.maximumBody else { return .refused(413) }
      head = (request, length, end + 4)
    }
    guard let head, bytes.count >= head.bodyStart + head.length else { return .more }
    var request = head.request
    request.body = Array(bytes[head.bodyStart..<head.bodyStart + head.length])
    bytes.removeFirst(head.bodyStart + head.length)
    self.head = nil
    searched = 0
    return .request(request)
  }

  private mutating func endOfHead() -> Int? {
    var index = max(0, searched - 3)
    while index + 3 < bytes.count {
      if bytes[index] == 0x0D, bytes[index + 1] == 0x0A, bytes[index + 2] == 0x0D,
        bytes[index + 3] == 0x0A
      {
        return index
      }
      index += 1
    }
    searched = bytes.count
    return nil
  }

  private static func parse(_ head: String) -> HTTPRequest? {
    let lines = head.split(separator: "\r\n", omittingEmptySubsequences: false)
    guard let first = lines.first else { return nil }
    let parts = first.split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[2] == "HTTP/1.1" || parts[2] == "HTTP/1.0",
      !parts[0].isEmpty, parts[0].allSatisfy({ $0.isASCII && $0.isUppercase })
    else { return nil }
    var request = HTTPRequest(method: String(parts[0]), target: String(parts[1]))
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":"), colon != line.startIndex,
        !line[..<colon].contains(where: { $0.isWhitespace })
      else { return nil }
      let name = line[..<colon].lowercased()
      let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
      // Two lengths, or two hosts, are no request of a browser.
      guard request.headers[name] == nil || name == "cookie" else { return nil }
      request.headers[name] = String(value)
    }
    return request
  }
}
