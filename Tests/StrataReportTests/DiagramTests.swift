import StrataSchema
import Testing

@testable import StrataReport

@Suite("The diagram")
struct DiagramTests {
  /// Models whose links are drawn from a generator that always gives the same.
  private func schema(models: Int, links: Int, seed: UInt64) -> Schema {
    var state = seed
    func next(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % UInt64(bound))
    }
    var properties = Array(repeating: [Property](), count: models)
    for model in 0..<models {
      for index in 0...next(12) {
        properties[model].append(
          Property(name: "value\(index)", type: .value(ValueType(.scalar(.int)))))
      }
    }
    for link in 0..<links {
      properties[next(models)].append(
        Property(
          name: "link\(link)",
          type: .value(ValueType(.object("Model\(next(models))"), isOptional: true))))
    }
    return Schema(
      name: "Many", version: 1,
      models: properties.enumerated().map { Model(name: "Model\($0)", properties: $1) })
  }

  @Test(
    "No box stands on another one, and all stand in the picture",
    arguments: [(1, 0), (2, 5), (12, 20), (100, 140), (300, 0), (250, 400)])
  func noOverlap(models: Int, links: Int) {
    for seed in 1...3 {
      let graph = DiagramGraph(schema(models: models, links: links, seed: UInt64(seed)))
      let layout = DiagramLayout(graph)
      let frames = graph.boxes.indices.map {
        (layout.positions[$0], graph.boxes[$0].width, graph.boxes[$0].height)
      }
      var overlaps: [String] = []
      for (index, (place, width, height)) in frames.enumerated() {
        if place.x < 0 || place.y < 0 || place.x + width > layout.width
          || place.y + height > layout.height
        {
          overlaps.append("a box at \(place) leaves the picture")
        }
        for (other, otherWidth, otherHeight) in frames[..<index] {
          let isApart =
            place.x + width <= other.x || other.x + otherWidth <= place.x
            || place.y + height <= other.y || other.y + otherHeight <= place.y
          if !isApart { overlaps.append("boxes at \(place) and \(other)") }
        }
      }
      #expect(overlaps == [])
    }
  }

  @Test("Links lead from left to right where they close no circle")
  func leftToRight() throws {
    let schema = try ReportCase.schema(
      """
      schema: Club
      version: 0
      models:
        Zoo: { properties: { cages: "[Cage]" } }
        Cage: { properties: { animals: "[Animal]" } }
        Animal: { properties: { name: string, keeper: "Keeper?" } }
        Keeper: { properties: { name: string } }
      """)
    let graph = DiagramGraph(schema)
    let layout = DiagramLayout(graph)
    let places = ["Zoo", "Cage", "Animal", "Keeper"].compactMap {
      graph.index(of: $0).map { layout.positions[$0].x }
    }
    #expect(places.count == 4)
    #expect(places == places.sorted() && Set(places).count == 4)
  }

  @Test("A crossing that can be avoided is avoided")
  func crossings() {
    // a → y, b → x: one of the two layers has to be turned round.
    let layered = LayeredGraph(
      heights: [40, 40, 40, 40], edges: [(0, 3), (1, 2)], maximumHeight: 900)
    #expect(layered.layers.map { $0.count } == [2, 2])
    let left = layered.layers[0]
    let right = layered.layers[1]
    let targets = [0: 3, 1: 2]
    #expect(left.map { targets[$0] } == right)
  }

  @Test("An edge over several layers passes between the boxes")
  func passages() {
    let layered = LayeredGraph(
      heights: [40, 40, 40], edges: [(0, 1), (1, 2), (0, 2)], maximumHeight: 900)
    #expect(layered.routes.map(\.count) == [2, 2, 3])
    #expect(layered.layers.map(\.count) == [1, 2, 1])
  }

  @Test("Each end says how many, what owns and what is inverse")
  func cardinality() throws {
    let schema = try ReportCase.schema(ReportCase.club)
    let graph = DiagramGraph(schema)
    #expect(
      graph.edges.map(\.title).sorted() == [
        "Person.boss → Person, 0..1", "Person.dogs → Dog, 0..*, inverse Dog.owner",
        "Person.home → Address, 1, embedded",
      ])
    let svg = DiagramSVG(schema, title: "t").markup.html
    for part in ["◆ id", "◁ Person.dogs", "url(#e-many)", "url(#e-optional)", "url(#s-owner)"] {
      #expect(svg.contains(part), "\(part)")
    }
  }
}
