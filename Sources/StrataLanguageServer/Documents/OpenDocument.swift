import StrataSchema
import StrataSource

/// A text that the editor has open: what counts is what stands there, not what was saved.
package struct OpenDocument: Sendable {
  /// The URI as the editor spells it.
  let uri: String
  var version: Int64?
  private(set) var lines: TextLines

  init(uri: String, version: Int64?, text: String) {
    self.uri = uri
    self.version = version
    lines = TextLines(Array(text.utf8))
  }

  package var bytes: [UInt8] { lines.bytes }

  /// Applies one element of `contentChanges`: a range with its new text, or the whole text.
  ///
  /// - Returns: false for a change that says no text or would make the text larger than any file may be; nothing changes then.
  mutating func apply(_ change: JSON) -> Bool {
    guard let text = change["text"]?.string else { return false }
    guard let range = change["range"] else {
      guard text.utf8.count <= SourceFile.maximumSize + 1 else { return false }
      lines = TextLines(Array(text.utf8))
      return true
    }
    guard let start = TextPosition(range["start"]), let end = TextPosition(range["end"]) else {
      return false
    }
    let lower = lines.offset(of: start)
    let upper = max(lower, lines.offset(of: end))
    guard bytes.count - (upper - lower) + text.utf8.count <= SourceFile.maximumSize + 1 else {
      return false
    }
    var new: [UInt8] = []
    new.reserveCapacity(bytes.count - (upper - lower) + text.utf8.count)
    new += bytes[..<lower]
    new += text.utf8
    new += bytes[upper...]
    lines = TextLines(new)
    return true
  }
}
