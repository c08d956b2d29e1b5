import StrataExpression
import StrataSQLite
import StrataSchema

extension Translation {
  /// A condition that is true, false or, where it is false, perhaps NULL.
  mutating func condition(_ node: ResolvedNode) -> SQLText {
    written { $0.unboundedCondition(node) }
  }

  private mutating func unboundedCondition(_ node: ResolvedNode) -> SQLText {
    switch node {
    case .constant(let value): return value == .bool(true) ? "1" : "0"
    case .all(let parts): return conjunction(parts)
    case .any(let parts): return disjunction(parts)
    case .not(let operand): return negation(of: operand)
    case .comparison(let comparison, let left, let right):
      return self.comparison(comparison, left, right)
    case .text(let comparison, let left, let right, let options):
      return text(comparison, left, right, options)
    case .between(let value, let lower, let upper): return between(value, lower, upper)
    case .oneOf(let value, let items): return oneOf(value, items)
    case .quantified(let quantifier, let collection, let slot, let test):
      return quantified(quantifier, collection, slot, test)
    case .membership(let value, let collection): return membership(value, collection)
    default: return value(node)
    }
  }

  /// However often it is negated, which takes no more room in SQLite's parser.
  private mutating func negation(of operand: ResolvedNode) -> SQLText {
    var (operand, holds) = (operand, false)
    while case .not(let inner) = operand { (operand, holds) = (inner, !holds) }
    return holds ? "((\(condition(operand))) IS TRUE)" : "((\(condition(operand))) IS NOT TRUE)"
  }

  // MARK: - Comparisons

  private mutating func comparison(
    _ comparison: ComparisonOperator, _ left: ResolvedNode, _ right: ResolvedNode
  ) -> SQLText {
    if case .constant = left, case .constant = right { return compared(comparison, left, right) }
    if case .constant = left { return self.comparison(comparison.mirrored, right, left) }
    guard case .constant(let constant) = right else { return compared(comparison, left, right) }
    if constant.isNull {
      switch comparison {
      case .equal: return "(\(value(left)) IS NULL)"
      case .notEqual: return "(\(value(left)) IS NOT NULL)"
      default: return never(left)
      }
    }
    // What no link leads to is nil, and nil fulfils nothing but !=.
    // Of few rows each link is followed by itself; otherwise the search may start where they lead.
    if !isOfOneRow, comparison != .notEqual,
      case .property(.target(let link, let model), let index) = left
    {
      return onTarget(of: link, model) { translation, row in
        translation.compared(comparison, .property(row, index), right)
      }
    }
    return compared(comparison, left, right)
  }

  /// A condition on where a link leads, so that it can start there: `boss IN (SELECT … WHERE name = ?)`.
  private mutating func onTarget(
    of link: ResolvedNode, _ model: Int,
    _ condition: (inout Translation, ResolvedObject) -> SQLText
  ) -> SQLText {
    let path = LinkPath(link, to: model)
    if path.isLong {
      let (from, first, last) = join(path)
      let test = self.test(condition, on: last, model)
      let targets: SQLText = "SELECT \(first).\"_row\" FROM \(from) WHERE \(test)"
      return self.link(path.first, leadsTo: targets)
    }
    let alias = makeAlias()
    let test = self.test(condition, on: alias, model)
    let targets: SQLText =
      "SELECT \(alias).\"_row\" FROM \(table(model)) \(alias) WHERE \(test)"
    return self.link(link, leadsTo: targets)
  }

  /// A condition on the row of an alias.
  private mutating func test(
    _ condition: (inout Translation, ResolvedObject) -> SQLText, on alias: SQLText, _ model: Int
  ) -> SQLText {
    var inner = Translation(layout, functions: functions, subject: alias, subjectModel: model)
    inner.aliasCount = aliasCount
    inner.work = work
    defer { aliasCount = inner.aliasCount }
    return condition(&inner, .subject)
  }

  private mutating func link(_ link: ResolvedNode, leadsTo targets: SQLText) -> SQLText {
    if case .property(.target(let next, let nextModel), let index) = link {
      return onTarget(of: next, nextModel) { translation, row in
        "\(translation.value(.property(row, index))) IN (\(targets))"
      }
    }
    return "\(value(link)) IN (\(targets))"
  }

  private mutating func compared(
    _ comparison: ComparisonOperator, _ left: ResolvedNode, _ right: ResolvedNode
  ) -> SQLText {
    let (a, b) = (kind(of: left), kind(of: right))
    switch Comparability(a, b) {
    case .plain: return plain(comparison, left, right)
    case .equality where comparison == .equal || comparison == .notEqual:
      return plain(comparison, left, right)
    case .floating:
      if case .constant(let constant) = right {
        // Whole numbers are all numbers.
        if !a.isFloating, !constant.isNaN { return plain(comparison, left, right) }
        if comparison == .less, constant.isNaN { return never(left) }
        return floating(comparison, value(left), constant, value(right))
      }
      return call(.compare(comparison), [left, right], .bool)
    case .equality, .none: return call(.compare(comparison), [left, right], .bool)
    }
  }

  /// A condition that holds for no value. The value is worked out all the same where that may fail: SQLite leaves out what stands
  /// beside a constant, but no CASE.
  private mutating func never(_ node: ResolvedNode) -> SQLText {
    node.mayThrow ? "iif((\(value(node))) IS NULL, 0, 0)" : "0"
  }

  private mutating func plain(
    _ comparison: ComparisonOperator, _ left: ResolvedNode, _ right: ResolvedNode
  ) -> SQLText {
    let (a, b) = (value(left), value(right))
    switch comparison {
    case .equal:
      // Of nil, IS and = differ; without it = tells SQLite that an outer join is an inner one.
      if case .constant(let constant) = right, !constant.isNull { return "(\(a) = \(b))" }
      return "(\(a) IS \(b))"
    case .notEqual: return "(\(a) IS NOT \(b))"
    default: return ordered(comparison, a, b)
    }
  }

  /// A number with a constant. NaN stands before all numbers, but its blob sorts behind them.
  private func floating(
    _ comparison: ComparisonOperator, _ a: SQLText, _ constant: Value, _ b: SQLText
  ) -> SQLText {
    let isNaN: SQLText = "\(a) >= x''"
    let isNumber: SQLText = "\(a) < x''"
    guard constant.isNaN else {
      switch comparison {
      case .equal: return "(\(a) = \(b))"
      case .notEqual: return "(\(a) IS NOT \(b))"
      case .less: return "(\(a) < \(b) OR \(isNaN))"
      case .lessOrEqual: return "(\(a) <= \(b) OR \(isNaN))"
      case .greater: return "(\(a) > \(b) AND \(isNumber))"
      default: return "(\(a) >= \(b) AND \(isNumber))"
      }
    }
    switch comparison {
    case .equal, .lessOrEqual: return "(\(isNaN))"
    case .notEqual: return "((\(isNaN)) IS NOT TRUE)"
    case .less: return "0"
    case .greater: return "(\(isNumber))"
    default: return "(\(a) IS NOT NULL)"
    }
  }

  private mutating func oneOf(_ node: ResolvedNode, _ items: [ResolvedNode]) -> SQLText {
    work.allow(elements: items.count)
    // The first one that is equal decides.
    if items.dropFirst().contains(where: \.mayThrow) {
      return disjunction(items.map { .comparison(.equal, node, $0) })
    }
    let kind = kind(of: node)
    var constants: [SQLText] = []
    var tests: [SQLText] = []
    for item in items {
      if case .constant(let constant) = item, !constant.isNull, !constant.isNaN,
        [.plain, .equality, .floating].contains(Comparability(kind, Self.kind(of: constant)))
      {
        constants.append(self.constant(constant))
      } else {
        tests.append(comparison(.equal, node, item))
      }
    }
    if !constants.isEmpty {
      tests.append("\(value(node)) IN (\(SQLText.joined(constants, by: ", ")))")
    }
    return tests.isEmpty ? never(node) : "(\(SQLText.row(tests, by: " OR ")))"
  }

  // MARK: - Text

  private mutating func text(
    _ comparison: ComparisonOperator, _ left: ResolvedNode, _ right: ResolvedNode,
    _ options: TextOptions
  ) -> SQLText {
    if comparison == .search { return search(left, right) }
    if !isOfOneRow, case .property(.target(let link, let model), let index) = left,
      case .constant(let constant) = right, !constant.isNull, comparison != .notEqual
    {
      return onTarget(of: link, model) { translation, row in
        translation.text(comparison, .property(row, index), right, options)
      }
    }
    let kinds = (kind(of: left), kind(of: right))
    guard options.isEmpty, kinds == (.string, .string) || kinds == (.data, .data) else {
      return call(.text(comparison, options), [left, right], .bool)
    }
    switch comparison {
    case .beginsWith:
      guard case .constant(.string(let prefix)) = right else { break }
      let text = value(left)
      if prefix.isEmpty { return "(\(text) IS NOT NULL)" }
      guard let end = prefix.firstAfterPrefix else { return "(\(text) >= \(value: .text(prefix)))" }
      // A range, which an index can find.
      return "(\(text) >= \(value: .text(prefix)) AND \(text) < \(value: .text(end)))"
    case .contains: return "(instr(\(value(left)), \(value(right))) > 0)"
    default: break
    }
    return call(.text(comparison, options), [left, right], .bool)
  }

  // MARK: - Collections

  private mutating func quantified(
    _ quantifier: Quantifier, _ collection: ResolvedCollection, _ slot: Int, _ test: ResolvedNode
  ) -> SQLText {
    // A search asks about elements of all objects, of which this one's may be the only ones that are meant to be worked out.
    if !isOfOneRow, quantifier == .any, test.readsOnly(slot: slot), !test.mayThrow,
      let join = join(collection)
    {
      slots[slot] = Variable(sql: join.value, kind: kind(of: collection))
      return
        "\(subject).\"_row\" IN (SELECT \(join.owner) FROM \(join.from) WHERE \(condition(test)))"
    }
    let elements = rows(of: collection)
    let alias = makeAlias()
    slots[slot] = Variable(
      sql: "\(alias).value", kind: kind(of: collection), isReached: isReached(collection))
    let condition = condition(test)
    let from: SQLText = "SELECT 1 FROM (\(elements)) \(alias) WHERE"
    switch quantifier {
    case .any: return "EXISTS (\(from) \(condition))"
    case .all: return "NOT EXISTS (\(from) (\(condition)) IS NOT TRUE)"
    case .none: return "NOT EXISTS (\(from) \(condition))"
    }
  }

  private mutating func membership(
    _ node: ResolvedNode, _ collection: ResolvedCollection
  ) -> SQLText {
    // No slot has this number: the variable stands for the collection's element here only.
    let slot = -1 - slots.count
    let test = ResolvedNode.comparison(.equal, .variable(slot), node)
    return quantified(.any, collection, slot, test)
  }
}

/// Whether SQL compares values of two kinds as the language does.
private enum Comparability {
  /// Equality and order.
  case plain
  /// Equality only.
  case equality
  /// Numbers of which one may be NaN.
  case floating
  case none

  init(_ a: ColumnCodec.Kind, _ b: ColumnCodec.Kind) {
    switch (a, b) {
    case (.integer, .integer), (.string, .string), (.bool, .bool), (.data, .data), (.uuid, .uuid),
      (.objectID, .objectID), (.link, .link):
      self = .plain
    case (.decimal, .decimal): self = .equality
    case (.integer, .double), (.double, .integer), (.double, .double), (.date, .date),
      (.integer, .float), (.float, .integer), (.float, .float), (.float, .double),
      (.double, .float):
      self = .floating
    default: self = .none
    }
  }
}

extension Value {
  var isNaN: Bool {
    switch self {
    case .float(let value): value.isNaN
    case .double(let value), .date(let value): value.isNaN
    default: false
    }
  }
}

extension String {
  /// The first text behind all that begin with this one, in the order of bytes; nil where there is none.
  var firstAfterPrefix: String? {
    var scalars = Array(unicodeScalars)
    while let last = scalars.popLast() {
      let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
      guard let scalar = Unicode.Scalar(next) else { continue }
      var text = ""
      text.unicodeScalars.append(contentsOf: scalars)
      text.unicodeScalars.append(scalar)
      return text
    }
    return nil
  }
}

extension ResolvedNode {
  /// Whether the node reads nothing but this variable and what it leads to.
  func readsOnly(slot: Int) -> Bool {
    switch self {
    case .constant: true
    case .variable(let other): other == slot
    case .property(let object, _), .identity(let object): object.readsOnly(slot: slot)
    case .negate(let node, _, _), .not(let node), .conversion(let node, _), .folded(let node, _),
      .linkInAny(let node, _), .renamedInAny(let node, _):
      node.readsOnly(slot: slot)
    case .arithmetic(_, _, let a, let b, _), .coalesce(let a, let b), .comparison(_, let a, let b),
      .text(_, let a, let b, _):
      a.readsOnly(slot: slot) && b.readsOnly(slot: slot)
    case .concatenation(let nodes), .all(let nodes), .any(let nodes), .call(_, let nodes, _):
      nodes.allSatisfy { $0.readsOnly(slot: slot) }
    case .between(let a, let b, let c), .conditional(let a, let b, let c):
      [a, b, c].allSatisfy { $0.readsOnly(slot: slot) }
    case .oneOf(let node, let items):
      node.readsOnly(slot: slot) && items.allSatisfy { $0.readsOnly(slot: slot) }
    // Other collections make a correlated subquery anyway.
    case .quantified, .membership, .aggregate, .element, .mapElement, .lookup: false
    }
  }
}

extension ResolvedObject {
  fileprivate func readsOnly(slot: Int) -> Bool {
    switch self {
    case .subject: false
    case .variable(let other, _): other == slot
    case .target(let node, _): node.readsOnly(slot: slot)
    }
  }
}
