/// Assigns the boxes of one connected component to layers, so that links lead from left to right as far as they can, and
/// orders each layer so that few of them cross (K. Sugiyama et al., 1981).
struct LayeredGraph {
  /// A box, or a place where an edge passes through a layer.
  struct Vertex {
    /// The box; nil where an edge passes.
    var box: Int?
    var height: Int
    var layer: Int
    /// Places in `vertices` of the neighbouring layers.
    var left: [Int] = []
    var right: [Int] = []
  }

  /// Sweeps over all layers that look for a better order.
  static let orderingSweeps = 16
  /// An edge of a component with more passages than this leads straight to its end.
  static let maximumPassages = 4_000
  static let passageHeight = 6

  private(set) var vertices: [Vertex] = []
  /// The vertices of each layer, from top to bottom.
  private(set) var layers: [[Int]] = []
  /// For each edge that was given, the vertices that it passes, from left to right.
  private(set) var routes: [[Int]] = []

  /// - Parameters:
  ///   - heights: of the boxes.
  ///   - edges: from box to box, none from a box to itself.
  ///   - maximumHeight: of a layer; what does not fit gets a layer of its own beside it.
  init(heights: [Int], edges: [(from: Int, to: Int)], maximumHeight: Int) {
    let forward = Self.acyclic(count: heights.count, edges)
    var layerOf = Self.layers(count: heights.count, forward)
    Self.split(&layerOf, heights, maximumHeight)
    for (box, height) in heights.enumerated() {
      vertices.append(Vertex(box: box, height: height, layer: layerOf[box]))
    }
    addRoutes(edges, layerOf)
    layers = Array(repeating: [], count: (layerOf.max() ?? 0) + 1)
    for (index, vertex) in vertices.enumerated() { layers[vertex.layer].append(index) }
    order()
  }

  // MARK: Layers

  /// The edges with those turned round that close a cycle.
  private static func acyclic(count: Int, _ edges: [(from: Int, to: Int)]) -> [(Int, Int)] {
    var targets = Array(repeating: [Int](), count: count)
    var balance = Array(repeating: 0, count: count)
    for edge in edges {
      targets[edge.from].append(edge.to)
      balance[edge.from] += 1
      balance[edge.to] -= 1
    }
    // 0 not seen, 1 on the way, 2 done.
    var state = Array(repeating: 0, count: count)
    var position = Array(repeating: 0, count: count)
    var finished: [Int] = []
    let starts = (0..<count).sorted { (-balance[$0], $0) < (-balance[$1], $1) }
    for start in starts where state[start] == 0 {
      var stack = [start]
      state[start] = 1
      while let vertex = stack.last {
        if position[vertex] < targets[vertex].count {
          let next = targets[vertex][position[vertex]]
          position[vertex] += 1
          if state[next] == 0 {
            state[next] = 1
            stack.append(next)
          }
        } else {
          state[vertex] = 2
          finished.append(vertex)
          stack.removeLast()
        }
      }
    }
    var rank = Array(repeating: 0, count: count)
    for (place, vertex) in finished.reversed().enumerated() { rank[vertex] = place }
    return edges.map { rank[$0.from] < rank[$0.to] ? ($0.from, $0.to) : ($0.to, $0.from) }
  }

  /// The longest way from a beginning; what only leads on stands close before what it leads to.
  private static func layers(count: Int, _ edges: [(Int, Int)]) -> [Int] {
    var layers = Array(repeating: 0, count: count)
    var incoming = Array(repeating: 0, count: count)
    var targets = Array(repeating: [Int](), count: count)
    for (from, to) in edges {
      targets[from].append(to)
      incoming[to] += 1
    }
    let starts = incoming
    var ready = (0..<count).filter { incoming[$0] == 0 }
    var next = 0
    while next < ready.count {
      let vertex = ready[next]
      next += 1
      for target in targets[vertex] {
        layers[target] = max(layers[target], layers[vertex] + 1)
        incoming[target] -= 1
        if incoming[target] == 0 { ready.append(target) }
      }
    }
    for vertex in ready.reversed() where starts[vertex] <= targets[vertex].count {
      if let nearest = targets[vertex].map({ layers[$0] }).min(), starts[vertex] == 0 {
        layers[vertex] = nearest - 1
      }
    }
    let first = layers.min() ?? 0
    return layers.map { $0 - first }
  }

  /// Gives layers that are too tall several columns, and leaves no column empty.
  private static func split(_ layers: inout [Int], _ heights: [Int], _ maximum: Int) {
    var columns = 0
    for layer in 0...(layers.max() ?? 0) {
      let members = layers.indices.filter { layers[$0] == layer }
      guard !members.isEmpty else { continue }
      let total = members.reduce(0) { $0 + heights[$1] + DiagramLayout.gap }
      let parts = max(1, (total + maximum - 1) / maximum)
      var height = 0
      for member in members {
        layers[member] = -(columns + min(parts - 1, height * parts / max(total, 1))) - 1
        height += heights[member] + DiagramLayout.gap
      }
      columns += parts
    }
    let used = Set(layers).sorted(by: >)
    let places = Dictionary(uniqueKeysWithValues: used.enumerated().map { ($1, $0) })
    layers = layers.map { places[$0] ?? 0 }
  }

  private mutating func addRoutes(_ edges: [(from: Int, to: Int)], _ layerOf: [Int]) {
    var passages = 0
    // Links of the same two boxes take the same way.
    var known: [[Int]: [Int]] = [:]
    for edge in edges {
      let isForward = layerOf[edge.from] <= layerOf[edge.to]
      let (start, end) = isForward ? (edge.from, edge.to) : (edge.to, edge.from)
      if let route = known[[start, end]] {
        routes.append(route)
        continue
      }
      var route = [start]
      let between = layerOf[end] - layerOf[start] - 1
      if between > 0, passages + between <= Self.maximumPassages {
        passages += between
        for layer in (layerOf[start] + 1)..<layerOf[end] {
          vertices.append(Vertex(box: nil, height: Self.passageHeight, layer: layer))
          route.append(vertices.count - 1)
        }
      }
      route.append(end)
      for (left, right) in zip(route, route.dropFirst()) {
        vertices[left].right.append(right)
        vertices[right].left.append(left)
      }
      known[[start, end]] = route
      routes.append(route)
    }
  }

  // MARK: Order

  private mutating func order() {
    var best = layers
    var fewest = crossings(of: layers)
    for sweep in 0..<Self.orderingSweeps where fewest > 0 {
      let isDown = sweep % 2 == 0
      for layer in isDown ? Array(layers.indices) : layers.indices.reversed() {
        sort(layer, by: isDown ? \.left : \.right)
      }
      let count = crossings(of: layers)
      if count < fewest {
        fewest = count
        best = layers
      }
    }
    layers = best
  }

  private mutating func sort(_ layer: Int, by side: KeyPath<Vertex, [Int]>) {
    var places: [Int: Int] = [:]
    for near in [layer - 1, layer + 1] where layers.indices.contains(near) {
      for (place, vertex) in layers[near].enumerated() { places[vertex] = place }
    }
    var keyed: [(key: Double, place: Int, vertex: Int)] = []
    for (place, vertex) in layers[layer].enumerated() {
      let near = vertices[vertex][keyPath: side].compactMap { places[$0] }
      let key =
        near.isEmpty ? Double(place) : Double(near.reduce(0, +)) / Double(near.count)
      keyed.append((key, place, vertex))
    }
    layers[layer] = keyed.sorted { ($0.key, $0.place) < ($1.key, $1.place) }.map(\.vertex)
  }

  private func crossings(of layers: [[Int]]) -> Int {
    var count = 0
    for (left, right) in zip(layers, layers.dropFirst()) {
      var place: [Int: Int] = [:]
      for (index, vertex) in right.enumerated() { place[vertex] = index }
      // Inversions of the ends, in the order of the beginnings, counted in a Fenwick tree.
      var tree = Array(repeating: 0, count: right.count + 1)
      var seen = 0
      for vertex in left {
        let ends = vertices[vertex].right.compactMap { place[$0] }.sorted()
        for end in ends {
          var before = 0
          var index = end + 1
          while index > 0 {
            before += tree[index]
            index -= index & -index
          }
          count += seen - before
        }
        for end in ends {
          seen += 1
          var index = end + 1
          while index <= right.count {
            tree[index] += 1
            index += index & -index
          }
        }
      }
    }
    return count
  }
}
