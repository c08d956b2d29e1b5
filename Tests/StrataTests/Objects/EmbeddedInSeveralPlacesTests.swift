import Strata
import StrataTestModels
import Testing

/// An embedded object has one owner and one place. One that a graph holds in several is copied into each but the first.
@Suite struct EmbeddedInSeveralPlacesTests {
  let test: TestStore
  var store: Store { test.store }

  init() throws { test = try TestStore() }

  @Test(arguments: [UpdatePolicy.error, .modified, .all])
  func eachPlaceHasItsValues(policy: UpdatePolicy) throws {
    let rue = Address(street: "Rue", city: "Lyon", country: Country(code: "FR", name: "France"))
    let ada = Person(id: 1, name: "Ada", home: rue, offices: [rue, rue])
    let grace = Person(id: 2, name: "Grace", boss: ada, home: rue)
    try store.write { try store.add(grace, update: policy) }

    for address in [ada.home, grace.home] + ada.offices.map({ $0 }) {
      #expect(address?.street == "Rue" && address?.city == "Lyon")
      #expect(address?.country?.name == "France")
    }
    #expect(store.objects(Country.self).count == 1)
    try store.write { ada.home?.street = "Via" }
    #expect(ada.offices.map(\.street) == ["Rue", "Rue"] && grace.home?.street == "Rue")
  }

  /// How many places would it need?
  @Test(arguments: [1, 2, 5], [false, true])
  func whatIsEmbeddedInItselfIsRefused(length: Int, inALists: Bool) throws {
    let circle = (0..<length).map { Node(name: "n\($0)") }
    for (index, node) in circle.enumerated() {
      let next = circle[(index + 1) % length]
      if inALists { node.children.append(next) } else { node.child = next }
    }
    let tree = Tree(root: Node(name: "root", child: circle[0]))
    let error = StoreError.wrongType(
      model: "Node", property: inALists ? "children" : "child",
      expected: "an embedded object that does not lead to itself", found: "one that does")

    #expect(throws: error) { try store.write { try store.add(tree) } }
    #expect(store.objects(Tree.self).isEmpty && tree.root?.child?.name == "n0")
    circle[length - 1].child = nil
    circle[length - 1].children.removeAll()
    try store.write { try store.add(tree) }
    #expect(tree.root?.child?.name == "n0")
  }

  @Test func soHaveNestedOnes() throws {
    let leaf = Node(name: "leaf")
    let branch = Node(
      name: "branch", child: leaf, children: [leaf, Node(name: "twig", child: leaf)])
    let root = Node(name: "root", child: branch, children: [branch, leaf])
    let tree = Tree(root: root)
    try store.write { try store.add(tree) }

    let there = try #require(tree.root)
    for branch in [there.child, there.children[0]] {
      #expect(branch?.name == "branch" && branch?.child?.name == "leaf")
      #expect(branch?.children.map(\.name) == ["leaf", "twig"])
      #expect(branch?.children[1].child?.name == "leaf")
    }
    #expect(there.children[1].name == "leaf")
  }

  @Test func aDraftThatHoldsOneInSeveralPlacesIsSaved() throws {
    let ada = Person(
      id: 1, name: "Ada", home: Address(street: "Rue"), offices: [Address(street: "Via")])
    try store.write { try store.add(ada) }
    let draft = ada.detached()
    let home = try #require(draft.home)
    draft.offices.append(home)
    draft.offices.append(home)
    try store.write { try store.add(draft, update: .modified) }

    #expect(ada.home?.street == "Rue")
    #expect(ada.offices.map(\.street) == ["Via", "Rue", "Rue"])
  }

  @Test func createTakesOneInSeveralPlaces() throws {
    let rue = Address(street: "Rue")
    let ada = try store.write {
      try store.create(
        Person.self, value: ["id": 1, "name": "Ada", "home": rue, "offices": [rue, rue]])
    }

    #expect(ada.home?.street == "Rue" && ada.offices.map(\.street) == ["Rue", "Rue"])
  }

  /// What could not be added belongs to nothing, in all of its places.
  @Test func itIsInAllOfItsPlacesAfterItCouldNotBeAdded() throws {
    try store.write { try store.add(Person(id: 1, name: "Ada")) }
    let rue = Address(street: "Rue")
    let ada = Person(id: 1, name: "Ada", home: rue, offices: [rue])
    #expect(throws: StoreError.self) { try store.write { try store.add(ada) } }
    ada.id = 2
    try store.write { try store.add(ada) }

    #expect(ada.home?.street == "Rue" && ada.offices.map(\.street) == ["Rue"])
  }
}
