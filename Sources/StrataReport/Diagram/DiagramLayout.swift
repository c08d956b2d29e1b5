/// Where the boxes of a diagram stand, and which way its edges take.
struct DiagramLayout {
  struct Point: Hashable {
    var x: Int
    var y: Int
  }

  /// Between boxes that stand above one another, in pixels.
  static let gap = 22
  static let passageGap = 8
  /// Between layers, and how much each edge that leads across adds, up to a limit.
  static let layerGap = 64
  static let gapOfEdge = 3
  static let maximumLayerGap = 170
  /// Sweeps that move boxes to the height of what they are linked with.
  static let alignmentSweeps = 8
  /// A layer is split above this height, or above what makes a component about as wide as it is tall.
  static let minimumLayerHeight = 900
  /// Between components, and around all of them.
  static let margin = 36

  /// The upper left corner of each box.
  private(set) var positions: [Point]
  /// For each edge, the points where it passes through layers, from left to right; empty for a direct one.
  private(set) var passages: [[(left: Point, right: Point)]]
  private(set) var width = 0
  private(set) var height = 0

  init(_ graph: DiagramGraph) {
    positions = Array(repeating: Point(x: 0, y: 0), count: graph.boxes.count)
    passages = Array(repeating: [], count: graph.edges.count)
    var placed: [Component] = []
    var alone: [Int] = []
    for members in Self.components(graph) {
      if members.count == 1 {
        alone.append(members[0])
      } else {
        placed.append(Component(members, graph))
      }
    }
    pack(placed, alone, graph)
  }

  /// The boxes that links join, the largest group first.
  private static func components(_ graph: DiagramGraph) -> [[Int]] {
    var parent = Array(graph.boxes.indices)
    func root(_ index: Int) -> Int {
      var index = index
      while parent[index] != index { index = parent[index] }
      return index
    }
    for edge in graph.edges {
      let (a, b) = (root(edge.from), root(edge.to))
      if a != b { parent[max(a, b)] = min(a, b) }
    }
    let groups = Dictionary(grouping: graph.boxes.indices, by: root)
    return groups.values.sorted { ($1.count, $0[0]) < ($0.count, $1[0]) }
  }

  // MARK: Packing

  private mutating func pack(_ components: [Component], _ alone: [Int], _ graph: DiagramGraph) {
    let area =
      components.reduce(0) { $0 + ($1.width + Self.margin) * ($1.height + Self.margin) }
      + alone.reduce(0) {
        $0 + (graph.boxes[$1].width + Self.gap) * (graph.boxes[$1].height + Self.gap)
      }
    let widest = components.map(\.width).max() ?? 0
    let target = max(widest, Int((Double(area) * 2.2).squareRoot()), 700)
    // Shelves as high as the first component on each, with lower ones stacked in columns beside it.
    var top = Self.margin
    var shelf = 0
    var column = (x: Self.margin, y: Self.margin, width: 0)
    for component in components.sorted(by: {
      ($1.height, $0.members[0]) < ($0.height, $1.members[0])
    }) {
      if column.width > 0, column.y + component.height > top + shelf {
        column = (column.x + column.width + Self.margin, top, 0)
        if column.x + component.width > target + Self.margin {
          top += shelf + Self.margin
          column = (Self.margin, top, 0)
          shelf = 0
        }
      }
      put(component, at: Point(x: column.x, y: column.y))
      column.y += component.height + Self.margin
      column.width = max(column.width, component.width)
      shelf = max(shelf, component.height)
      width = max(width, column.x + column.width + Self.margin)
    }
    let y = components.isEmpty ? top : top + shelf + Self.margin
    height = y
    putAlone(alone, graph, below: y, target)
  }

  private mutating func put(_ component: Component, at origin: Point) {
    for (index, box) in component.members.enumerated() {
      let place = component.positions[index]
      positions[box] = Point(x: origin.x + place.x, y: origin.y + place.y)
    }
    for (edge, points) in component.passages {
      passages[edge] = points.map {
        (
          Point(x: origin.x + $0.left.x, y: origin.y + $0.left.y),
          Point(x: origin.x + $0.right.x, y: origin.y + $0.right.y)
        )
      }
    }
  }

  /// Boxes without links, in columns of equal width.
  private mutating func putAlone(
    _ alone: [Int], _ graph: DiagramGraph, below top: Int, _ target: Int
  ) {
    guard let column = alone.map({ graph.boxes[$0].width }).max() else { return }
    let count = max(1, min(alone.count, (target + Self.gap) / (column + Self.gap)))
    var bottoms = Array(repeating: top, count: count)
    for box in alone {
      let place = bottoms.indices.min { (bottoms[$0], $0) < (bottoms[$1], $1) } ?? 0
      positions[box] = Point(x: Self.margin + place * (column + Self.gap), y: bottoms[place])
      bottoms[place] += graph.boxes[box].height + Self.gap
    }
    width = max(width, Self.margin + count * (column + Self.gap) - Self.gap + Self.margin)
    height = (bottoms.max() ?? top) - Self.gap + Self.margin
  }
}

extension DiagramLayout {
  /// One connected part of a diagram, from (0, 0) on.
  struct Component {
    let members: [Int]
    private(set) var positions: [Point] = []
    /// By the edge's place in the graph.
    private(set) var passages: [Int: [(left: Point, right: Point)]] = [:]
    private(set) var width = 0
    private(set) var height = 0

    init(_ members: [Int], _ graph: DiagramGraph) {
      self.members = members
      let local = Dictionary(uniqueKeysWithValues: members.enumerated().map { ($1, $0) })
      let edges = graph.edges.indices.filter {
        local[graph.edges[$0].from] != nil && graph.edges[$0].from != graph.edges[$0].to
      }
      let boxes = members.map { graph.boxes[$0] }
      let area = boxes.reduce(0) { $0 + ($1.width + DiagramLayout.layerGap) * ($1.height + gap) }
      let layered = LayeredGraph(
        heights: boxes.map(\.height),
        edges: edges.map { (local[graph.edges[$0].from] ?? 0, local[graph.edges[$0].to] ?? 0) },
        maximumHeight: max(minimumLayerHeight, Int((Double(area) * 0.75).squareRoot())))
      let tops = Self.align(layered)
      place(layered, tops, boxes, edges)
    }

    private mutating func place(
      _ layered: LayeredGraph, _ tops: [Int], _ boxes: [DiagramGraph.Box], _ edges: [Int]
    ) {
      positions = Array(repeating: Point(x: 0, y: 0), count: boxes.count)
      var x = 0
      var columns: [(left: Int, right: Int)] = []
      for layer in layered.layers {
        let widest = layer.compactMap { layered.vertices[$0].box.map { boxes[$0].width } }.max()
        let crossing = layer.reduce(0) { $0 + layered.vertices[$1].right.count }
        columns.append((x, x + (widest ?? 0)))
        for vertex in layer {
          guard let box = layered.vertices[vertex].box else { continue }
          positions[box] = Point(x: x + ((widest ?? 0) - boxes[box].width) / 2, y: tops[vertex])
        }
        width = x + (widest ?? 0)
        x = width + min(maximumLayerGap, layerGap + gapOfEdge * crossing)
      }
      height = layered.vertices.indices.map { tops[$0] + layered.vertices[$0].height }.max() ?? 0
      for (edge, route) in zip(edges, layered.routes) {
        passages[edge] = route.dropFirst().dropLast().map { vertex in
          let column = columns[layered.vertices[vertex].layer]
          let y = tops[vertex] + LayeredGraph.passageHeight / 2
          return (Point(x: column.left, y: y), Point(x: column.right, y: y))
        }
      }
    }

    /// The top of each vertex: near the middle of its neighbours, in the order of its layer.
    private static func align(_ layered: LayeredGraph) -> [Int] {
      var middles = Array(repeating: 0.0, count: layered.vertices.count)
      for layer in layered.layers { spread(layer, layered, &middles, wanting: { _ in 0 }) }
      for sweep in 0..<alignmentSweeps {
        let order =
          sweep % 2 == 0 ? Array(layered.layers.indices) : layered.layers.indices.reversed()
        for index in order {
          let before = middles
          spread(layered.layers[index], layered, &middles) { vertex in
            let near = layered.vertices[vertex].left + layered.vertices[vertex].right
            guard !near.isEmpty else { return before[vertex] }
            return near.reduce(0) { $0 + before[$1] } / Double(near.count)
          }
        }
      }
      let tops = layered.vertices.indices.map {
        middles[$0] - Double(layered.vertices[$0].height) / 2
      }
      let first = tops.min() ?? 0
      return tops.map { Int(($0 - first).rounded()) }
    }

    /// Puts a layer's vertices as near to where they want to be as their order and the gaps allow: least squares, by
    /// pooling neighbours that are in each other's way.
    private static func spread(
      _ layer: [Int], _ layered: LayeredGraph, _ middles: inout [Double],
      wanting: (Int) -> Double
    ) {
      var offsets: [Double] = []
      var offset = 0.0
      for (place, vertex) in layer.enumerated() {
        let half = Double(layered.vertices[vertex].height) / 2
        if place > 0 {
          let above = layered.vertices[layer[place - 1]]
          let isPassage = above.box == nil || layered.vertices[vertex].box == nil
          offset += Double(above.height) / 2 + half + Double(isPassage ? passageGap : gap)
        }
        offsets.append(offset)
      }
      var pools: [(sum: Double, count: Int)] = []
      for (place, vertex) in layer.enumerated() {
        pools.append((wanting(vertex) - offsets[place], 1))
        while pools.count > 1,
          pools[pools.count - 2].sum / Double(pools[pools.count - 2].count)
            > pools[pools.count - 1].sum / Double(pools[pools.count - 1].count)
        {
          let last = pools.removeLast()
          pools[pools.count - 1].sum += last.sum
          pools[pools.count - 1].count += last.count
        }
      }
      var place = 0
      for pool in pools {
        for _ in 0..<pool.count {
          middles[layer[place]] = pool.sum / Double(pool.count) + offsets[place]
          place += 1
        }
      }
    }
  }
}
