import Strata
import StrataTestModels
import Testing

/// What a setter or an index cannot throw ends the program, with a sentence that names the object and the way out.
@Suite struct WrongProgramTests {
  private func expect(
    _ sentence: String, in result: ExitTest.Result?, location: SourceLocation = #_sourceLocation
  ) {
    let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(output.contains(sentence), sourceLocation: location)
  }

  /// A store with somebody in it.
  private static func ada() throws -> (TestStore, Person) {
    let test = try TestStore()
    let ada = Person(id: 1, name: "Ada", dogs: [Dog(name: "Rex")], tags: ["t"], scores: ["k": 1])
    try test.store.write { try test.store.add(ada) }
    return (test, ada)
  }

  @Test func settingOutsideOfATransaction() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (_, ada) = try Self.ada()
      ada.name = "Grace"
    }
    expect(
      "Person.name was set outside of a write transaction: say store.write { … } around it, "
        + "or change a detached() copy.", in: result)
  }

  @Test func changingAListOutsideOfATransaction() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (_, ada) = try Self.ada()
      ada.dogs.append(Dog(name: "Max"))
    }
    expect(
      "Person.dogs was changed (insert) outside of a write transaction: "
        + "say store.write { … } around it.", in: result)
  }

  /// Also where what is put into it was deleted, which the commit would throw.
  @Test func replacingInAListOutsideOfATransaction() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let test = try TestStore()
      let tree = Node(name: "root", children: [Node(name: "leaf", child: Node(name: "inner"))])
      try test.store.write { try test.store.add(Tree(root: tree)) }
      let leaf = tree.children[0]
      try test.store.write { tree.children.removeAll() }
      tree.children.replaceSubrange(0..<0, with: [leaf])
    }
    expect("Node.children was changed (replace) outside of a write transaction", in: result)
  }

  @Test func changingASetOutsideOfATransaction() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (_, ada) = try Self.ada()
      ada.tags.insert("u")
    }
    expect("Person.tags was changed (insert) outside of a write transaction", in: result)
  }

  @Test func changingAMapOutsideOfATransaction() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (_, ada) = try Self.ada()
      ada.scores["k"] = 2
    }
    expect("Person.scores was changed (", in: result)
    expect(") outside of a write transaction: say store.write { … } around it.", in: result)
  }

  @Test func settingAnObjectOfAClosedStore() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (test, ada) = try Self.ada()
      test.store.close()
      ada.name = "Grace"
    }
    expect(
      "Person.name was set after its store was closed: open the store again, "
        + "or change a detached() copy.", in: result)
  }

  @Test func changingAListOfAClosedStore() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (test, ada) = try Self.ada()
      let dogs = ada.dogs
      test.store.close()
      dogs.append(Dog(name: "Max"))
    }
    expect(
      "Person.dogs was changed (insert) after its store was closed: open the store again.",
      in: result)
  }

  @Test func settingADeletedObject() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (test, ada) = try Self.ada()
      try test.store.write {
        try test.store.delete(ada)
        ada.name = "Grace"
      }
    }
    expect(
      "Person.name of a deleted object was set: ask isInvalidated before, or make a new object.",
      in: result)
  }

  @Test func changingAListOfADeletedObject() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (test, ada) = try Self.ada()
      let dogs = ada.dogs
      try test.store.write {
        try test.store.delete(ada)
        dogs.append(Dog(name: "Max"))
      }
    }
    expect(
      "Person.dogs of a deleted object was changed (insert): ask isInvalidated before.", in: result)
  }

  @Test func settingAnUnknownName() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (test, ada) = try Self.ada()
      try test.store.write { ada["nam"] = "Grace" }
    }
    expect("Person has no property nam.", in: result)
  }

  @Test func askingForAClassOfAnotherSchema() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      final class Cat: Object {}
      let (test, _) = try Self.ada()
      _ = test.store.objects(Cat.self)
    }
    expect("The store's schema has no model Cat.", in: result)
  }

  // MARK: Places that are not there

  @Test func aPlaceBehindAResult() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (test, _) = try Self.ada()
      _ = test.store.objects(Person.self)[1]
    }
    expect("The index 1 is outside of the result, which has 1 objects.", in: result)
  }

  @Test func aPlaceBehindAList() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (_, ada) = try Self.ada()
      _ = ada.dogs[1]
    }
    expect("The index 1 is outside of the list, which has 1 elements.", in: result)
  }

  @Test func aPlaceBehindAStandaloneList() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      List<Int>([7]).remove(at: 1)
    }
    expect("The index 1 is outside of the list, which has 1 elements.", in: result)
  }

  @Test func aPlaceBehindASet() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (_, ada) = try Self.ada()
      _ = ada.tags[-1]
    }
    expect("The index -1 is outside of the set, which has 1 elements.", in: result)
  }

  @Test func aPlaceBehindAMap() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (_, ada) = try Self.ada()
      _ = ada.scores[1]
    }
    expect("The index 1 is outside of the map, which has 1 entries.", in: result)
  }
}
