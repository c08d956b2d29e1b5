/// The elements of a list, set or old column: the leaves of a tree, found once.
final class ElementTree {
  /// Inner nodes above a leaf at most: a tree with the smallest nodes would be larger than any file.
  static let maximumDepth = 64
  /// Elements of a leaf at most. Realm splits a leaf at 1,000 (`REALM_MAX_BPNODE_SIZE`); the rest is room for a build of it that has
  /// another number.
  static let maximumElementsOfLeaf = 4_096

  private let bytes: RealmBytes
  private let kind: Leaf.Kind
  /// Where each leaf stands, and the number of its first element.
  private var leaves: [(first: Int, ref: Int)] = []
  let count: Int
  private var open: (number: Int, generation: Int, leaf: Leaf)?

  /// - Parameters:
  ///   - ref: of the root; 0 for an empty tree.
  ///   - isSplit: whether Realm splits its leaves, so that each has a bound. The texts of a column with a list of its different ones are one
  ///     leaf from format 10 on, however many there are.
  init(
    _ bytes: RealmBytes, _ ref: Int, _ kind: Leaf.Kind, isSplit: Bool = true
  ) throws(RealmError) {
    self.bytes = bytes
    self.kind = kind
    var leaves: [(first: Int, ref: Int)] = []
    var count = 0
    var seen: Set<Int> = []
    if ref != 0 {
      try Self.find(ref, bytes, kind, isSplit: isSplit, &leaves, &count, &seen, depth: 0)
    }
    self.leaves = leaves
    self.count = count
  }

  private static func find(
    _ ref: Int, _ bytes: RealmBytes, _ kind: Leaf.Kind, isSplit: Bool,
    _ leaves: inout [(first: Int, ref: Int)], _ count: inout Int, _ seen: inout Set<Int>, depth: Int
  ) throws(RealmError) {
    guard depth < maximumDepth else {
      throw RealmError("a tree is deeper than \(maximumDepth) nodes", at: ref)
    }
    let node = try Node(bytes, ref)
    guard node.isInner else {
      let size = try Leaf(kind, bytes, ref).count
      try checkLeaf(ref, size, bytes, isSplit: isSplit)
      if size > 0 { leaves.append((count, ref)) }
      count += size
      return
    }
    guard node.count >= 3 else { throw RealmError("a tree has a node without children", at: ref) }
    for index in 1..<node.count - 1 {
      try find(
        try child(index, of: node, &seen), bytes, kind, isSplit: isSplit, &leaves, &count, &seen,
        depth: depth + 1)
    }
  }

  // MARK: - What a tree can hold

  /// Where a child of a tree's node leads. Realm gives each node one place: one that is met twice would be read twice.
  ///
  /// - Parameter seen: the children of the tree that were met before.
  static func child(
    _ index: Int, of node: Node, _ seen: inout Set<Int>, _ what: String = "a node of a tree"
  ) throws(RealmError) -> Int {
    let ref = try node.child(index, what)
    guard seen.insert(ref).inserted else {
      throw RealmError("a tree leads to the same node twice", at: ref)
    }
    return ref
  }

  /// Bounds what a leaf says that it has, before it is read: elements that are all null or zero take no bytes.
  static func checkLeaf(
    _ ref: Int, _ count: Int, _ bytes: RealmBytes, isSplit: Bool = true
  ) throws(RealmError) {
    guard !isSplit || count <= maximumElementsOfLeaf else {
      throw RealmError(
        "a leaf is said to have \(count) elements, more than \(maximumElementsOfLeaf)", at: ref)
    }
    try bytes.charge(elements: count, at: ref)
  }

  // MARK: - Elements

  func value(at index: Int) throws(RealmError) -> RealmValue {
    guard let (leaf, place) = try leaf(of: index) else {
      throw RealmError("a tree of \(count) elements has none at place \(index)")
    }
    return try leaf.value(at: place, in: bytes)
  }

  /// Where a string of a tree of strings stands.
  enum Place {
    case strings(StringLeaf, Int)
  }

  func place(of index: Int) throws(RealmError) -> Place? {
    guard let (leaf, place) = try leaf(of: index, isLookup: true), case .strings(let strings) = leaf
    else {
      return nil
    }
    return .strings(strings, place)
  }

  /// - Parameter isLookup: whether elements are asked for in any order, each as often as it has rows. Opening a leaf is no step of the
  ///   reading then: rows that lead to different leaves in turns would meet the bound.
  private func leaf(of index: Int, isLookup: Bool = false) throws(RealmError) -> (Leaf, Int)? {
    guard index >= 0, index < count else { return nil }
    if let open, open.generation == bytes.generation, leaves[open.number].first <= index,
      index - leaves[open.number].first < open.leaf.count
    {
      return (open.leaf, index - leaves[open.number].first)
    }
    var (low, high) = (0, leaves.count)
    while low + 1 < high {
      let middle = (low + high) / 2
      if leaves[middle].first <= index { low = middle } else { high = middle }
    }
    let leaf: Leaf
    if isLookup, case .text(let isNullable, let isLegacy, let list) = kind {
      leaf = .strings(
        try StringLeaf(
          bytes, leaves[low].ref, isText: true, isNullable: isNullable, isLegacy: isLegacy,
          list: list, isCounted: false))
    } else {
      leaf = try Leaf(kind, bytes, leaves[low].ref)
    }
    open = (low, bytes.generation, leaf)
    return (leaf, index - leaves[low].first)
  }
}
