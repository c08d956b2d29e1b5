/// Text of a user's file inside of Markdown.
package enum MarkdownText {
  private static let fence = "```"

  /// A text in which nothing is read as Markdown or HTML, on one line.
  package static func escaped(_ text: String) -> String {
    var result = ""
    // A mark with an accent on it is a mark.
    for scalar in line(text).unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\\", "`", "*", "_", "[", "]", "|", "~", "#": result += "\\\(scalar)"
      // GitHub would tell a person of that name. It looks for names in the text that Markdown has become, where an escape
      // has gone.
      case "@": result += "@\u{200B}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// Text between backticks in a cell of a table.
  package static func code(_ text: String) -> String {
    var result = ""
    var last: Unicode.Scalar?
    for scalar in line(text).unicodeScalars {
      switch scalar {
      case "`": result += "'"
      // Behind a backslash, its own would be escaped, and the bar would end the cell.
      case "|": result += last == "\\" ? "¦" : "\\|"
      default: result.unicodeScalars.append(scalar)
      }
      last = scalar
    }
    return result
  }

  /// On one line, without control characters and those that turn the direction of text, and without what would end a fence.
  package static func line(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    var marks = 0
    for scalar in text.unicodeScalars {
      marks = scalar == "`" ? marks + 1 : 0
      result.append(["\n", "\r", "\t"].contains(scalar) ? " " : scalar.shown)
      if marks == Self.fence.unicodeScalars.count {
        result.removeLast(marks)
        result.append(contentsOf: "'''".unicodeScalars)
        marks = 0
      }
    }
    return String(result)
  }
}
