package import StrataSchema

/// Takes a stream of bytes apart into messages: a header with `Content-Length`, an empty line, and so many bytes of JSON.
///
/// The format: "Language Server Protocol", section "Base Protocol".
package struct MessageDecoder {
  /// The largest message: a document of the largest size, each byte of it escaped.
  package static let maximumMessage = 6 * (4 << 20) + (1 << 16)
  package static let maximumHeader = 4096

  package enum Item: Sendable {
    case message(JSON)
    /// A message that cannot be read; the next one can.
    case invalid(String)
  }

  private enum State {
    case header
    case body(Int)
    /// So many bytes of a message that is too large are left to skip.
    case skipping(Int)
  }

  private var buffer: [UInt8] = []
  private var position = 0
  private var state = State.header
  /// Why the stream cannot be read any further; nil while it can.
  package private(set) var failure: String?

  /// The bytes of the message that `next` gave last.
  package private(set) var size = 0

  package init() {}

  package mutating func append(_ bytes: some Sequence<UInt8>) {
    if position > 0 {
      buffer.removeSubrange(..<position)
      position = 0
    }
    buffer.append(contentsOf: bytes)
  }

  /// The next message; nil where its end has not come yet.
  package mutating func next() -> Item? {
    while failure == nil {
      switch state {
      case .header:
        guard let length = readHeader() else { return nil }
        if length > Self.maximumMessage {
          state = .skipping(length)
          return .invalid("a message of \(length) bytes is larger than \(Self.maximumMessage)")
        }
        state = .body(length)
      case .skipping(let length):
        let count = min(length, buffer.count - position)
        position += count
        state = length == count ? .header : .skipping(length - count)
        if length > count { return nil }
      case .body(let length):
        guard buffer.count - position >= length else { return nil }
        let body = buffer[position..<position + length]
        position += length
        state = .header
        size = length
        do throws(JSONError) {
          // A text of JavaScript, as many editors have them, may hold half a pair. It is one unit of the protocol's positions, and so is
          // what takes its place: all that follows stays where the editor has it.
          return .message(try JSON.parse(body, replacingLoneSurrogates: true))
        } catch {
          return .invalid("\(error)")
        }
      }
    }
    return nil
  }

  /// The length that a whole header says.
  private mutating func readHeader() -> Int? {
    let rest = buffer[position...]
    guard let end = Self.endOfHeader(rest.prefix(Self.maximumHeader)) else {
      if rest.count >= Self.maximumHeader {
        failure = "a header is longer than \(Self.maximumHeader) bytes"
      }
      return nil
    }
    let header = String(decoding: buffer[position..<end], as: UTF8.self)
    position = end
    for line in header.split(whereSeparator: \.isNewline) {
      let parts = line.split(separator: ":", maxSplits: 1)
      guard parts.count == 2, parts[0].lowercased() == "content-length" else { continue }
      let isBlank = { (character: Character) in character == " " || character == "\t" }
      let value = parts[1].drop(while: isBlank).reversed().drop(while: isBlank).reversed()
      if let length = Int(String(value)), length >= 0 { return length }
    }
    failure = "a header without Content-Length"
    return nil
  }

  /// The place behind the empty line.
  private static func endOfHeader(_ bytes: ArraySlice<UInt8>) -> Int? {
    var index = bytes.startIndex
    while index + 3 < bytes.endIndex {
      if bytes[index] == 0x0D, bytes[index + 1] == 0x0A, bytes[index + 2] == 0x0D,
        bytes[index + 3] == 0x0A
      {
        return index + 4
      }
      index += 1
    }
    return nil
  }

  /// A message as bytes, with its header.
  package static func encode(_ message: OutgoingMessage) -> [UInt8] {
    let body = message.body
    return Array("Content-Length: \(body.count)\r\n\r\n".utf8) + body
  }
}
