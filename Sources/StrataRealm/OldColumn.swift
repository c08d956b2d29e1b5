/// A column of a table before format 10, which is a tree of its own.
final class OldColumn {
  enum Content {
    case values(ElementTree)
    case dates(seconds: ElementTree, nanoseconds: ElementTree)
    /// References to a tree of values each; in a list of scalars behind one more node.
    case collections(OldReferences, isWrapped: Bool)
  }

  private let content: Content
  private let bytes: RealmBytes
  let count: Int

  init(_ content: Content, in bytes: RealmBytes) {
    self.content = content
    self.bytes = bytes
    switch content {
    case .values(let tree): count = tree.count
    case .dates(let seconds, let nanoseconds): count = min(seconds.count, nanoseconds.count)
    case .collections(let references, _): count = references.count
    }
  }

  /// Dates stand in two trees, one of seconds and one of nanoseconds.
  static func dates(_ bytes: RealmBytes, _ ref: Int) throws(RealmError) -> OldColumn {
    let parts = try Node(bytes, ref)
    return OldColumn(
      .dates(
        seconds: try ElementTree(bytes, try parts.ref(at: 0) ?? 0, .nullableInt),
        nanoseconds: try ElementTree(bytes, try parts.ref(at: 1) ?? 0, .int)), in: bytes)
  }

  func value(at row: Int) throws(RealmError) -> RealmValue {
    switch content {
    case .values(let tree): return try tree.value(at: row)
    case .dates(let seconds, let nanoseconds):
      guard case .int(let whole) = try seconds.value(at: row),
        case .int(let fraction) = try nanoseconds.value(at: row)
      else { return .null }
      return .date(seconds: whole, nanoseconds: fraction)
    case .collections: return .null
    }
  }

  /// Where the elements of a row's collection stand; nil for an empty one.
  func collection(at row: Int) throws(RealmError) -> Int? {
    guard case .collections(let references, let isWrapped) = content,
      let ref = try references.ref(at: row)
    else { return nil }
    guard isWrapped else { return ref }
    return try Node(bytes, ref).ref(at: 0)
  }
}

/// A tree whose leaves hold references, of a file before format 10.
final class OldReferences {
  private let bytes: RealmBytes
  private var leaves: [(first: Int, ref: Int)] = []
  private(set) var count = 0

  init(_ bytes: RealmBytes, _ ref: Int) throws(RealmError) {
    self.bytes = bytes
    var seen: Set<Int> = []
    try find(ref, &seen, depth: 0)
  }

  private func find(_ ref: Int, _ seen: inout Set<Int>, depth: Int) throws(RealmError) {
    guard depth < ElementTree.maximumDepth else {
      throw RealmError("a tree is deeper than \(ElementTree.maximumDepth) nodes", at: ref)
    }
    let node = try Node(bytes, ref)
    guard node.isInner else {
      guard node.hasRefs || node.width == 0 else {
        throw RealmError("references are expected", at: ref)
      }
      try ElementTree.checkLeaf(ref, node.count, bytes)
      leaves.append((count, ref))
      count += node.count
      return
    }
    guard node.count >= 3 else { throw RealmError("a tree has a node without children", at: ref) }
    for index in 1..<node.count - 1 {
      try find(try ElementTree.child(index, of: node, &seen), &seen, depth: depth + 1)
    }
  }

  func ref(at row: Int) throws(RealmError) -> Int? {
    guard row >= 0, row < count else { return nil }
    var (low, high) = (0, leaves.count)
    while low + 1 < high {
      let middle = (low + high) / 2
      if leaves[middle].first <= row { low = middle } else { high = middle }
    }
    let node = try Node(bytes, leaves[low].ref, isCounted: false)
    return node.hasRefs ? try node.ref(at: row - leaves[low].first) : nil
  }
}
