/// The objects of a table from format 10 on: a tree of clusters of at most 256 objects, found once.
struct ClusterTree {
  static let maximumObjects = 256

  struct Cluster {
    /// What is added to the keys that stand in it.
    let offset: UInt64
    /// Objects before it.
    let first: Int
    let count: Int
    let ref: Int
    /// Where its keys stand; nil where they are 0, 1, 2 and so on.
    let keys: Int?
  }

  private(set) var clusters: [Cluster] = []
  private(set) var count = 0

  /// - Parameter ref: of the root; 0 for an empty tree.
  init(_ bytes: RealmBytes, _ ref: Int) throws(RealmError) {
    var seen: Set<Int> = []
    if ref != 0 { try find(bytes, ref, offset: 0, &seen, depth: 0) }
  }

  private mutating func find(
    _ bytes: RealmBytes, _ ref: Int, offset: UInt64, _ seen: inout Set<Int>, depth: Int
  ) throws(RealmError) {
    guard depth < ElementTree.maximumDepth else {
      throw RealmError("a tree is deeper than \(ElementTree.maximumDepth) nodes", at: ref)
    }
    bytes.releaseMappedIfMany()
    let node = try Node(bytes, ref)
    guard node.isInner else {
      var count: Int
      let keys = try node.tagged(at: 0) == nil ? try node.ref(at: 0) : nil
      if let keys {
        count = try Node(bytes, keys).count
      } else {
        let number = try node.tagged(at: 0) ?? 0
        count = Int(clamping: number)
      }
      guard count <= Self.maximumObjects else {
        throw RealmError(
          "a cluster is said to have \(count) objects, more than \(Self.maximumObjects)", at: ref)
      }
      try bytes.charge(elements: count, at: ref)
      guard count > 0 else { return }
      clusters.append(
        Cluster(offset: offset, first: self.count, count: count, ref: ref, keys: keys))
      self.count += count
      return
    }
    guard node.count >= 4 else {
      throw RealmError("a cluster tree has a node without children", at: ref)
    }
    let offsets = try node.ref(at: 0).map { (ref) throws(RealmError) in try Node(bytes, ref) }
    let shift = Int(clamping: try node.tagged(at: 1) ?? 0)
    guard offsets != nil || (1...8).contains(shift) else {
      throw RealmError("a cluster tree is said to be \(shift) nodes deep", at: ref)
    }
    for child in 0..<node.count - 3 {
      let own: UInt64
      if let offsets {
        own = try offsets.unsigned(at: child)
      } else {
        own = UInt64(child) << UInt64(8 * shift)
      }
      try find(
        bytes, try ElementTree.child(child + 3, of: node, &seen, "a cluster"),
        offset: offset &+ own, &seen, depth: depth + 1)
    }
  }

  /// How many objects come before the one with a key; nil where there is none.
  func rank(of key: UInt64, in bytes: RealmBytes) throws(RealmError) -> Int? {
    var (low, high) = (0, clusters.count)
    guard high > 0 else { return nil }
    while low + 1 < high {
      let middle = (low + high) / 2
      if clusters[middle].offset <= key { low = middle } else { high = middle }
    }
    let cluster = clusters[low]
    guard key >= cluster.offset else { return nil }
    let local = key - cluster.offset
    guard let ref = cluster.keys else {
      return local < UInt64(cluster.count) ? cluster.first + Int(local) : nil
    }
    let keys = try Node(bytes, ref, isCounted: false)
    (low, high) = (0, cluster.count)
    while low < high {
      let middle = (low + high) / 2
      let found = try keys.unsigned(at: middle)
      if found == local { return cluster.first + middle }
      if found < local { low = middle + 1 } else { high = middle }
    }
    return nil
  }
}
