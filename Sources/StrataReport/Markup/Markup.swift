/// HTML text. What is interpolated as a `String` is escaped; only `Markup` itself is taken as it is, so that no text of a
/// schema is read as HTML.
package struct Markup: Sendable {
  package private(set) var html: String

  package init() { html = "" }

  /// Escaped text.
  package init(text: String) {
    html = ""
    Self.escape(text, into: &html)
  }

  /// Text that is HTML already: the page's own style and script.
  package init(trusted html: String) { self.html = html }

  /// A sentence of ours about names of a schema, which stand in single quotes: whatever the direction of a name, what stands around it stays
  /// where it is.
  package init(sentence: String) {
    html = ""
    var rest = sentence[...]
    while let (open, close) = Self.quotes(in: rest) {
      Self.escape(String(rest[...open]), into: &html)
      html += "<bdi>"
      Self.escape(String(rest[rest.index(after: open)..<close]), into: &html)
      html += "</bdi>"
      // The second quote ends this name, and begins none.
      Self.escape("'", into: &html)
      rest = rest[rest.index(after: close)...]
    }
    Self.escape(String(rest), into: &html)
  }

  /// The next name in quotes. An apostrophe in a word is none of them.
  private static func quotes(in text: Substring) -> (String.Index, String.Index)? {
    func isInWord(_ quote: String.Index) -> Bool {
      quote > text.startIndex && text[text.index(before: quote)].isLetter
    }
    guard let open = text.indices.first(where: { text[$0] == "'" && !isInWord($0) }),
      let close = text[text.index(after: open)...].firstIndex(of: "'")
    else { return nil }
    return (open, close)
  }

  package var isEmpty: Bool { html.isEmpty }

  package static func += (left: inout Markup, right: Markup) { left.html += right.html }

  /// Escapes for element content and for attribute values in double quotes. Control characters, which HTML does not
  /// allow, become U+FFFD.
  private static func escape(_ text: String, into html: inout String) {
    if text.utf8.allSatisfy({ isPlain($0) }) {
      html += text
      return
    }
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": html += "&amp;"
      case "<": html += "&lt;"
      case ">": html += "&gt;"
      case "\"": html += "&quot;"
      case "'": html += "&#39;"
      case "\n", "\t": html.unicodeScalars.append(scalar)
      case _ where scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value): html += "\u{FFFD}"
      default: html.unicodeScalars.append(scalar)
      }
    }
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""),
      UInt8(ascii: "'"), 0x7F...:
      false
    case 0x0A, 0x09: true
    default: byte >= 0x20
    }
  }
}

extension Markup: ExpressibleByStringInterpolation {
  package init(stringLiteral value: String) { html = value }

  package init(stringInterpolation: StringInterpolation) { html = stringInterpolation.markup.html }

  package struct StringInterpolation: StringInterpolationProtocol {
    var markup = Markup()

    package init(literalCapacity: Int, interpolationCount: Int) {
      markup.html.reserveCapacity(literalCapacity + interpolationCount * 16)
    }

    package mutating func appendLiteral(_ literal: String) { markup.html += literal }
    package mutating func appendInterpolation(_ value: Markup) { markup.html += value.html }
    package mutating func appendInterpolation(_ values: [Markup]) {
      for value in values { markup.html += value.html }
    }
    package mutating func appendInterpolation(_ value: Markup?) { markup.html += value?.html ?? "" }
    package mutating func appendInterpolation(_ text: String) {
      Markup.escape(text, into: &markup.html)
    }
    package mutating func appendInterpolation(_ number: Int) { markup.html += String(number) }
  }
}
