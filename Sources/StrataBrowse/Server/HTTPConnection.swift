#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// One client: what it asks, and what it is still to be sent. Nothing here waits for it.
final class HTTPConnection {
  let descriptor: Int32
  private(set) var isOpen = true
  /// A request that cannot be answered yet.
  private(set) var waiting: HTTPRequest?
  /// When the client took something of its answer, or was given it.
  private(set) var lastSent = ContinuousClock.now
  private var reader = HTTPRequestReader()
  private var output: [UInt8] = []
  private var sent = 0
  /// What makes the rest of the answer; nil behind the last piece.
  private var pieces: (() throws -> [UInt8]?)?
  /// Whether the connection ends with the answer.
  private var isLast = false

  /// - Parameter descriptor: of a socket, which is closed with the connection.
  init(_ descriptor: Int32) {
    self.descriptor = descriptor
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
  }

  deinit { close(descriptor) }

  var isSending: Bool { sent < output.count || pieces != nil }
  var makesPieces: Bool { pieces != nil }

  /// What the client has to do before anything goes on: read, or ask. Of one that waits nothing is looked for but that it is gone.
  var awaited: pollfd {
    let events = isSending ? POLLOUT : waiting == nil ? POLLIN : 0
    return pollfd(fd: descriptor, events: Int16(events), revents: 0)
  }

  /// Ends the connection, and lets go of what its answer held.
  func end() {
    isOpen = false
    pieces = nil
    waiting = nil
  }

  // MARK: - Requests

  /// Takes what has arrived.
  ///
  /// - Parameter buffer: where it is put first.
  func receive(_ buffer: inout [UInt8]) {
    let count = recv(descriptor, &buffer, buffer.count, 0)
    if count < 0, [EAGAIN, EINTR].contains(errno) { return }
    guard count > 0 else { return end() }
    reader.take(buffer[..<count])
  }

  /// The next request; nil where there is none yet. One that cannot be read is answered here.
  func nextRequest() -> HTTPRequest? {
    if let request = waiting {
      waiting = nil
      return request
    }
    switch reader.next() {
    case .more: return nil
    case .request(let request): return request
    case .refused(let status):
      give(.text(status, "The request cannot be read."), withBody: true, isLast: true)
      return nil
    }
  }

  /// Keeps a request until it can be answered.
  func wait(with request: HTTPRequest) { waiting = request }

  // MARK: - Answers

  func give(_ response: HTTPResponse, to request: HTTPRequest) {
    give(
      response, withBody: request.method != "HEAD",
      isLast: request.headers["connection"]?.lowercased() == "close")
  }

  private func give(_ response: HTTPResponse, withBody: Bool, isLast: Bool) {
    output = response.head()
    sent = 0
    self.isLast = isLast
    lastSent = .now
    guard withBody else { return }
    switch response.body {
    case .bytes(let bytes): output += bytes
    case .pieces(let next): pieces = next
    }
  }

  /// Sends as much as the client takes, and makes one piece at most, so that other clients have their turn.
  func send() {
    guard isOpen, flush() else { return }
    if let pieces {
      do {
        try add(pieces())
      } catch {
        // A body that ends without its last chunk tells the client that it is not whole.
        return end()
      }
      guard flush() else { return }
    }
    if isLast, !isSending { end() }
  }

  /// One chunk (RFC 9112, section 7.1); without a piece the last one.
  private func add(_ piece: [UInt8]?) {
    sent = 0
    guard let piece else {
      pieces = nil
      output = Array("0\r\n\r\n".utf8)
      return
    }
    // An empty chunk would be the last.
    output =
      piece.isEmpty
      ? [] : Array("\(String(piece.count, radix: 16))\r\n".utf8) + piece + [0x0D, 0x0A]
  }

  /// - Returns: whether everything that is there was sent.
  private func flush() -> Bool {
    while sent < output.count {
      let count = output[sent...].withUnsafeBytes {
        systemSend(descriptor, $0.baseAddress, $0.count)
      }
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN { return false }
      guard count > 0 else {
        end()
        return false
      }
      sent += count
      lastSent = .now
    }
    return true
  }
}

/// `send(2)`, which the name of the class's own function hides.
private func systemSend(_ descriptor: Int32, _ buffer: UnsafeRawPointer?, _ count: Int) -> Int {
  #if canImport(Darwin)
    send(descriptor, buffer, count, 0)
  #else
    send(descriptor, buffer, count, Int32(MSG_NOSIGNAL))
  #endif
}
