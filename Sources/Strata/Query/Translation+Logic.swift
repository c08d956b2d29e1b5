import StrataExpression
import StrataSchema

/// AND and OR, which stop at the first part that decides, as in the language's own evaluation.
///
/// SQLite works out all parts of an AND or OR whose value is needed, and those of a WHERE in an order of its own, so that a part
/// could fail that another one guards. CASE goes from one to the next everywhere. It stands only where some part may fail: of
/// what is in a CASE no index finds anything.
extension Translation {
  /// Conditions that all have to hold.
  mutating func conjunction(_ parts: [ResolvedNode]) -> SQLText {
    guard parts.count > 1, parts.contains(where: \.mayThrow) else { return range(parts) }
    let runs = Self.runs(of: parts)
    var cases: [SQLText] = ["CASE"]
    for run in runs.dropLast() { cases.append("WHEN (\(range(run))) IS NOT TRUE THEN 0") }
    for run in runs.suffix(1) { cases.append("ELSE \(range(run)) END") }
    return found(SQLText.joined(cases, by: " "), .all(parts))
  }

  /// Conditions of which one has to hold.
  mutating func disjunction(_ parts: [ResolvedNode]) -> SQLText {
    guard parts.count > 1, parts.contains(where: \.mayThrow) else {
      return parts.isEmpty ? "0" : "(\(alternatives(parts)))"
    }
    let runs = Self.runs(of: parts)
    var cases: [SQLText] = ["CASE"]
    for run in runs.dropLast() { cases.append("WHEN \(alternatives(run)) THEN 1") }
    for run in runs.suffix(1) { cases.append("ELSE \(alternatives(run)) END") }
    return found(SQLText.joined(cases, by: " "), .any(parts))
  }

  private mutating func alternatives(_ parts: [ResolvedNode]) -> SQLText {
    SQLText.row(parts.map { condition($0) }, by: " OR ")
  }

  /// What may fail is a run of its own, because SQLite leaves it out beside a constant that decides.
  private static func runs(of parts: [ResolvedNode]) -> [[ResolvedNode]] {
    var runs: [[ResolvedNode]] = []
    var isOpen = false
    for part in parts {
      let mayThrow = part.mayThrow
      if isOpen, !mayThrow { runs[runs.count - 1].append(part) } else { runs.append([part]) }
      isOpen = !mayThrow
    }
    return runs
  }

  // MARK: - Indexes

  /// The cases of a condition, and behind them what it cannot hold without and an index may find. Each bracket that is not needed would
  /// take room in SQLite's parser.
  private mutating func found(_ cases: SQLText, _ node: ResolvedNode) -> SQLText {
    guard let findable = findable(node) else { return cases }
    return "(\(cases) AND \(condition(findable)))"
  }

  /// A condition that holds wherever this one does, cannot fail, and is one that an index may find; nil where there is none.
  private func findable(_ node: ResolvedNode) -> ResolvedNode? {
    switch node {
    case .all(let parts):
      let found = parts.compactMap { findable($0) }
      return found.isEmpty ? nil : .all(found)
    case .any(let parts):
      let found = parts.compactMap { findable($0) }
      return found.isEmpty || found.count < parts.count ? nil : .any(found)
    default: return mayBeFound(node) && !node.mayThrow ? node : nil
    }
  }

  private func mayBeFound(_ node: ResolvedNode) -> Bool {
    switch node {
    case .comparison(.notEqual, _, _): false
    case .comparison(.equal, let left, let right): left.isPath || right.isPath
    case .comparison(_, let left, let right):
      (left.isPath || right.isPath) && !left.hasNothingBefore && !right.hasNothingBefore
    case .between(let value, let lower, let upper):
      value.isPath && !lower.hasNothingBefore && !upper.hasNothingBefore
    case .oneOf(let value, let items): value.isPath && !items.isEmpty
    case .text(_, let text, _, _): text.isPath
    case .quantified(.any, let collection, _, _), .membership(_, in: let collection):
      !isOfOneRow && collection.isOfSubject
    default: false
    }
  }
}

extension ResolvedNode {
  fileprivate var isPath: Bool {
    switch self {
    case .property, .identity, .variable: true
    default: false
    }
  }

  /// Whether it is nil or NaN, with which an order is a constant of SQL.
  fileprivate var hasNothingBefore: Bool {
    guard case .constant(let value) = self else { return false }
    return value.isNull || value.isNaN
  }
}

extension ResolvedCollection {
  /// Whether a search may start at its elements.
  fileprivate var isOfSubject: Bool {
    switch self {
    case .elements(.subject, _): true
    case .values(let objects, _, _): objects.isOfSubject
    default: false
    }
  }
}
