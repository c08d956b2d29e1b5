#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A server of HTTP/1.1 on the loopback address, for the pages of one user, on the thread that calls `run`: one request is answered after
/// the other, and long answers are made and sent piece by piece, in turns with everything else.
package final class HTTPServer {
  package struct Failure: Error, CustomStringConvertible {
    package let description: String

    init(_ what: String) { description = "\(what): \(String(cString: strerror(errno)))" }
  }

  /// Connections that are open at the same time; a further one takes the place of the one that was idle longest.
  static let maximumConnections = 64
  /// How long a client may take nothing of what it asked for.
  static let sendTimeout = Duration.seconds(30)
  /// Milliseconds between two looks at whether the server should end.
  private static let patience: Int32 = 1000

  /// The port that was taken.
  package let port: UInt16
  private let listener: Int32
  private let sendTimeout: Duration
  private var connections: [HTTPConnection] = []
  private var buffer = [UInt8](repeating: 0, count: 1 << 16)
  private let answer: (HTTPRequest) -> HTTPResponse?
  /// Whether an answer of several pieces has come to its end since requests that wait were asked last.
  private var hasFinished = false

  /// Takes a port of 127.0.0.1.
  ///
  /// - Parameters:
  ///   - port: 0 for one that is free.
  ///   - answer: Nil where a request has to wait: it is asked again when an answer of several pieces is whole, or given up.
  package convenience init(
    port: UInt16, answer: @escaping (HTTPRequest) -> HTTPResponse?
  ) throws {
    try self.init(port: port, sendTimeout: Self.sendTimeout, answer: answer)
  }

  init(
    port: UInt16, sendTimeout: Duration, answer: @escaping (HTTPRequest) -> HTTPResponse?
  ) throws {
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
    self.sendTimeout = sendTimeout
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

  /// Serves until `shouldEnd` says so, which is asked after each look at the connections and at least once a second.
  package func run(until shouldEnd: () -> Bool = { false }) {
    run(patience: Self.patience, until: shouldEnd)
  }

  func run(patience: Int32, until shouldEnd: () -> Bool) {
    while !shouldEnd() { turn(patience: patience) }
    for connection in connections { connection.end() }
    connections = []
  }

  /// Looks once at all connections.
  ///
  /// - Parameter patience: milliseconds to wait until one of them has something to do.
  func turn(patience: Int32) {
    var states = [pollfd(fd: listener, events: Int16(POLLIN), revents: 0)]
    states += connections.map(\.awaited)
    if poll(&states, nfds_t(states.count), patience) > 0 {
      for (connection, state) in zip(connections, states.dropFirst()) where state.revents != 0 {
        serve(connection, state.revents)
      }
      if states[0].revents != 0 { accept() }
    }
    let now = ContinuousClock.now
    for connection in connections where connection.isSending {
      if now - connection.lastSent > sendTimeout { end(connection) }
    }
    if hasFinished {
      hasFinished = false
      for connection in connections where connection.waiting != nil { goOn(connection) }
    }
    connections.removeAll { !$0.isOpen }
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
    if connections.count >= Self.maximumConnections {
      let idle = connections.firstIndex { !$0.isSending && $0.waiting == nil }
      end(connections.remove(at: idle ?? 0))
    }
    connections.append(HTTPConnection(descriptor))
  }

  private func serve(_ connection: HTTPConnection, _ events: Int16) {
    if !connection.isSending {
      // One that waits has nothing to say but that it is gone.
      guard events & Int16(POLLIN) != 0 else { return end(connection) }
      connection.receive(&buffer)
    }
    goOn(connection)
  }

  /// Sends what is there, and answers what was asked, until the client has to read or to ask.
  private func goOn(_ connection: HTTPConnection) {
    while connection.isOpen {
      let madePieces = connection.makesPieces
      connection.send()
      if madePieces, !connection.makesPieces { hasFinished = true }
      guard connection.isOpen, !connection.isSending else { return }
      guard let request = connection.nextRequest() else {
        if connection.isSending { continue }
        return
      }
      guard let response = answer(request) else { return connection.wait(with: request) }
      connection.give(response, to: request)
      // The one that was used last is the last to go.
      if let index = connections.firstIndex(where: { $0 === connection }) {
        connections.append(connections.remove(at: index))
      }
    }
  }

  private func end(_ connection: HTTPConnection) {
    if connection.makesPieces { hasFinished = true }
    connection.end()
  }
}
