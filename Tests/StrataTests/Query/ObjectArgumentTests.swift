import Foundation
import Strata
import StrataTestModels
import Testing

/// An object in a condition stands for itself, and never for an object of another file that has the same number.
@Suite struct ObjectArgumentTests {
  let test: TestStore
  let other: TestStore
  var store: Store { test.store }
  /// The same objects in two files, with the same numbers.
  let ours: [Person]
  let theirs: [Person]

  init() throws {
    test = try TestStore()
    other = try TestStore()
    func fill(_ store: Store) throws -> [Person] {
      let rex = Dog(name: "Rex")
      let ada = Person(id: 1, name: "Ada")
      let grace = Person(
        id: 2, name: "Grace", boss: ada, dogs: [rex], friends: [ada], pets: ["a": rex],
        thing: AnyValue(ada))
      try store.write { for person in [ada, grace] { try store.add(person) } }
      return [ada, grace]
    }
    ours = try fill(test.store)
    theirs = try fill(other.store)
  }

  private func expect(
    _ error: StoreError, naming person: Person, location: SourceLocation = #_sourceLocation
  ) {
    let people = store.objects(Person.self)
    for condition in [
      "boss = %@", "boss != %@", "ANY friends = %@", "friends CONTAINS %@", "thing = %@",
      "%@ = boss", "boss IN {%@}", "NOT boss = %@", "SELF = %@",
    ] {
      #expect(throws: error, sourceLocation: location) { _ = try people.filter(condition, person) }
    }
    #expect(throws: error, sourceLocation: location) {
      _ = try people.filter("boss IN %@", [person])
    }
    #expect(throws: error, sourceLocation: location) {
      _ = try people.filter("thing = %@", AnyValue(person))
    }
    #expect(throws: error, sourceLocation: location) {
      _ = try people.index(matching: "boss = %@", person)
    }
    #expect(throws: error, sourceLocation: location) {
      try store.write { try store.delete(Person.self, where: "boss = %@", person) }
    }
    #expect(throws: error, sourceLocation: location) {
      try store.write { try store.delete(Person.self) { $0.boss == person } }
    }
    #expect(throws: error, sourceLocation: location) {
      try store.write {
        try store.update(Person.self, set: ["age": 1], where: "boss = %@", person)
      }
    }
    #expect(throws: error, sourceLocation: location) {
      try store.write { try store.update(Person.self, set: ["boss": person]) }
    }
    #expect(throws: error, sourceLocation: location) {
      try store.write {
        try store.update(Person.self, set: ["age": UpdateExpression("if(boss = %@, 1, 2)", person)])
      }
    }
    #expect(throws: error, sourceLocation: location) {
      _ = try people.filter(where: { $0.boss == person })
    }
    #expect(people.where { $0.boss == person }.isEmpty, sourceLocation: location)
    #expect(people.where { $0.friends.contains(person) }.isEmpty, sourceLocation: location)
    #expect(people.where { $0.thing == AnyValue(person) }.isEmpty, sourceLocation: location)
    #expect(people.where { $0.boss != person }.count == people.count, sourceLocation: location)
    #expect(people.allSatisfy { $0.age == 0 }, sourceLocation: location)
  }

  @Test func anObjectOfAnotherFile() throws {
    expect(.belongsToAnotherStore(model: "Person"), naming: theirs[0])
    expect(.belongsToAnotherStore(model: "Person"), naming: theirs[0].freeze())
    #expect(store.objects(Person.self).count == 2)
    #expect(store.objects(Person.self).index(of: theirs[0]) == nil)
    #expect(!ours[1].friends.contains(theirs[0]))
    #expect(ours[1].dogs.index(of: theirs[1].dogs[0]) == nil)
    try store.write { #expect(!ours[1].friends.remove(theirs[0])) }
    #expect(ours[1].friends.count == 1)
  }

  @Test func anObjectOfNoStore() {
    expect(.notManaged(model: "Person"), naming: Person(id: 1, name: "Ada"))
  }

  @Test func aDeletedObject() throws {
    let alan = Person(id: 3, name: "Alan")
    try store.write { try store.add(alan) }
    try store.write { try store.delete(alan) }
    expect(.invalidated(model: "Person"), naming: alan)
  }

  @Test func objectsOfTheFileAreFound() throws {
    let second = try test.open()
    let again = try #require(try second.object(ofType: Person.self, forPrimaryKey: 1))
    for ada in [ours[0], again, ours[0].freeze(), again.freeze()] {
      for condition in [
        "boss = %@", "ANY friends = %@", "thing = %@", "boss IN {%@}", "friends CONTAINS %@",
      ] {
        #expect(try store.objects(Person.self).filter(condition, ada).map(\.name) == ["Grace"])
      }
      #expect(store.objects(Person.self).where { $0.boss == ada }.map(\.name) == ["Grace"])
      #expect(
        store.objects(Person.self).where { $0.thing == AnyValue(ada) }.map(\.name) == ["Grace"])
    }
    #expect(try store.objects(Person.self).filter("boss = %@", Person?.none).count == 1)
  }

  @Test func valuesOfNewObjects() throws {
    let error = StoreError.belongsToAnotherStore(model: "Person")
    #expect(throws: error) {
      try store.write {
        try store.create(Person.self, value: ["id": 3, "name": "x", "boss": theirs[0]])
      }
    }
    #expect(throws: error) {
      try store.write {
        try store.create(Person.self, value: ["id": 3, "name": "x", "thing": theirs[0]])
      }
    }
    #expect(store.objects(Person.self).count == 2)
  }
}
