import Foundation
import Strata
import StrataTestModels
import Testing

/// Elements that change their places stay what they are, with all that they embed.
@Suite struct OrderingTests {
  let test: TestStore
  var store: Store { test.store }

  init() throws { test = try TestStore() }

  private func folder() throws -> Folder {
    try test.added(
      Folder(
        id: 1,
        nodes: [
          Node(name: "b", child: Node(name: "c"), children: [Node(name: "d")]), Node(name: "a"),
        ]))
  }

  @Test(arguments: 0..<4)
  func embeddedObjectsKeepWhatTheyEmbed(way: Int) throws {
    let folder = try folder()
    let b = folder.nodes[0]
    try store.write {
      switch way {
      case 0: folder.nodes.sort { $0.name < $1.name }
      case 1: folder.nodes[0..<2].sort { $0.name < $1.name }
      case 2: folder.nodes[0..<2].reverse()
      default: folder.nodes.reverse()
      }
    }

    #expect(folder.nodes.map(\.name) == ["a", "b"])
    #expect(folder.nodes[1] == b && !b.isInvalidated)
    #expect(b.child?.name == "c")
    #expect(b.children.map(\.name) == ["d"])
  }

  @Test func aDeletedEmbeddedObjectIsRefused() throws {
    let folder = try folder()

    #expect(throws: StoreError.invalidated(model: "Node")) {
      try store.write {
        let first = folder.nodes[0]
        folder.nodes[0] = folder.nodes[1]
        folder.nodes[1] = first
      }
    }
    #expect(throws: StoreError.invalidated(model: "Node")) {
      try store.write {
        let first = folder.nodes[0]
        folder.nodes.removeAll()
        folder.nodes.replaceSubrange(0..<0, with: [first])
      }
    }
    #expect(folder.nodes.map(\.name) == ["b", "a"] && folder.nodes[0].child?.name == "c")
  }

  @Test func aDeletedOneIsPutBackWhereItsCopyIsWhole() throws {
    let wearer = try test.added(Wearer(spares: [Badge(code: "a"), Badge(code: "b")]))
    let ada = try test.added(
      Person(
        id: 1, name: "Ada",
        offices: [Address(street: "x", country: Country(code: "FR")), Address(street: "y")]))
    try store.write {
      let office = ada.offices[0]
      ada.offices.remove(at: 0)
      ada.offices.append(office)
    }

    #expect(ada.offices.map(\.street) == ["y", "x"] && ada.offices[1].country?.code == "FR")
    #expect(throws: StoreError.invalidated(model: "Badge")) {
      try store.write {
        let badge = wearer.spares[0]
        wearer.spares.remove(at: 0)
        wearer.spares.append(badge)
      }
    }
  }

  @Test(arguments: [0, 1, 2, 3, 10, 100])
  func sortingIsThatOfArrays(count: Int) throws {
    var random = SeededGenerator(seed: UInt64(count))
    let dogs = (0..<count).map { Dog(name: "\($0)", age: .random(in: 0..<5, using: &random)) }
    let ada = try test.added(Person(id: 1, name: "Ada", dogs: dogs))
    let expected = dogs.sorted { $0.age < $1.age }.map(\.name)
    try store.write { ada.dogs.sort { $0.age < $1.age } }
    let detached = ada.detached()
    detached.dogs.sort { $0.name < $1.name }

    #expect(ada.dogs.map(\.name) == expected)
    #expect(try test.open().objects(Person.self)[0].dogs.map(\.name) == expected)
    #expect(detached.dogs.map(\.name) == expected.sorted())
  }

  @Test func partsAndValuesAreSorted() throws {
    let ada = try test.added(Person(id: 1, name: "Ada", notes: ["d", "c", "b", "a"]))
    let list = List([4, 3, 2, 1])
    list.sort()
    list[1..<4].sort(by: >)
    try store.write { ada.notes[1..<3].sort { ($0 ?? "") < ($1 ?? "") } }

    #expect(Array(list) == [1, 4, 3, 2])
    #expect(Array(ada.notes) == ["d", "b", "c", "a"])
  }
}
