import Strata
import StrataTestModels
import Testing

/// A collection is given embedded objects that have a place in the same store, its own ones among them: each new place has all that
/// stood in the old one.
@Suite struct OwnElementsTests {
  let test: TestStore
  var store: Store { test.store }

  init() throws { test = try TestStore() }

  private func node(_ name: String) -> Node {
    Node(
      name: name, child: Node(name: name + "1"),
      children: [Node(name: name + "2", child: Node(name: name + "3"))])
  }

  /// The names of an object and of what it embeds.
  private func names(_ node: Node?) -> [String] {
    guard let node else { return [] }
    return [node.name] + names(node.child) + node.children.flatMap(names)
  }

  private func all(_ names: String...) -> [[String]] {
    names.map { [$0, $0 + "1", $0 + "2", $0 + "3"] }
  }

  private func list() throws -> List<Node> {
    let tree = try test.added(
      Tree(root: Node(name: "r", children: [node("a"), node("b"), node("c")])))
    return try #require(tree.root).children
  }

  private func expect(
    _ list: List<Node>, _ expected: [[String]], _ location: SourceLocation = #_sourceLocation
  ) throws {
    #expect(list.map(names) == expected, sourceLocation: location)
    let count = expected.reduce(0) { $0 + $1.count }
    // With the owner of the list.
    #expect(store.objects(Node.self).count == count + 1, sourceLocation: location)
  }

  @Test func aListOfSomeOfItsElements() throws {
    let list = try list()
    let root = try #require(store.objects(Tree.self).first?.root)
    try store.write { root.children = List(list.filter { $0.name != "b" }) }
    try expect(list, all("a", "c"))
    try store.write { root.children = List(list.reversed()) }
    try expect(list, all("c", "a"))
    try store.write { root.children = List([list[0].children[0], list[0]]) }
    try expect(list, [["c2", "c3"]] + all("c"))
  }

  @Test func partsOfAList() throws {
    let list = try list()
    try store.write { list.replaceSubrange(0..<2, with: [list[1], list[0]]) }
    try expect(list, all("b", "a", "c"))
    try store.write { list.replaceSubrange(1..<2, with: [list[1], list[1]]) }
    try expect(list, all("b", "a", "a", "c"))
  }

  @Test func byNameAndByCreate() throws {
    let list = try list()
    let root = try #require(store.objects(Tree.self).first?.root)
    try store.write { try root.setValue(Array(list.dropFirst()), forKey: "children") }
    try expect(list, all("b", "c"))
  }

  @Test func aMapOfItsValues() throws {
    let tree = try test.added(Tree(named: ["k": node("a"), "m": node("b")]))
    try store.write {
      tree.named = Map(["k": tree.named["m"]!, "m": tree.named["k"]!, "n": tree.named["k"]!])
    }
    #expect(tree.named.keys.sorted() == ["k", "m", "n"])
    #expect(["k", "m", "n"].map { names(tree.named[$0]) } == all("b", "a", "a"))
    #expect(store.objects(Node.self).count == 12)
  }

  /// What is written first takes away what a later property is given.
  @Test func anObjectThatOverwritesItself() throws {
    let folder = try test.added(
      Folder(id: 1, cover: node("a"), nodes: [node("b")], places: ["k": node("c")]))
    let (cover, first, place) = (folder.cover!, folder.nodes[0], folder.places["k"]!)
    try store.write {
      try store.add(
        Folder(
          id: 1, cover: nil, nodes: [cover, Node(name: "x", child: place)], places: ["n": first]),
        update: .all)
    }
    #expect(folder.cover == nil)
    #expect(folder.nodes.map(names) == all("a") + [["x"] + all("c")[0]])
    #expect(names(folder.places["n"]) == all("b")[0])
    #expect(store.objects(Node.self).count == 13)
  }

  @Test func objectsOfACollectionAreNotNil() throws {
    try store.write {
      for (property, value) in [
        ("nodes", [nil] as [Any?]), ("places", ["k": nil] as [String: Any?]),
        ("others", [nil] as [Any?]),
      ] as [(String, Any)] {
        #expect(throws: StoreError.self) {
          try store.create(Folder.self, value: ["id": 7, property: value])
        }
      }
      #expect(throws: StoreError.self) {
        try store.create(Folder.self, json: #"{"id": 7, "nodes": [null]}"#)
      }
    }
    #expect(store.objects(Folder.self).isEmpty)
  }
}
