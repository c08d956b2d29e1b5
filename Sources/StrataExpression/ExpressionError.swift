/// Why a text is no expression, or none that fits the schema.
package struct ExpressionError: Error, Hashable, Sendable {
  package var rule: ExpressionRule
  /// What was found and what was expected.
  package var message: String
  /// The bytes of the expression's text that are meant.
  package var range: Range<Int>
  /// The next move, where there is an obvious one.
  package var help: String?

  package init(_ rule: ExpressionRule, _ message: String, range: Range<Int>, help: String? = nil) {
    self.rule = rule
    self.message = message
    self.range = range
    self.help = help
  }

  /// `STR6xxx`.
  package var code: String { rule.rawValue }
}

/// What can be wrong with an expression: the catalogue of the codes STR6xxx.
package enum ExpressionRule: String, CaseIterable, Hashable, Sendable {
  // The text.
  case unexpectedToken = "STR6001"
  case unexpectedEnd = "STR6002"
  case unknownCharacter = "STR6003"
  case unterminatedString = "STR6004"
  case invalidEscape = "STR6005"
  case invalidNumber = "STR6006"
  case tooLong = "STR6007"
  case tooDeep = "STR6008"
  case unknownFunction = "STR6009"
  case wrongArgumentCount = "STR6010"
  case formatArguments = "STR6011"
  case invalidKeyPath = "STR6012"
  case unknownOption = "STR6013"
  case invalidLiteral = "STR6014"
  case unknownAggregate = "STR6015"

  // Its types.
  case unknownProperty = "STR6101"
  case unknownVariable = "STR6102"
  case wrongRoot = "STR6103"
  case operandType = "STR6104"
  case comparisonType = "STR6105"
  case unknownEnumValue = "STR6106"
  case notACondition = "STR6107"
  case needsOneValue = "STR6108"
  case needsCollection = "STR6109"
  case functionArgument = "STR6110"
  case notAssignable = "STR6111"
  case mayBeNil = "STR6112"
  case literalOutOfRange = "STR6113"
  case notALink = "STR6114"
  case mixedTypes = "STR6115"
  case quantifier = "STR6116"
  case unboundArgument = "STR6117"
  case notStored = "STR6118"

  // Its evaluation.
  case integerOverflow = "STR6201"
  case divisionByZero = "STR6202"
  case decimalOverflow = "STR6203"
  case unexpectedValue = "STR6204"

  /// The name that stands beside the code.
  package var name: String {
    switch self {
    case .unexpectedToken: "unexpected-token"
    case .unexpectedEnd: "unexpected-end"
    case .unknownCharacter: "unknown-character"
    case .unterminatedString: "unterminated-string"
    case .invalidEscape: "invalid-escape"
    case .invalidNumber: "invalid-number"
    case .tooLong: "expression-too-long"
    case .tooDeep: "expression-too-deep"
    case .unknownFunction: "unknown-function"
    case .wrongArgumentCount: "wrong-argument-count"
    case .formatArguments: "format-arguments"
    case .invalidKeyPath: "invalid-key-path"
    case .unknownOption: "unknown-option"
    case .invalidLiteral: "invalid-literal"
    case .unknownAggregate: "unknown-aggregate"
    case .unknownProperty: "expression-unknown-property"
    case .unknownVariable: "unknown-variable"
    case .wrongRoot: "wrong-root"
    case .operandType: "operand-type"
    case .comparisonType: "comparison-type"
    case .unknownEnumValue: "unknown-enum-value"
    case .notACondition: "not-a-condition"
    case .needsOneValue: "needs-one-value"
    case .needsCollection: "needs-collection"
    case .functionArgument: "function-argument"
    case .notAssignable: "not-assignable"
    case .mayBeNil: "may-be-nil"
    case .literalOutOfRange: "literal-out-of-range"
    case .notALink: "not-a-link"
    case .mixedTypes: "mixed-types"
    case .quantifier: "quantifier-misplaced"
    case .unboundArgument: "unbound-argument"
    case .notStored: "not-stored"
    case .integerOverflow: "integer-overflow"
    case .divisionByZero: "division-by-zero"
    case .decimalOverflow: "decimal-overflow"
    case .unexpectedValue: "unexpected-value"
    }
  }
}

/// Why an expression has no value for one object. The caller knows which object it was.
package struct EvaluationError: Error, Hashable, Sendable, CustomStringConvertible {
  package var rule: ExpressionRule
  package var message: String
  /// The bytes of the expression's text whose evaluation failed.
  package var range: Range<Int>

  package init(_ rule: ExpressionRule, _ message: String, range: Range<Int>) {
    self.rule = rule
    self.message = message
    self.range = range
  }

  package var code: String { rule.rawValue }
  package var description: String { "\(message) [\(code)]" }
}
