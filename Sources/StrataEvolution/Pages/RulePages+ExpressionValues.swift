import StrataSource

extension RulePages {
  static let expressionValues: [DiagnosticPage] = [
    DiagnosticPage(
      expression("STR6201"),
      """
      The result of a calculation with whole numbers does not fit into 64 bits. It is an error that names the
      object, and no wrong number. Convert an operand, `double(old.a) * old.b`, or test before.
      """,
      failing: [],
      repaired: []),
    DiagnosticPage(
      expression("STR6202"),
      """
      A number is divided by zero, which has no result. Test before: `if(old.count == 0, nil, old.sum / old.count)`.
      """,
      failing: [],
      repaired: []),
    DiagnosticPage(
      expression("STR6203"),
      """
      The result of a calculation with decimals has more than 166 digits.
      """,
      failing: [],
      repaired: []),
    DiagnosticPage(
      expression("STR6204"),
      """
      The file holds a value that is not of the property's type. Another program wrote it, or the file is damaged;
      `strata inspect` says what it is.
      """,
      failing: [],
      repaired: []),
  ]
}
