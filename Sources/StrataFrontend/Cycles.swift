/// Finds circles in a graph of numbered nodes.
enum Cycles {
  /// One circle of each strongly connected part that has any, as the indexes of its edges in order: the
  /// shortest one through the part's first node that lies on one. Parts come in the order of that node.
  static func find(nodeCount: Int, edges: [(from: Int, to: Int)]) -> [[Int]] {
    var outgoing = [[Int]](repeating: [], count: nodeCount)
    for (index, edge) in edges.enumerated() { outgoing[edge.from].append(index) }
    let components = stronglyConnected(outgoing, edges)
    var isDone = [Bool](repeating: false, count: nodeCount)
    var cycles: [[Int]] = []
    for node in 0..<nodeCount where !isDone[components[node]] && !outgoing[node].isEmpty {
      guard let cycle = shortestCycle(through: node, outgoing, edges, components) else { continue }
      isDone[components[node]] = true
      cycles.append(cycle)
    }
    return cycles
  }

  /// The number of each node's component, by Tarjan's algorithm with a stack of its own: a chain of
  /// links may be as long as there are models.
  private static func stronglyConnected(_ outgoing: [[Int]], _ edges: [(from: Int, to: Int)])
    -> [Int]
  {
    let count = outgoing.count
    var order = [Int](repeating: -1, count: count)
    var low = [Int](repeating: 0, count: count)
    var component = [Int](repeating: -1, count: count)
    var stack: [Int] = []
    var visits: [(node: Int, nextEdge: Int)] = []
    var counter = 0
    for root in 0..<count where order[root] < 0 {
      visits.append((root, 0))
      while let (node, nextEdge) = visits.last {
        if nextEdge == 0 {
          order[node] = counter
          low[node] = counter
          counter += 1
          stack.append(node)
        }
        if nextEdge < outgoing[node].count {
          visits[visits.count - 1].nextEdge += 1
          let target = edges[outgoing[node][nextEdge]].to
          if order[target] < 0 {
            visits.append((target, 0))
          } else if component[target] < 0 {
            low[node] = min(low[node], order[target])
          }
          continue
        }
        visits.removeLast()
        if let parent = visits.last?.node { low[parent] = min(low[parent], low[node]) }
        if low[node] == order[node] {
          while let member = stack.popLast() {
            component[member] = node
            if member == node { break }
          }
        }
      }
    }
    return component
  }

  /// Breadth first within the node's component.
  private static func shortestCycle(
    through start: Int, _ outgoing: [[Int]], _ edges: [(from: Int, to: Int)], _ components: [Int]
  ) -> [Int]? {
    var reachedBy: [Int: Int] = [:]
    var queue = [start]
    var position = 0
    while position < queue.count {
      let node = queue[position]
      position += 1
      for edge in outgoing[node] {
        let target = edges[edge].to
        guard components[target] == components[start], reachedBy[target] == nil else { continue }
        reachedBy[target] = edge
        if target == start {
          var cycle = [edge]
          while let first = cycle.last, edges[first].from != start,
            let before = reachedBy[edges[first].from]
          {
            cycle.append(before)
          }
          return cycle.reversed()
        }
        queue.append(target)
      }
    }
    return nil
  }
}
