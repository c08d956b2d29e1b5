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
  case notSearchable = "STR6119"
  case notKeyed = "STR6120"

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
    case .notSearchable: "not-searchable"
    case .notKeyed: "lookup-without-key"
    case .integerOverflow: "integer-overflow"
    case .divisionByZero: "division-by-zero"
    case .decimalOverflow: "decimal-overflow"
    case .unexpectedValue: "unexpected-value"
    }
  }

  /// One sentence on what is found.
  package var summary: String {
    switch self {
    case .unexpectedToken: "Something stands where something else is expected."
    case .unexpectedEnd: "An expression ends before it is complete."
    case .unknownCharacter: "A sign that means nothing in an expression."
    case .unterminatedString: "A string without its closing quote."
    case .invalidEscape: "A backslash before something that it has no meaning with."
    case .invalidNumber: "A number that does not fit into its type."
    case .tooLong: "An expression of more bytes than are read."
    case .tooDeep: "An expression that is nested too deep or has too many operators."
    case .unknownFunction: "A function that does not exist."
    case .wrongArgumentCount: "A function with more or fewer arguments than it takes."
    case .formatArguments: "A format and its arguments do not fit."
    case .invalidKeyPath: "The argument of a %K that is no key path."
    case .unknownOption: "A letter in the brackets of a comparison that is none of c and d."
    case .invalidLiteral: "A literal that has no value of its type."
    case .unknownAggregate: "An aggregate that does not exist."
    case .unknownProperty: "A property that the model does not have."
    case .unknownVariable: "A variable that no SUBQUERY around it names."
    case .wrongRoot: "A step that does not say 'old', or a query that does."
    case .operandType: "An operator between values that it does not work on."
    case .comparisonType: "A comparison of values that can be neither equal nor in order."
    case .unknownEnumValue: "A raw value that no case of the enum has."
    case .notACondition: "A value where true or false is expected."
    case .needsOneValue: "Many values where one is expected."
    case .needsCollection: "One value where a collection is expected."
    case .functionArgument: "An argument of a type that the function does not take."
    case .notAssignable: "A value of a type that the property does not hold."
    case .mayBeNil: "A value that may be nil for a required property."
    case .literalOutOfRange: "A literal outside of the property's range."
    case .notALink: "A dot behind something that has no properties."
    case .mixedTypes: "Branches or elements of different types."
    case .quantifier: "ANY, ALL or NONE before something that is no comparison of many values."
    case .unboundArgument: "A %@ or $0 without its value."
    case .notStored: "An ignored property, which no file holds."
    case .notSearchable: "A search in what has no full-text index."
    case .notKeyed: "A lookup in a model that does not exist or has no primary key."
    case .integerOverflow: "A calculation whose result does not fit into an int."
    case .divisionByZero: "A division by zero."
    case .decimalOverflow: "A calculation whose result has too many digits."
    case .unexpectedValue: "A stored value that is not of its property's type."
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
