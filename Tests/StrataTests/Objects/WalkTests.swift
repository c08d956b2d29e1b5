import Strata
import StrataTestModels
import Testing

/// A walk goes over the objects that were there when it began, whatever is done meanwhile.
@Suite struct WalkTests {
  let test: TestStore
  var store: Store { test.store }
  var dogs: Results<Dog> { store.objects(Dog.self) }

  init() throws {
    test = try TestStore()
    try store.write { for age in 0..<100 { try store.add(Dog(name: "d", age: age)) } }
  }

  @Test func whatIsAddedIsNotMet() throws {
    var seen = 0
    try store.write {
      for dog in dogs {
        seen += 1
        try store.add(Dog(name: "new", age: dog.age + 1000))
      }
    }
    #expect(seen == 100)
    #expect(dogs.count == 200)
  }

  @Test func whatIsAddedInTransactionsOfItsOwnIsNotMet() throws {
    var seen = 0
    for dog in dogs {
      seen += 1
      try store.write { try store.add(Dog(name: "new", age: dog.age + 1000)) }
    }
    #expect(seen == 100)
    #expect(dogs.count == 200)
  }

  @Test func aWalkThatBeganBeforeTheTransactionEndsToo() throws {
    let walk = dogs.makeIterator()
    var ages = [try #require(walk.next()).age]
    try store.beginWrite()
    while let dog = walk.next() {
      ages.append(dog.age)
      try store.add(Dog(name: "new", age: 1000))
    }
    store.cancelWrite()
    #expect(ages == Array(0..<100))
  }

  /// What is done to the list while its answers are walked over.
  static let changes: [@Sendable (List<Dog>, Dog) -> Void] = [
    { list, dog in if let place = list.firstIndex(of: dog) { list.move(from: place, to: 9) } },
    { list, dog in
      if let place = list.firstIndex(of: dog) { list.remove(at: place) }
      list.append(dog)
    },
    { list, _ in list.append(list[0]) },
    { list, _ in list.insert(list[list.count - 1], at: 0) },
    { list, _ in list.removeLast() },
    { list, _ in list.removeAll() },
  ]

  @Test(arguments: changes.indices)
  func aListThatChangesMeanwhile(change: Int) throws {
    let owner = try test.added(Person(id: 1, name: "Ada"))
    try store.write { owner.dogs.append(contentsOf: dogs.prefix(10)) }
    var ages: [Int] = []
    try store.write {
      for dog in owner.dogs.where({ $0.age > 4 }) {
        ages.append(dog.age)
        // A walk without an end would go on.
        guard ages.count < 20 else { break }
        if !owner.dogs.isEmpty { Self.changes[change](owner.dogs, dog) }
      }
    }
    #expect(ages == [5, 6, 7, 8, 9])
  }

  @Test func filtersSortsAndInverses() throws {
    let owner = Person(id: 1, name: "Ada", dogs: [dogs[0]])
    try store.write { try store.add(owner) }
    try store.write {
      for dog in try dogs.filter("age >= 0") { try store.add(Dog(name: "a", age: dog.age)) }
      for _ in dogs.sorted(by: \.age) { try store.add(Dog(name: "b")) }
      for _ in dogs[0].owners {
        try store.add(Person(id: store.objects(Person.self).count + 1, name: "x", dogs: [dogs[0]]))
      }
    }
    #expect(dogs.count == 400)
    #expect(store.objects(Person.self).count == 2)
  }

  @Test func collections() throws {
    let ada = Person(id: 1, name: "Ada", notes: ["a", "b"], tags: ["t"], scores: ["k": 1])
    try store.write {
      try store.add(ada)
      for dog in dogs { ada.dogs.append(dog) }
      for note in ada.notes { ada.notes.append(note) }
      ada.notes.append(contentsOf: ada.notes)
      for tag in ada.tags { ada.tags.insert(tag + "!") }
      for (key, score) in ada.scores { ada.scores[key + "!"] = score }
      for dog in ada.dogs { ada.dogs.append(dog) }
    }
    #expect(ada.notes.count == 8 && ada.tags.count == 2 && ada.scores.count == 2)
    #expect(ada.dogs.count == 200)
  }

  @Test func whatIsDeletedIsPassedOver() throws {
    var ages: [Int] = []
    try store.write {
      for dog in dogs {
        ages.append(dog.age)
        if dog.age == 5 { try store.delete(Dog.self, where: "age > 5 AND age < 90") }
        if dog.age == 2 { try store.delete(dog) }
      }
    }
    #expect(ages == Array(0...5) + Array(90..<100))
  }

  /// What a first deletion sets up, and what a refused change takes back, ends no walk whose condition looks at other rows.
  @Test(arguments: ["delete", "refused", "update"])
  func whatHappensBesideAWalkDoesNotEndIt(_ what: String) throws {
    try store.write {
      for id in 0..<6 {
        let person = Person(id: id, name: "p\(id)", age: id)
        person.friends.insert(person)
        try store.add(person)
      }
    }
    let second = try test.open()
    let people = try second.objects(Person.self).filter("NONE friends.name = 'x'")
      .sorted(by: "age", ascending: false)
    var seen: [Int] = []
    try second.write {
      for person in people {
        seen.append(person.id)
        guard person.id == 5 else { continue }
        switch what {
        case "delete": try second.delete(second.objects(Dog.self)[0])
        case "refused":
          #expect(throws: StoreError.self) {
            try second.create(
              Person.self, value: ["id": 9, "name": "n", "home": ["street": "s"], "age": "x"],
              update: .modified)
          }
          #expect(throws: StoreError.self) {
            try second.add(
              Person(
                id: 0, name: "z", email: "e", boss: Person(id: 10, name: "y", email: "e"),
                home: Address(street: "s")),
              update: .modified)
          }
        default: try second.update(Dog.self, set: ["age": UpdateExpression("age + 1")])
        }
      }
    }
    #expect(seen == [5, 4, 3, 2, 1, 0])
  }

  /// Overwriting a row moves it in the index by which the walk goes.
  @Test func whatIsOverwrittenIsMetOnce() throws {
    try store.write { try store.add((1...3).map { Letter(pages: $0) }) }
    var seen = 0
    try store.write {
      for letter in store.objects(Letter.self).sorted(by: \.pages) {
        seen += 1
        // A walk without an end would go on.
        guard seen < 20 else { break }
        let copy = letter.detached()
        copy.pages += 10
        try store.add(copy, update: .modified)
      }
    }
    #expect(seen == 3)
    #expect(store.objects(Letter.self).map(\.pages).sorted() == [11, 12, 13])
  }

  @Test func whatNoLongerFitsOnceItIsOverwrittenIsMet() throws {
    let letters = (1...3).map { Letter(pages: $0) }
    try store.write { try store.add(letters) }
    let copy = letters[2].detached()
    copy.pages = 0
    var seen = 0
    try store.write {
      for letter in store.objects(Letter.self).where({ $0.pages > 0 }) {
        if letter == letters[0] { try store.add(copy, update: .modified) }
        seen += 1
      }
    }
    #expect(seen == 3)
    #expect(store.objects(Letter.self).where { $0.pages > 0 }.count == 2)
  }

  @Test func whatNoLongerFitsOnceItsListIsEmptiedIsMet() throws {
    let people = (1...3).map { Person(id: $0, name: "p", dogs: [dogs[0]]) }
    try store.write { try store.add(people) }
    var seen: [Int] = []
    try store.write {
      for person in store.objects(Person.self).where({ $0.dogs.count > 0 }) {
        if seen.isEmpty { people[2].dogs.removeAll() }
        seen.append(person.id)
      }
    }
    #expect(seen == [1, 2, 3])
    #expect(store.objects(Person.self).where { $0.dogs.count > 0 }.count == 2)
  }

  @Test func refreshingDoesNotEndAWalk() throws {
    let other = try test.open()
    var ages: [Int] = []
    for dog in dogs {
      ages.append(dog.age)
      if dog.age == 40 {
        try other.write {
          try other.add(Dog(name: "new", age: 1000))
          try other.delete(Dog.self, where: "age = 50")
        }
        try store.refresh()
      }
    }
    #expect(ages == (0..<100).filter { $0 != 50 })
    #expect(dogs.count == 100)
  }
}
