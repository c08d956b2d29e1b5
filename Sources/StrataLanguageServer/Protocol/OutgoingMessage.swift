package import StrataSchema

/// A message to the editor.
package enum OutgoingMessage: Sendable {
  case value(JSON)
  /// The bytes of a message whose values were never made: those of an answer with many thousand of them.
  case written([UInt8])

  /// The message without its header.
  package var body: [UInt8] {
    switch self {
    case .value(let message):
      var bytes: [UInt8] = []
      message.write(to: &bytes)
      return bytes
    case .written(let bytes): return bytes
    }
  }

  /// The message as a value; nil for bytes that are no JSON.
  package var json: JSON? {
    switch self {
    case .value(let message): message
    case .written(let bytes): try? JSON.parse(bytes)
    }
  }
}

/// What a request is answered with.
enum Answer {
  case value(JSON)
  /// The JSON of the answer, members sorted as `JSON` writes them.
  case written([UInt8])

  /// The message that gives the answer to a request.
  func message(to id: JSON) -> OutgoingMessage {
    switch self {
    case .value(let result): return .value(["jsonrpc": "2.0", "id": id, "result": result])
    case .written(let result):
      var bytes: [UInt8] = []
      bytes.reserveCapacity(result.count + 64)
      bytes += Array(#"{"id":"#.utf8)
      id.write(to: &bytes)
      bytes += Array(#","jsonrpc":"2.0","result":"#.utf8)
      bytes += result
      bytes.append(UInt8(ascii: "}"))
      return .written(bytes)
    }
  }
}
