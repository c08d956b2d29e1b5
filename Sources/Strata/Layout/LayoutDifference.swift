/// One thing in which the layout of a file is not that of a fresh one.
package struct LayoutDifference: Hashable, Sendable, CustomStringConvertible {
  package let table: String
  package let description: String

  init(_ table: String, _ description: String) {
    self.table = table
    self.description = description
  }
}

extension DatabaseLayout {
  /// What has to change for this layout to be `expected`; empty when they are the same. Sorted by table.
  package func differences(from expected: DatabaseLayout) -> [LayoutDifference] {
    var result: [LayoutDifference] = []
    for name in Set(tables.keys).union(expected.tables.keys).sorted() {
      switch (tables[name], expected.tables[name]) {
      case (nil, _): result.append(LayoutDifference(name, "the table is missing"))
      case (_, nil): result.append(LayoutDifference(name, "the table is not of the schema"))
      case (let found?, let expected?):
        result += Self.differences(name, found, expected).map { LayoutDifference(name, $0) }
      }
    }
    for name in Set(virtualTables.keys).union(expected.virtualTables.keys).sorted()
    where virtualTables[name] != expected.virtualTables[name] {
      result.append(
        LayoutDifference(
          name,
          "full-text index \(virtualTables[name] ?? "missing"), expected "
            + (expected.virtualTables[name] ?? "none")))
    }
    return result
  }

  private static func differences(
    _ table: String, _ found: Table, _ expected: Table
  ) -> [String] {
    var result: [String] = []
    if found.isStrict != expected.isStrict {
      result.append("the table is \(found.isStrict ? "" : "not ")STRICT")
    }
    if found.isKeyed != expected.isKeyed {
      result.append("the table is \(found.isKeyed ? "" : "not ")WITHOUT ROWID")
    }
    for column in Set(found.columns.keys).union(expected.columns.keys).sorted() {
      switch (found.columns[column], expected.columns[column]) {
      case (nil, _): result.append("the column \(column) is missing")
      case (_, nil): result.append("the column \(column) is not of the schema")
      case (let a?, let b?) where a != b:
        result.append("the column \(column) is \(text(a)), expected \(text(b))")
      default: break
      }
    }
    for (what, a, b) in [
      ("reference", found.references, expected.references),
      ("index", found.indexes, expected.indexes), ("trigger", found.triggers, expected.triggers),
    ] {
      result += b.subtracting(a).sorted().map { "the \(what) \($0) is missing" }
      result += a.subtracting(b).sorted().map { "the \(what) \($0) is not of the schema" }
    }
    if found.deferredReferences != expected.deferredReferences {
      result.append(
        "\(found.deferredReferences) references are deferred, expected "
          + "\(expected.deferredReferences)")
    }
    return result
  }

  private static func text(_ column: Column) -> String {
    var text = column.type
    if column.isRequired { text += " NOT NULL" }
    if column.keyPosition > 0 { text += ", \(column.keyPosition) in the key" }
    return text
  }
}
