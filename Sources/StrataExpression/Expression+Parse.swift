import StrataSchema

/// Why a text is no expression, or none that fits the schema.
package struct ExpressionError: Error, Hashable, Sendable {
  /// `STR6xxx`.
  package var code: String
  /// What was found and what was expected.
  package var message: String
  /// The bytes of the expression's text that are meant.
  package var range: Range<Int>
  package var help: String?

  package init(code: String, message: String, range: Range<Int>, help: String? = nil) {
    self.code = code
    self.message = message
    self.range = range
    self.help = help
  }
}

extension Expression {
  package static func parse(_ text: String) throws(ExpressionError) -> Expression {
    throw ExpressionError(code: "STR6001", message: "", range: 0..<0)
  }

  package var text: String { "" }
}
