/// Some objects of a table that stand together.
package final class RealmChunk {
  package let table: RealmTable
  /// Objects of the table before these.
  package let first: Int
  package let count: Int
  private let bytes: RealmBytes
  private let content: Content

  private enum Content {
    case cluster(Node, ClusterTree.Cluster)
    case trees([OldColumn?])
  }

  /// By column, of a cluster; nil for one that was not asked for. Each reading of a collection needs one only.
  private var leaves: [Leaf?] = []

  init(_ table: RealmTable, _ cluster: ClusterTree.Cluster) throws(RealmError) {
    self.table = table
    first = cluster.first
    count = cluster.count
    bytes = table.bytes
    content = .cluster(try Node(bytes, cluster.ref), cluster)
    leaves = [Leaf?](repeating: nil, count: table.columns.count)
  }

  private func leaf(_ column: Int, of node: Node) throws(RealmError) -> Leaf {
    if let leaf = leaves[column] { return leaf }
    let leaf = try open(table.columns[column], of: node)
    leaves[column] = leaf
    return leaf
  }

  private func open(_ column: RealmColumn, of node: Node) throws(RealmError) -> Leaf {
    guard let ref = try node.ref(at: column.place + 1) else {
      return .absent(column.absentValue, count: count)
    }
    let leaf = try Leaf(column.collection == .none ? column.leafKind : .collection, bytes, ref)
    guard leaf.count >= count else {
      throw RealmError(
        "'\(column.name)' of '\(table.name)' has \(leaf.count) values for \(count) objects",
        at: ref)
    }
    return leaf
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
    case .cluster(_, let cluster):
      guard let keys = cluster.keys else { return cluster.offset &+ UInt64(row) }
      return cluster.offset &+ (try Node(bytes, keys, isCounted: false).unsigned(at: row))
    case .trees: return UInt64(first + row)
    }
  }

  /// A value of a column that is no collection.
  ///
  /// - Parameter row: from 0 to `count` - 1.
  package func value(_ column: Int, _ row: Int) throws(RealmError) -> RealmValue {
    if !leaves.isEmpty, let leaf = leaves[column] { return try leaf.value(at: row, in: bytes) }
    switch content {
    case .cluster(let node, _): return try leaf(column, of: node).value(at: row, in: bytes)
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
    case .cluster(let node, _):
      guard case .collections(let refs) = try leaf(column, of: node), refs.hasRefs else { return }
      ref = try refs.ref(at: row)
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
    // Until format 22 a dictionary is a small table of its own, with keys and values for columns. One in which two keys once had one
    // hash has a third column, of the others with the hash; each of them is a row, too.
    if node.isInner || node.count >= 3 {
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
