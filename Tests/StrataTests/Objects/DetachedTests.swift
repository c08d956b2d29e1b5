import Strata
import StrataTestModels
import Testing

@Suite struct DetachedTests {
  let test: TestStore
  var store: Store { test.store }

  init() throws { test = try TestStore() }

  @Test func aCopyIsDeepAndKeepsCycles() throws {
    let ada = Person(
      id: 1, name: "Ada", home: Address(street: "Rue"), dogs: [Dog(name: "Rex")],
      notes: ["a", nil],
      tags: ["t"], scores: ["go": 1])
    ada.boss = Person(id: 2, name: "Grace", boss: ada)
    try store.write { try store.add(ada) }
    let copy = ada.detached()
    copy.name = "Augusta"
    copy.dogs.removeAll()

    #expect(copy.store == nil)
    #expect(copy.boss?.name == "Grace")
    #expect(copy.boss?.boss === copy)
    #expect(copy.home?.street == "Rue")
    #expect(Array(copy.notes) == ["a", nil])
    #expect(Array(copy.tags) == ["t"])
    #expect(copy.scores["go"] == 1)
    #expect(ada.name == "Ada")
    #expect(ada.dogs.count == 1)
  }

  @Test(arguments: [(0, [String]()), (1, ["b"]), (2, ["b", "c"]), (9, ["b", "c"])])
  func linksAreFollowedToTheDepth(depth: Int, names: [String]) throws {
    let person = Person(
      id: 1, name: "a", boss: Person(id: 2, name: "b", boss: Person(id: 3, name: "c")),
      home: Address(street: "Rue"), dogs: [Dog(name: "Rex")])
    try store.write { try store.add(person) }
    let copy = person.detached(depth: depth)
    var found: [String] = []
    var next = copy.boss
    while let person = next, person.store == nil {
      found.append(person.name)
      next = person.boss
    }

    #expect(found == names)
    // What lies beyond is the original.
    #expect(next == nil || next?.store === store)
    #expect(copy.dogs[0].isSameObject(as: person.dogs[0]) == (depth == 0))
    #expect(copy.home?.store == nil && copy.home?.street == "Rue")
  }

  /// The classic way to edit a form that can be cancelled.
  @Test func anEditedCopyIsWrittenBack() throws {
    let person = Person(id: 1, name: "Ada", age: 36, dogs: [Dog(name: "Rex")])
    try store.write { try store.add(person) }
    let draft = person.detached()
    draft.name = "Augusta"
    #expect(person.name == "Ada")
    try store.write { try store.add(draft, update: .modified) }

    #expect(person.name == "Augusta")
    #expect(store.objects(Person.self).count == 1)
  }

  @Test func longChainsAreCopied() {
    let first = Target(name: "0")
    var last = first
    for index in 1..<50_000 {
      let next = Target(name: "\(index)")
      last.next = next
      last = next
    }
    var copy: Target? = first.detached()
    var count = 0
    while let target = copy {
      count += 1
      copy = target.next
    }

    #expect(count == 50_000)
  }

  /// Freed one after the other: chains that long would need a deep stack.
  @Test func longChainsAreLetGo() throws {
    let chains = [
      { (last: Person?, id: Int) in Person(id: id, name: "", boss: last) },
      { last, id in Person(id: id, name: "", friends: last.map { [$0] } ?? []) },
      { last, id in Person(id: id, name: "", thing: last.map { AnyValue($0) }) },
    ]
    weak var first: Person?
    for link in chains {
      var last: Person?
      for id in 0..<200_000 {
        last = link(last, id)
        if id == 0 { first = last }
      }
      #expect(first != nil)
      last = nil
      #expect(first == nil)
    }
    var node: Node?
    for index in 0..<200_000 { node = Node(name: "\(index)", children: node.map { [$0] } ?? []) }
    weak let outer = node
    node = nil
    #expect(outer == nil)
  }

  @Test func whatIsHeldElsewhereStaysWhenAChainIsLetGo() {
    var first: Person? = Person(
      id: 1, name: "a", boss: Person(id: 2, name: "b", boss: Person(id: 3, name: "c")),
      dogs: [Dog(name: "Rex")], pets: ["max": Dog(name: "Max")])
    let (second, dogs, max) = (first?.boss, first?.dogs, first?.pets["max"])
    first = nil

    #expect(second?.name == "b" && second?.boss?.name == "c")
    #expect(dogs?.map(\.name) == ["Rex"] && max?.name == "Max")
  }
}
