/// Some objects of a table that stand together.
package final class RealmChunk {
  package let table: RealmTable
  /// Objects of the table before these.
  package let first: Int
  package let count: Int
  private let bytes: RealmBytes
  private let content: Content

  private enum Content {
    case leaves([Leaf], keys: Node?, offset: UInt64)
    case trees([OldColumn?])
  }

  init(_ table: RealmTable, _ cluster: ClusterTree.Cluster) throws(RealmError) {
    self.table = table
    first = cluster.first
    count = cluster.count
    bytes = table.bytes
    let node = try Node(bytes, cluster.ref)
    var leaves: [Leaf] = []
    leaves.reserveCapacity(table.columns.count)
    for column in table.columns {
      guard let ref = try node.ref(at: column.place + 1) else {
        leaves.append(.absent(column.absentValue, count: count))
        continue
      }
      let leaf = try Leaf(column.collection == .none ? column.leafKind : .collection, bytes, ref)
      guard leaf.count >= count else {
        throw RealmError(
          "'\(column.name)' of '\(table.name)' has \(leaf.count) values for \(count) objects",
          at: ref)
      }
      leaves.append(leaf)
    }
    content = .leaves(
      leaves,
      keys: try cluster.keys.map { (ref) throws(RealmError) in try Node(table.bytes, ref) },
      offset: cluster.offset)
  }

  init(_ table: RealmTable, _ columns: [OldColumn?], first: Int, count: Int) {
    self.table = table
    self.first = first
    self.count = count
    bytes = table.bytes
    content = .trees(columns)
  }

  /// The key that links lead to.
  package func key(of row: Int) throws(RealmError) -> UInt64 {
    switch content {
    case .leaves(_, let keys, let offset):
      guard let keys else { return offset &+ UInt64(row) }
      return offset &+ (try keys.unsigned(at: row))
    case .trees: return UInt64(first + row)
    }
  }

  /// A value of a column that is no collection.
  ///
  /// - Parameter row: from 0 to `count` - 1.
  package func value(_ column: Int, _ row: Int) throws(RealmError) -> RealmValue {
    switch content {
    case .leaves(let leaves, _, _): return try leaves[column].value(at: row, in: bytes)
    case .trees(let columns): return try columns[column]?.value(at: first + row) ?? .null
    }
  }

  /// Reads the elements of a collection one after the other, those of a dictionary with their keys, texts.
  package func forEachElement(
    _ column: Int, _ row: Int, _ body: (RealmValue?, RealmValue) throws -> Void
  ) throws {
    let declared = table.columns[column]
    let ref: Int?
    switch content {
    case .leaves(let leaves, _, _):
      guard case .collections(let node) = leaves[column], node.hasRefs else { return }
      ref = try node.ref(at: row)
    case .trees(let columns):
      ref = try columns[column]?.collection(at: first + row)
      if let ref, declared.kind == .date {
        let dates = try OldColumn.dates(bytes, ref)
        for index in 0..<dates.count { try body(nil, try dates.value(at: index)) }
        return
      }
    }
    guard let ref else { return }
    if declared.collection == .dictionary {
      return try forEachEntry(ref, declared.leafKind, body)
    }
    var isOfLinks = false
    if case .link = declared.kind { isOfLinks = true }
    let tree = try ElementTree(bytes, ref, declared.leafKind)
    for index in 0..<tree.count {
      let value = try tree.value(at: index)
      if isOfLinks, value == .null { continue }
      try body(nil, value)
    }
  }

  private func forEachEntry(
    _ ref: Int, _ kind: Leaf.Kind, _ body: (RealmValue?, RealmValue) throws -> Void
  ) throws {
    let node = try Node(bytes, ref)
    // Until format 22 a dictionary is a small table of its own, with keys and values for columns.
    if node.isInner || node.count == 3 {
      for cluster in try ClusterTree(bytes, ref).clusters {
        let node = try Node(bytes, cluster.ref)
        let keys = try Leaf(RealmColumn.keyKind, bytes, try node.child(1, "keys of a dictionary"))
        let values = try Leaf(kind, bytes, try node.child(2, "values of a dictionary"))
        for row in 0..<cluster.count {
          try body(try keys.value(at: row, in: bytes), try values.value(at: row, in: bytes))
        }
      }
      return
    }
    let keys = try ElementTree(bytes, try node.ref(at: 0) ?? 0, RealmColumn.keyKind)
    let values = try ElementTree(bytes, try node.ref(at: 1) ?? 0, kind)
    guard keys.count == values.count else {
      throw RealmError("a dictionary has \(keys.count) keys and \(values.count) values", at: ref)
    }
    for index in 0..<keys.count {
      try body(try keys.value(at: index), try values.value(at: index))
    }
  }
}
