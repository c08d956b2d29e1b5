import StrataExpression
import StrataSQLite
import StrataSchema

/// Whole numbers in SQL. SQLite makes a sum that does not fit into 64 bits a fraction without a word; the language
/// calls it an error, so that what may overflow is tested first and then left to the language's own evaluation.
extension Translation {
  mutating func arithmetic(
    _ operation: BinaryOperator, _ number: NumberKind, _ left: ResolvedNode, _ right: ResolvedNode,
    _ kind: ColumnCodec.Kind
  ) -> SQLText {
    func called(_ translation: inout Translation) -> SQLText {
      let (operations, operands) = Self.row(operation, number, left, right)
      return translation.call(.arithmetic(operations, number), operands, kind)
    }
    guard number == .int, isWhole(left), isWhole(right) else { return called(&self) }
    switch (operation, left, right) {
    case (.divide, _, .constant(.int(let divisor))) where divisor != 0 && divisor != -1:
      return "(\(value(left)) / \(value(right)))"
    case (.remainder, _, .constant(.int(let divisor))) where divisor != 0 && divisor != -1:
      return "(\(value(left)) % \(value(right)))"
    case (.add, _, .constant(.int(let constant))) where left.isColumn,
      (.add, .constant(.int(let constant)), _) where right.isColumn:
      let column = value(left.isColumn ? left : right)
      return sum(column, constant, otherwise: called(&self))
    case (.subtract, _, .constant(.int(let constant))) where left.isColumn && constant != .min:
      return sum(value(left), -constant, otherwise: called(&self))
    case (.add, _, _) where left.isColumn && right.isColumn,
      (.subtract, _, _) where left.isColumn && right.isColumn,
      (.multiply, _, _) where left.isSimple && right.isSimple:
      let sign: SQLText = operation == .add ? "+" : operation == .subtract ? "-" : "*"
      let result: SQLText = "(\(value(left)) \(sign) \(value(right)))"
      return "iif(typeof\(result) = 'real', \(called(&self)), \(result))"
    default: return called(&self)
    }
  }

  /// As many as SQLite takes in one call, beside the number of the operation.
  private static let maximumOperands = 100

  /// What is worked out one after the other, `a + b - c`, is one call: SQLite's parser holds no more than some twenty calls in each other.
  private static func row(
    _ operation: BinaryOperator, _ number: NumberKind, _ left: ResolvedNode, _ right: ResolvedNode
  ) -> ([BinaryOperator], [ResolvedNode]) {
    var (operations, operands, first) = ([operation], [right], left)
    while operands.count < maximumOperands - 1,
      case .arithmetic(let earlier, number, let left, let right, _) = first
    {
      operations.append(earlier)
      operands.append(right)
      first = left
    }
    return (operations.reversed(), [first] + operands.reversed())
  }

  private func sum(_ column: SQLText, _ constant: Int64, otherwise call: SQLText) -> SQLText {
    let sum: SQLText = "\(column) + \(value: .integer(constant))"
    if constant >= 0 {
      return "iif(\(column) > \(value: .integer(.max - constant)), \(call), \(sum))"
    }
    return "iif(\(column) < \(value: .integer(.min - constant)), \(call), \(sum))"
  }

  private func isWhole(_ node: ResolvedNode) -> Bool {
    if case .integer = kind(of: node) { return true }
    return false
  }

  mutating func conversion(
    _ operand: ResolvedNode, _ type: ScalarType, _ kind: ColumnCodec.Kind,
    by operation: QueryOperation
  ) -> SQLText {
    let source = self.kind(of: operand)
    if TypePair(source.storedType, kind.storedType).sharesCells { return value(operand) }
    switch (source, type) {
    case (.integer, .double): return "CAST(\(value(operand)) AS REAL)"
    case (.integer, .string): return "CAST(\(value(operand)) AS TEXT)"
    default: return call(operation, [operand], kind)
    }
  }
}

extension ResolvedNode {
  /// Whether the node is a column of the row itself, so that naming it twice costs next to nothing.
  fileprivate var isColumn: Bool {
    if case .property(.subject, _) = self { return true }
    return false
  }

  fileprivate var isSimple: Bool {
    if case .constant = self { return true }
    return isColumn
  }
}
