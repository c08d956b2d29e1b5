import StrataSchema

extension Expression {
  /// The canonical spelling: one line, the fewest parentheses, keywords in capitals, strings in single quotes.
  /// `parse` reads it back to an equal tree.
  package var text: String {
    var writer = ExpressionWriter()
    writer.write(self, atLeast: .or)
    return writer.text
  }
}

/// How tightly an expression binds, loosest first.
private enum Binding: Int, Comparable {
  case or
  case and
  case not
  case comparison
  case coalesce
  case sum
  case product
  case sign
  case path

  static func < (left: Binding, right: Binding) -> Bool { left.rawValue < right.rawValue }

  var next: Binding { Binding(rawValue: rawValue + 1) ?? .path }
}

extension Expression {
  fileprivate var binding: Binding {
    switch kind {
    case .binary(let kind, _, _): kind.binding
    case .unary(.not, _): .not
    case .unary(.negate, _): .sign
    case .comparison, .between, .oneOf, .quantified: .comparison
    case .literal(.int(let value)) where value < 0: .sign
    case .literal(.double(let value)) where value.isFinite && value.sign == .minus: .sign
    default: .path
    }
  }
}

extension BinaryOperator {
  fileprivate var binding: Binding {
    switch self {
    case .or: .or
    case .and: .and
    case .coalesce: .coalesce
    case .add, .subtract: .sum
    case .multiply, .divide, .remainder: .product
    }
  }
}

private struct ExpressionWriter {
  var text = ""

  mutating func write(_ expression: Expression, atLeast least: Binding) {
    if expression.binding < least {
      text += "("
      write(expression, atLeast: .or)
      text += ")"
      return
    }
    switch expression.kind {
    case .literal(let value): text += LiteralSpelling.text(of: value)
    case .argument(let number): text += "$\(number)"
    case .object(.subject): text += "SELF"
    case .object(.old): text += "old"
    case .object(.new): text += "new"
    case .object(.variable(let name)): text += "$\(name)"
    case .member(let base, let name): writeMember(name, of: base)
    case .element(let base, let index):
      writeBase(base)
      text += "["
      // `[first]` would be the position, not a property of that name.
      if case .member(let object, let name) = index.kind, object.kind == .object(.subject),
        ["first", "last", "size"].contains(name.lowercased())
      {
        text += "#\(name)"
      } else {
        write(index, atLeast: .or)
      }
      text += "]"
    case .unary(.not, let operand):
      text += "NOT "
      write(operand, atLeast: .not)
    case .unary(.negate, let operand):
      text += "-"
      writeNegated(operand)
    case .binary(let kind, let left, let right): writeBinary(kind, left, right)
    case .comparison(let comparison, let left, let right, let options):
      write(left, atLeast: .coalesce)
      text += " \(comparison.rawValue)\(options.text) "
      write(right, atLeast: .coalesce)
    case .between(let value, let lower, let upper):
      write(value, atLeast: .coalesce)
      text += " BETWEEN "
      writeList("{", [lower, upper], "}")
    case .oneOf(let value, let items, let options):
      write(value, atLeast: .coalesce)
      text += " IN\(options.text) "
      writeList("{", items, "}")
    case .quantified(let quantifier, let condition):
      text += "\(quantifier.rawValue) "
      if case .quantified = condition.kind {
        writeList("(", [condition], ")")
      } else {
        write(condition, atLeast: .comparison)
      }
    case .aggregate(let aggregate, let collection):
      writeBase(collection)
      text += ".\(aggregate.rawValue)"
    case .subquery(let collection, let variable, let condition):
      text += "SUBQUERY("
      write(collection, atLeast: .or)
      text += ", $\(variable), "
      write(condition, atLeast: .or)
      text += ")"
    case .lookup(let model, let key):
      text += "lookup("
      write(model, atLeast: .path)
      text += ", key: "
      for (index, value) in key.enumerated() {
        if index > 0 { text += ", " }
        write(value, atLeast: .or)
      }
      text += ")"
    case .call(let function, let arguments):
      text += function.rawValue
      if LiteralSpelling.isLiteralCall(function, arguments) {
        text += "("
        writeList("(", arguments, ")")
        text += ")"
      } else {
        writeList("(", arguments, ")")
      }
    case .conditional(let condition, let value, let other):
      text += "if"
      writeList("(", [condition, value, other], ")")
    case .list(let items): writeList("{", items, "}")
    }
  }

  private mutating func writeList(_ open: String, _ items: [Expression], _ close: String) {
    text += open
    for (index, item) in items.enumerated() {
      if index > 0 { text += ", " }
      write(item, atLeast: .or)
    }
    text += close
  }

  /// Chains are written in a loop: a condition of hundreds of parts must not take hundreds of frames.
  private mutating func writeBinary(_ kind: BinaryOperator, _ left: Expression, _ right: Expression)
  {
    let binding = kind.binding
    if kind == .coalesce {
      write(left, atLeast: binding.next)
      text += " ?? "
      write(right, atLeast: binding)
      return
    }
    var parts: [(BinaryOperator, Expression)] = [(kind, right)]
    var first = left
    while case .binary(let inner, let left, let right) = first.kind, inner.binding == binding {
      parts.append((inner, right))
      first = left
    }
    write(first, atLeast: binding.next)
    for (kind, operand) in parts.reversed() {
      text += " \(kind.rawValue) "
      write(operand, atLeast: binding.next)
    }
  }

  /// A positive number behind a sign would become a negative literal.
  private mutating func writeNegated(_ operand: Expression) {
    switch operand.kind {
    case .literal(.int), .literal(.double):
      if operand.binding == .path { return writeList("(", [operand], ")") }
    default: break
    }
    write(operand, atLeast: .sign)
  }

  private mutating func writeMember(_ name: String, of base: Expression) {
    if base.kind == .object(.subject) {
      let isReserved = Keyword(name) != nil || name == "old"
      text += (isReserved ? "#" : "") + name
      return
    }
    writeBase(base)
    text += "." + name
  }

  /// What a path goes on behind. An aggregate takes names behind itself as its own.
  private mutating func writeBase(_ base: Expression) {
    if case .aggregate = base.kind { return writeList("(", [base], ")") }
    write(base, atLeast: .path)
  }
}

extension TextOptions {
  fileprivate var text: String {
    if isEmpty { return "" }
    return "[" + (contains(.caseInsensitive) ? "c" : "")
      + (contains(.diacriticInsensitive) ? "d" : "") + "]"
  }
}
