import Strata
import StrataSQLite
import StrataTestModels
import Testing

/// Loops that people write every day: four times as many objects cost about four times as much, counted in SQLite's own
/// instructions.
@Suite struct EverydayCostTests {
  private static let small = 400

  /// How many instructions SQLite runs for a loop over so many people, all of them friends of the first.
  private func cost(
    _ count: Int, _ body: (Store, Person, [Person], [Dog]) throws -> Void
  ) throws -> Int {
    let test = try TestStore()
    let people = (0..<count).map { Person(id: $0, name: "p\($0)", age: $0 % 50) }
    let dogs = (0..<count).map { Dog(name: "d\($0)") }
    try test.store.write {
      try test.store.add(people)
      try test.store.add(dogs)
    }
    let granularity = 10
    var ticks = 0
    try test.store.write {
      test.store.database.setProgressHandler(every: granularity) {
        ticks += 1
        return false
      }
      try body(test.store, people[0], people, dogs)
      test.store.database.setProgressHandler(every: 0, nil)
    }
    return ticks * granularity
  }

  /// - Parameter factor: how many times more four times as many objects may cost. A loop in a loop would make it 16.
  private func expectLinear(
    _ location: SourceLocation = #_sourceLocation, atMost factor: Int = 6,
    _ body: (Store, Person, [Person], [Dog]) throws -> Void
  ) throws {
    let small = try cost(Self.small, body)
    let large = try cost(Self.small * 4, body)
    // What is read ahead comes in pieces of different sizes.
    #expect(large <= small * factor, "\(small) and \(large) instructions", sourceLocation: location)
  }

  // MARK: - Results

  @Test func updatingByIndex() throws {
    try expectLinear { store, _, _, _ in
      let all = store.objects(Person.self)
      for index in 0..<all.count { all[index].age += 1 }
    }
    try expectLinear { store, _, _, _ in
      let grown = try store.objects(Person.self).filter("age >= 0")
      for index in 0..<grown.count { grown[index].age += 1 }
    }
    try expectLinear { store, _, _, _ in
      let sorted = try store.objects(Person.self).sorted(by: "name")
      for index in 0..<sorted.count { sorted[index].age += 1 }
    }
  }

  @Test func deletingByIndex() throws {
    try expectLinear { store, _, _, _ in
      let all = store.objects(Person.self)
      for index in all.indices.reversed() { try store.delete(all[index]) }
    }
    try expectLinear { store, _, _, _ in
      let all = store.objects(Person.self)
      while let first = all.first { try store.delete(first) }
    }
    try expectLinear { store, _, _, _ in
      let sorted = try store.objects(Person.self).sorted(by: "name")
      while let first = sorted.first { try store.delete(first) }
    }
  }

  @Test func takingTheFirstThatIsLeft() throws {
    try expectLinear { store, _, _, _ in
      let unread = try store.objects(Person.self).filter("name != 'read'")
      while let first = unread.first { first.name = "read" }
    }
    try expectLinear { store, _, _, _ in
      let unread = try store.objects(Person.self).filter("name != 'read'").sorted(by: "score")
      while let first = unread.first { first.name = "read" }
    }
  }

  @Test func addingAndCounting() throws {
    try expectLinear { store, _, people, _ in
      let all = store.objects(Person.self)
      for index in people.indices {
        try store.add(Person(id: people.count + index, name: ""))
        #expect(all.count == people.count + index + 1)
      }
    }
  }

  @Test func lookingForAnObject() throws {
    try expectLinear { store, _, people, _ in
      let all = try store.objects(Person.self).filter("age >= 0")
      for person in people { #expect(all.contains(person)) }
    }
    try expectLinear { store, _, people, _ in
      let all = try store.objects(Person.self).sorted(by: "name")
      for person in people { #expect(all.index(of: person) != nil) }
    }
  }

  // MARK: - Collections

  @Test func appendingBesideOtherChanges() throws {
    try expectLinear { store, person, _, dogs in
      for dog in dogs {
        person.age += 1
        person.dogs.append(dog)
      }
    }
    try expectLinear { store, person, _, dogs in
      for dog in dogs {
        let other = Dog(name: dog.name)
        try store.add(other)
        person.dogs.append(other)
      }
    }
    try expectLinear { store, _, people, dogs in
      for dog in dogs {
        people[0].dogs.append(dog)
        people[1].dogs.append(dog)
      }
    }
    // Another object of the same row each time.
    try expectLinear { store, _, _, dogs in
      let all = store.objects(Person.self)
      for dog in dogs { all[0].dogs.append(dog) }
    }
    try expectLinear { store, person, _, dogs in
      for (index, dog) in dogs.enumerated() {
        person.scores[dog.name] = Double(index)
        person.age += 1
      }
    }
  }

  /// The owner of each is found anew, as an import does it.
  @Test func addingToManyOwnersInTurn() throws {
    func find(_ index: Int, in store: Store) throws -> Person {
      try #require(try store.object(ofType: Person.self, forPrimaryKey: index % 20))
    }
    try expectLinear { store, _, _, dogs in
      for (index, dog) in dogs.enumerated() { try find(index, in: store).dogs.append(dog) }
    }
    try expectLinear { store, _, _, dogs in
      for (index, dog) in dogs.enumerated() { try find(index, in: store).tags.insert(dog.name) }
    }
    try expectLinear { store, _, _, dogs in
      for (index, dog) in dogs.enumerated() {
        try find(index, in: store).scores[dog.name] = Double(index)
      }
    }
  }

  /// What cannot be added has changed nothing.
  @Test func passingOverWhatIsThereAlready() throws {
    try expectLinear { store, person, people, _ in
      for other in people {
        #expect(throws: StoreError.self) { try store.add(Person(id: other.id, name: "")) }
        person.friends.insert(other)
      }
    }
    try expectLinear { store, person, people, _ in
      for other in people {
        #expect(throws: StoreError.self) {
          try store.create(Person.self, value: ["id": "none"], update: .modified)
        }
        person.friends.insert(other)
      }
    }
  }

  @Test(arguments: [0, 1, 2, 100]) func insertingInOnePlace(place: Int) throws {
    try expectLinear { _, person, _, dogs in
      for dog in dogs { person.dogs.insert(dog, at: min(place, person.dogs.count)) }
    }
  }

  @Test func insertingAnywhere() throws {
    try expectLinear { _, person, _, dogs in
      for dog in dogs { person.dogs.insert(dog, at: person.dogs.count / 2) }
    }
    // Keys are spread anew now and then, over more elements the longer the list is.
    try expectLinear(atMost: 8) { _, person, _, dogs in
      var random = SeededGenerator(seed: 1)
      for dog in dogs {
        person.dogs.insert(dog, at: Int.random(in: 0...person.dogs.count, using: &random))
      }
    }
    try expectLinear { _, person, _, dogs in
      person.dogs.append(contentsOf: dogs)
      for _ in dogs { person.dogs.move(from: dogs.count - 1, to: 1) }
    }
  }

  @Test func deletingTheFirstElement() throws {
    try expectLinear { store, person, _, dogs in
      person.dogs.append(contentsOf: dogs)
      while let first = person.dogs.first { try store.delete(first) }
    }
    try expectLinear { store, person, people, _ in
      person.friends.insert(contentsOf: people.dropFirst())
      while let first = person.friends.first { try store.delete(first) }
    }
    try expectLinear { store, person, _, dogs in
      for dog in dogs { person.pets[dog.name] = dog }
      while let first = person.pets.first { try store.delete(first.value) }
    }
  }

  /// Elements of type `any` have no foreign keys, and leave their collection all the same.
  @Test func deletingTheFirstElementOfAnyType() throws {
    func first(_ elements: some Sequence<AnyValue?>) -> Object? {
      for case .object(let object)? in elements { return object }
      return nil
    }
    try expectLinear { store, _, _, dogs in
      let bag = try store.create(Bag.self, value: ["name": "b"])
      bag.list.append(contentsOf: dogs.map { .object($0) })
      while let dog = first(bag.list.prefix(1)) { try store.delete(dog) }
    }
    try expectLinear { store, _, _, dogs in
      let bag = try store.create(Bag.self, value: ["name": "b"])
      for dog in dogs { bag.set.insert(.object(dog)) }
      while let dog = first(bag.set.prefix(1)) { try store.delete(dog) }
    }
    try expectLinear { store, _, _, dogs in
      let bag = try store.create(Bag.self, value: ["name": "b"])
      for dog in dogs { bag.map[dog.name] = .object(dog) }
      while let dog = first(bag.map.prefix(1).map(\.value)) { try store.delete(dog) }
    }
  }

  @Test func takingTheFirstElementThatIsLeft() throws {
    try expectLinear { _, person, _, dogs in
      person.dogs.append(contentsOf: dogs)
      let young = person.dogs.where { $0.age == 0 }
      while let first = young.first { first.age = 1 }
    }
    try expectLinear { _, person, people, _ in
      person.friends.insert(contentsOf: people)
      let unread = person.friends.where { $0.score == 0 }
      while let first = unread.first { first.score = 1 }
    }
  }

  /// What is found is gone before the next look.
  @Test func deletingTheFirstElementThatAConditionFinds() throws {
    try expectLinear { store, person, _, dogs in
      person.dogs.append(contentsOf: dogs)
      let young = person.dogs.where { $0.age == 0 }
      while let first = young.first { try store.delete(first) }
    }
    try expectLinear { store, person, _, dogs in
      person.dogs.append(contentsOf: dogs)
      while let first = person.dogs.where({ $0.age == 0 }).first { try store.delete(first) }
    }
    try expectLinear { store, person, _, dogs in
      person.dogs.append(contentsOf: dogs)
      let sorted = try person.dogs.sorted(by: "name")
      while let first = sorted.first { try store.delete(first) }
    }
    try expectLinear { store, person, people, _ in
      person.friends.insert(contentsOf: people.dropFirst())
      let young = person.friends.where { $0.score == 0 }
      while let first = young.first { try store.delete(first) }
    }
  }

  @Test func countingWhatIsLeft() throws {
    try expectLinear { store, _, people, _ in
      let old = try store.objects(Person.self).filter("score == 1")
      for (number, person) in people.enumerated() {
        person.score = 1
        #expect(old.count == number + 1)
      }
    }
    try expectLinear { store, person, _, dogs in
      person.dogs.append(contentsOf: dogs)
      let young = person.dogs.where { $0.age == 0 }
      for (number, dog) in dogs.enumerated() {
        try store.delete(dog)
        #expect(young.count == dogs.count - number - 1)
      }
    }
    try expectLinear { store, _, people, _ in
      let added = try store.objects(Person.self).filter("score == 1")
      for number in people.indices {
        try store.add(Person(id: people.count + number, name: "", score: 1))
        #expect(added.count == number + 1)
      }
    }
  }

  @Test func lookingIntoCollections() throws {
    try expectLinear { _, person, _, dogs in
      person.dogs.append(contentsOf: dogs)
      for dog in dogs {
        #expect(person.dogs.contains(dog))
        dog.age += 1
      }
    }
    try expectLinear { _, person, _, dogs in
      for dog in dogs {
        #expect(person.tags.insert(dog.name))
        #expect(person.tags.contains(dog.name))
        person.age += 1
      }
      person.tags.formUnion(dogs.map(\.name))
      #expect(person.tags.count == dogs.count)
    }
  }

  @Test func followingInverses() throws {
    try expectLinear { _, person, people, _ in
      for other in people.dropFirst() {
        other.boss = person
        #expect(person.reports.contains(other))
      }
    }
    try expectLinear { _, person, people, _ in
      for other in people.dropFirst() {
        other.boss = person
        #expect(!person.reports.isEmpty && person.reports.first != nil)
      }
    }
  }

  @Test func followingTheInversesOfCollections() throws {
    try expectLinear { _, _, people, dogs in
      for person in people {
        person.dogs.append(dogs[0])
        #expect(dogs[0].owners.contains(person))
      }
    }
    try expectLinear { _, person, people, _ in
      for other in people { other.friends.insert(person) }
      while let admirer = person.admirers.first { admirer.friends.remove(person) }
    }
  }

  @Test func lookingAtAnInverseAgain() throws {
    func cost(ofLooks looks: Int) throws -> Int {
      try self.cost(Self.small) { _, person, people, _ in
        for other in people.dropFirst() { other.boss = person }
        for _ in 0..<looks { #expect(person.reports.count == Self.small - 1) }
      }
    }
    let (once, often) = (try cost(ofLooks: 1), try cost(ofLooks: 100))

    #expect(often < once * 2, "\(once) and \(often) instructions")
  }
}
