import Dispatch
import StrataSchema
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Runs a language server over two file descriptors: one thread reads, the caller's answers.
///
/// Reading ahead is what makes requests cancellable: `$/cancelRequest` is seen while the request still waits.
package enum ServerLoop {
  /// After how many messages findings are published although more messages wait.
  static let maximumDelay = 64

  /// Serves until the editor says `exit` or closes the stream.
  ///
  /// - Returns: the process's exit status: 0 after `shutdown` and `exit`, else 1.
  package static func run(_ server: LanguageServer, input: Int32, output: Int32) -> Int32 {
    // Writing to an editor that is gone fails, instead of ending the process.
    signal(SIGPIPE, SIG_IGN)
    let queue = MessageQueue()
    DispatchQueue.global().async { read(input, into: queue) }
    var delayed = 0
    while let item = queue.next() {
      server.handle(item, isCancelled: queue.isCancelled(item))
      delayed += 1
      guard send(server.takeOutput(), to: output) else { return 1 }
      if let status = server.exitStatus { return status }
      if queue.isEmpty || delayed >= maximumDelay {
        delayed = 0
        server.publishFindings()
        guard send(server.takeOutput(), to: output) else { return 1 }
      }
    }
    return server.exitStatus ?? 1
  }

  private static func read(_ input: Int32, into queue: MessageQueue) {
    var decoder = MessageDecoder()
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while decoder.failure == nil {
      let count = systemRead(input, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      decoder.append(chunk[..<count])
      while let item = decoder.next() { queue.append(item, size: decoder.size) }
    }
    if let failure = decoder.failure { queue.append(.invalid(failure), size: 0) }
    queue.close()
  }

  private static func send(_ messages: [OutgoingMessage], to output: Int32) -> Bool {
    for message in messages {
      let bytes = MessageDecoder.encode(message)
      let isWritten = bytes.withUnsafeBytes { buffer in
        var rest = buffer[...]
        while let base = UnsafeRawBufferPointer(rebasing: rest).baseAddress, !rest.isEmpty {
          let count = systemWrite(output, base, rest.count)
          if count < 0, errno == EINTR { continue }
          guard count > 0 else { return false }
          rest = rest.dropFirst(count)
        }
        return true
      }
      guard isWritten else { return false }
    }
    return true
  }
}

private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer, _ count: Int) -> Int
{
  read(descriptor, buffer, count)
}

private func systemWrite(_ descriptor: Int32, _ buffer: UnsafeRawPointer, _ count: Int) -> Int {
  write(descriptor, buffer, count)
}

/// Messages that wait, between the thread that reads and the one that answers.
final class MessageQueue: Sendable {
  /// How many messages may wait, a large one counted once for each MiB; reading stops until there is room.
  static let maximumCount = 512
  private struct State: Sendable {
    var items: [(item: MessageDecoder.Item, id: String?, weight: Int)] = []
    var first = 0
    var cancelled: Set<String> = []
    var isClosed = false
  }

  private let state = Mutex(State())
  private let available = DispatchSemaphore(value: 0)
  private let room = DispatchSemaphore(value: maximumCount)

  /// - Parameter size: of the message in bytes.
  func append(_ item: MessageDecoder.Item, size: Int) {
    if case .message(let message) = item, message["method"]?.string == "$/cancelRequest" {
      // Of a request that does not wait there is nothing left to cancel.
      if let id = message["params"]?["id"]?.canonicalText {
        state.withLock { state in
          if state.items[state.first...].contains(where: { $0.id == id }) {
            state.cancelled.insert(id)
          }
        }
      }
      return
    }
    let weight = min(1 + size >> 20, Self.maximumCount)
    for _ in 0..<weight { room.wait() }
    let id = Self.requestID(item)
    state.withLock { $0.items.append((item, id, weight)) }
    available.signal()
  }

  func close() {
    state.withLock { $0.isClosed = true }
    available.signal()
  }

  /// Waits for the next message; nil at the end of the stream.
  func next() -> MessageDecoder.Item? {
    available.wait()
    let found = state.withLock { state -> (item: MessageDecoder.Item, id: String?, weight: Int)? in
      guard state.first < state.items.count else { return nil }
      let item = state.items[state.first]
      state.first += 1
      if state.first == state.items.count || state.first > Self.maximumCount {
        state.items.removeSubrange(..<state.first)
        state.first = 0
      }
      return item
    }
    for _ in 0..<(found?.weight ?? 0) { room.signal() }
    return found?.item
  }

  var isEmpty: Bool { state.withLock { $0.first >= $0.items.count } }

  /// Whether the editor has cancelled a request; asks once.
  func isCancelled(_ item: MessageDecoder.Item) -> Bool {
    guard let id = Self.requestID(item) else { return false }
    return state.withLock { $0.cancelled.remove(id) != nil }
  }

  private static func requestID(_ item: MessageDecoder.Item) -> String? {
    guard case .message(let message) = item, message["method"] != nil else { return nil }
    return message["id"]?.canonicalText
  }
}
