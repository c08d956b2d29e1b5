#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A server of HTTP/1.1 on the loopback address, for the pages of one user: one request after the other, on the thread that
/// calls `run`.
package final class HTTPServer {
  package struct Failure: Error, CustomStringConvertible {
    package let description: String

    init(_ what: String) { description = "\(what): \(String(cString: strerror(errno)))" }
  }

  /// Connections that are open at the same time; a further one takes the place of the one that was idle longest.
  static let maximumConnections = 64
  /// Seconds that a client may take to read what it asked for.
  static let sendTimeout = 30

  /// The port that was taken.
  package let port: UInt16
  private let listener: Int32
  private var connections: [Connection] = []
  private let answer: (HTTPRequest) -> HTTPResponse

  private final class Connection {
    let descriptor: Int32
    var reader = HTTPRequestReader()

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }
  }

  /// Takes a port of 127.0.0.1.
  ///
  /// - Parameter port: 0 for one that is free.
  package init(port: UInt16, answer: @escaping (HTTPRequest) -> HTTPResponse) throws {
    let listener = Self.makeSocket()
    guard listener >= 0 else { throw Failure("no socket can be made") }
    var yes: Int32 = 1
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    _ = fcntl(listener, F_SETFD, FD_CLOEXEC)
    _ = fcntl(listener, F_SETFL, O_NONBLOCK)
    var address = sockaddr_in()
    #if canImport(Darwin)
      address.sin_len = UInt8(MemoryLayout<sockaddr_in>.size)
    #endif
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(listener, address, length) == 0 && listen(listener, 64) == 0
          && getsockname(listener, address, &length) == 0
      }
    }
    guard isBound else {
      let failure = Failure("port \(port) of 127.0.0.1 cannot be taken")
      close(listener)
      throw failure
    }
    self.answer = answer
    self.listener = listener
    self.port = UInt16(bigEndian: address.sin_port)
    // A client that goes away is an error of its connection, not of the process.
    signal(SIGPIPE, SIG_IGN)
  }

  deinit { close(listener) }

  private static func makeSocket() -> Int32 {
    #if canImport(Glibc)
      socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      socket(AF_INET, SOCK_STREAM, 0)
    #endif
  }

  /// Serves until `shouldEnd` says so, which is asked after each request and at least once a second.
  package func run(until shouldEnd: () -> Bool = { false }) {
    while !shouldEnd() {
      var waiting = [pollfd(fd: listener, events: Int16(POLLIN), revents: 0)]
      waiting += connections.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
      guard poll(&waiting, nfds_t(waiting.count), 1000) > 0 else { continue }
      for (connection, state) in zip(connections, waiting.dropFirst()) where state.revents != 0 {
        serve(connection)
      }
      if waiting[0].revents != 0 { accept() }
    }
    connections = []
  }

  private func accept() {
    #if canImport(Glibc)
      let descriptor = Glibc.accept(listener, nil, nil)
    #elseif canImport(Musl)
      let descriptor = Musl.accept(listener, nil, nil)
    #else
      let descriptor = Darwin.accept(listener, nil, nil)
    #endif
    guard descriptor >= 0 else { return }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
    var timeout = timeval(tv_sec: Self.sendTimeout, tv_usec: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_SNDTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    if connections.count >= Self.maximumConnections { connections.removeFirst() }
    connections.append(Connection(descriptor))
  }

  private func serve(_ connection: Connection) {
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    let count = recv(connection.descriptor, &piece, piece.count, 0)
    guard count > 0 else { return end(connection) }
    var progress = connection.reader.add(piece[..<count])
    while case .request(let request) = progress {
      let response = answer(request)
      guard send(response, to: connection, withBody: request.method != "HEAD"),
        request.headers["connection"]?.lowercased() != "close"
      else { return end(connection) }
      progress = connection.reader.add(EmptyCollection())
    }
    if case .refused(let status) = progress {
      _ = send(.text(status, "The request cannot be read."), to: connection, withBody: true)
      return end(connection)
    }
    // The one that was used last is the last to go.
    if let index = connections.firstIndex(where: { $0 === connection }) {
      connections.append(connections.remove(at: index))
    }
  }

  private func end(_ connection: Connection) { connections.removeAll { $0 === connection } }

  /// - Returns: whether the connection can go on.
  private func send(_ response: HTTPResponse, to connection: Connection, withBody: Bool) -> Bool {
    struct Gone: Error {}
    func write(_ bytes: ArraySlice<UInt8>) throws {
      var rest = bytes
      while !rest.isEmpty {
        let sent = rest.withUnsafeBytes { buffer in
          systemSend(connection.descriptor, buffer.baseAddress, buffer.count)
        }
        if sent < 0, errno == EINTR { continue }
        guard sent > 0 else { throw Gone() }
        rest = rest.dropFirst(sent)
      }
    }
    do {
      switch response.body {
      case .bytes(let bytes):
        try write((response.head() + (withBody ? bytes : []))[...])
      case .pieces(let make):
        try write(response.head()[...])
        guard withBody else { return true }
        try make { piece in
          guard !piece.isEmpty else { return }
          try write(
            (Array("\(String(piece.count, radix: 16))\r\n".utf8) + piece + [0x0D, 0x0A])[...])
        }
        try write(Array("0\r\n\r\n".utf8)[...])
      }
      return true
    } catch {
      // A body that ends without its last chunk tells the client that it is not whole.
      return false
    }
  }
}

/// `send(2)`, which the name of the class's own functions hides.
private func systemSend(_ descriptor: Int32, _ buffer: UnsafeRawPointer?, _ count: Int) -> Int {
  #if canImport(Darwin)
    send(descriptor, buffer, count, 0)
  #else
    send(descriptor, buffer, count, Int32(MSG_NOSIGNAL))
  #endif
}
