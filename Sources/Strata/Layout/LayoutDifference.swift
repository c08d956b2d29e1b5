import StrataSchema

/// One thing in which the layout of a file is not that of a fresh one.
package struct LayoutDifference: Hashable, Sendable, CustomStringConvertible {
  /// Who notices.
  package enum Weight: Int, Hashable, Sendable, Comparable {
    /// Only speed depends on it, or nothing of ours: an index that keeps nothing unique, a table of another program.
    case harmless
    /// What is written would not be what the schema says: a trigger, a reference, a unique index.
    case writing
    /// What is read would not be what was written.
    case reading

    package static func < (left: Weight, right: Weight) -> Bool { left.rawValue < right.rawValue }
  }

  package let table: String
  package let description: String
  package let weight: Weight
  /// Whether something is there that a fresh file has not, as another program adds it.
  private let isMore: Bool

  init(_ table: String, _ description: String, _ weight: Weight, isMore: Bool = false) {
    self.table = table
    self.description = description
    self.weight = weight
    self.isMore = isMore
  }

  /// Whether it is something of another program that may stay.
  package var isOfOthers: Bool { isMore && weight == .harmless }
}

extension DatabaseLayout {
  /// What has to change for this layout to be `expected`; empty when they are the same. Sorted by table.
  package func differences(from expected: DatabaseLayout) -> [LayoutDifference] {
    var result: [LayoutDifference] = []
    for name in Set(tables.keys).union(expected.tables.keys).sorted() {
      switch (tables[name], expected.tables[name]) {
      case (nil, _):
        let kind =
          views.contains(name) ? "a view" : virtualTables[name] != nil ? "a virtual table" : nil
        result.append(
          LayoutDifference(
            name, kind.map { "it is \($0), not a table" } ?? "the table is missing", .reading))
      case (_, nil):
        result.append(
          LayoutDifference(name, "the table is not of the schema", .harmless, isMore: true))
      case (let found?, let wanted?):
        if Self.isSpelledOtherwise(name, in: tables, and: expected.tables) {
          result.append(
            LayoutDifference(name, "the table's name has other Unicode scalars", .reading))
        }
        result += Self.differences(name, found, wanted)
      }
    }
    for name in Set(virtualTables.keys).union(expected.virtualTables.keys).sorted()
    where virtualTables[name] != expected.virtualTables[name] {
      result.append(
        LayoutDifference(
          name,
          "full-text index \(virtualTables[name] ?? "missing"), expected "
            + (expected.virtualTables[name] ?? "none"),
          expected.virtualTables[name] == nil ? .harmless : .reading,
          isMore: expected.virtualTables[name] == nil))
    }
    return result
  }

  /// Whether a name that both have differs in its bytes: equal strings may, and SQLite takes them for two names.
  private static func isSpelledOtherwise<Value>(
    _ name: String, in found: [String: Value], and expected: [String: Value]
  ) -> Bool {
    guard let one = found.index(forKey: name), let other = expected.index(forKey: name) else {
      return false
    }
    return !found.keys[one].isSpelled(like: expected.keys[other])
  }

  private static func differences(
    _ table: String, _ found: Table, _ expected: Table
  ) -> [LayoutDifference] {
    var result: [LayoutDifference] = []
    func add(_ description: String, _ weight: LayoutDifference.Weight) {
      result.append(LayoutDifference(table, description, weight))
    }
    if found.isStrict != expected.isStrict {
      add("the table is \(found.isStrict ? "" : "not ")STRICT", .reading)
    }
    if found.isKeyed != expected.isKeyed {
      add("the table is \(found.isKeyed ? "" : "not ")WITHOUT ROWID", .reading)
    }
    for column in Set(found.columns.keys).union(expected.columns.keys).sorted() {
      switch (found.columns[column], expected.columns[column]) {
      case (nil, _): add("the column \(column) is missing", .reading)
      case (_, nil): add("the column \(column) is not of the schema", .writing)
      case (let a?, let b?) where a != b:
        add("the column \(column) is \(text(a)), expected \(text(b))", .reading)
      default:
        if isSpelledOtherwise(column, in: found.columns, and: expected.columns) {
          add("the name of the column \(column) has other Unicode scalars", .reading)
        }
      }
    }
    for word in found.clauses.subtracting(expected.clauses).sorted() {
      add("its definition says \(word), which is not of the schema", .reading)
    }
    for (what, a, b) in [
      ("reference", found.references, expected.references),
      ("index", found.indexes, expected.indexes), ("trigger", found.triggers, expected.triggers),
    ] {
      let isIndex = what == "index"
      result += b.subtracting(a).sorted().map {
        LayoutDifference(
          table, "the \(what) \($0) is missing",
          isIndex && !$0.hasPrefix("UNIQUE ") ? .harmless : .writing)
      }
      result += a.subtracting(b).sorted().map {
        LayoutDifference(
          table, "the \(what) \($0) is not of the schema",
          isIndex && isPlainIndex($0) ? .harmless : .writing, isMore: true)
      }
    }
    if found.deferredReferences != expected.deferredReferences {
      add(
        "\(found.deferredReferences) references are deferred, expected "
          + "\(expected.deferredReferences)", .writing)
    }
    return result
  }

  /// Whether an index has columns alone: it keeps nothing out and computes nothing.
  private static func isPlainIndex(_ definition: String) -> Bool {
    let words = SQLWords(definition)
    return !definition.hasPrefix("UNIQUE ") && words.parentheses == 1
      && words.bare.isDisjoint(with: ["WHERE", "COLLATE", "CAST", "CASE", "NULL", "NOT"])
      && !words.hasOperators
  }

  private static func text(_ column: Column) -> String {
    var text = column.type
    if column.isRequired { text += " NOT NULL" }
    if column.keyPosition > 0 { text += ", \(column.keyPosition) in the key" }
    if column.isComputed { text += ", computed" }
    return text
  }
}
