import StrataSchema
import StrataSource

/// A text that the editor has open: what counts is what stands there, not what was saved.
package struct OpenDocument: Sendable {
  /// The URI as the editor spells it.
  let uri: String
  var version: Int64?
  private(set) var lines: TextLines
  /// Whether the text grew beyond `maximumSize` and only its start is known. The next whole text ends that.
  private var isCut = false
  /// Whether the text may be another one than the editor has. The next whole text ends that.
  private(set) var isBehind = false

  /// How much of a text is kept: all of a document that one message opens, so that one that is too large for a file can be
  /// made smaller again.
  static let maximumSize = MessageDecoder.maximumMessage

  init(uri: String, version: Int64?, text: String) {
    self.uri = uri
    self.version = version
    lines = TextLines(Array(text.utf8))
  }

  package var bytes: [UInt8] { lines.bytes }

  /// The text as the project reads it: as much as would be read of a file, so that one that is too large is found to be.
  var readBytes: [UInt8] {
    bytes.count > SourceFile.maximumSize ? Array(bytes[...SourceFile.maximumSize]) : bytes
  }

  /// Applies the `contentChanges` of a message, each to the text that the one before it has made.
  ///
  /// The text falls behind where a change tears or joins the halves of a character, because UTF-8 has no halves.
  mutating func apply(_ changes: [JSON]) {
    for change in changes { apply(change) }
    lines.countUnits()
  }

  /// Notes that a message which may have changed the text could not be read.
  mutating func fallBehind() { isBehind = true }

  /// Applies a range with its new text, or the whole text. A change that says no text, or that is about a text of which only the
  /// start is known or which the editor has otherwise by now, changes nothing.
  private mutating func apply(_ change: JSON) {
    guard let text = change["text"]?.string else { return }
    guard let range = change["range"] else {
      isBehind = false
      return set(Array(text.utf8))
    }
    guard !isCut, !isBehind, let start = TextPosition(range["start"]),
      let end = TextPosition(range["end"])
    else { return }
    guard let lower = lines.wholeOffset(of: start), let upper = lines.wholeOffset(of: end) else {
      return fallBehind()
    }
    let new = Array(text.utf8)
    lines.replace(lower..<max(lower, upper), with: new)
    if lines.mayJoinHalves(at: lower) || lines.mayJoinHalves(at: lower + new.count) { fallBehind() }
    if bytes.count > Self.maximumSize { set(bytes) }
  }

  private mutating func set(_ text: [UInt8]) {
    isCut = text.count > Self.maximumSize
    lines = TextLines(isCut ? Array(text[...SourceFile.maximumSize]) : text)
  }
}
