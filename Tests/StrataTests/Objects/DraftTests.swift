import Strata
import StrataSQLite
import StrataTestModels
import Testing

/// A detached copy is a draft: saving it writes what was set in it, and takes back nothing that others wrote meanwhile.
@Suite struct DraftTests {
  let test: TestStore
  var store: Store { test.store }
  let ada: Person
  let grace: Person

  init() throws {
    test = try TestStore()
    ada = Person(
      id: 1, name: "Ada", age: 36, boss: Person(id: 2, name: "Grace", age: 85),
      home: Address(street: "Rue", country: Country(code: "F")),
      dogs: [Dog(name: "Rex"), Dog(name: "Max")],
      offices: [Address(street: "A"), Address(street: "B")],
      notes: ["a"], tags: ["t"], scores: ["go": 1], pets: ["p": Dog(name: "Pet")])
    try test.store.write { [ada, store = test.store] in try store.add(ada) }
    grace = try #require(ada.boss)
  }

  /// What a sync writes while a form is open, over a connection of its own.
  private func sync(_ change: (Person, Store) throws -> Void) throws {
    let other = try test.open()
    let ada = try #require(try other.object(ofType: Person.self, forPrimaryKey: 1))
    try other.write { try change(ada, other) }
    other.close()
    try store.refresh()
  }

  private func save(_ draft: Person) throws {
    try store.write { try store.add(draft, update: .modified) }
  }

  @Test(arguments: [0, 1, nil] as [Int?])
  func savingKeepsWhatASyncWroteMeanwhile(depth: Int?) throws {
    let draft = ada.detached(depth: depth)
    draft.name = "Augusta"
    try sync { ada, store in
      ada.age = 37
      ada.boss?.name = "Grace Hopper"
      ada.home?.street = "Avenue"
      ada.dogs[0].name = "Rexona"
      ada.dogs.append(Dog(name: "Third"))
      ada.offices[1].street = "C"
      ada.notes.append("b")
      ada.tags.insert("u")
      ada.scores["chess"] = 2
      ada.pets["p"]?.name = "Puss"
    }
    try save(draft)

    #expect(ada.name == "Augusta")
    #expect(ada.age == 37)
    #expect(ada.boss?.name == "Grace Hopper")
    #expect(ada.home?.street == "Avenue")
    #expect(ada.dogs.map(\.name) == ["Rexona", "Max", "Third"])
    #expect(ada.offices.map(\.street) == ["A", "C"])
    #expect(Array(ada.notes) == ["a", "b"])
    #expect(ada.tags.count == 2)
    #expect(ada.scores["chess"] == 2)
    #expect(ada.pets["p"]?.name == "Puss")
    #expect(store.objects(Dog.self).count == 4)
    #expect(try test.logged(transaction: 3) == ["Person update name"])
  }

  @Test func aDraftOfDepthZeroKeepsItsLinks() throws {
    let draft = ada.detached(depth: 0)

    #expect(draft.boss == grace)
    #expect(Array(draft.dogs) == Array(ada.dogs))
    #expect(draft.pets["p"] == ada.pets["p"])
    #expect(draft.home?.store == nil)
  }

  @Test func whatWasSetInADraftIsWritten() throws {
    let draft = ada.detached(depth: 0)
    let third = Person(id: 3, name: "Third")
    draft.boss = third
    draft.dogs.remove(at: 0)
    draft.dogs.append(Dog(name: "New"))
    draft.notes[0] = "z"
    draft.tags.removeAll()
    draft.scores["go"] = 5
    draft.home?.street = "Avenue"
    draft.offices[0].street = "Z"
    draft.email = "a@b.c"
    draft.thing = AnyValue(grace)
    try save(draft)

    #expect(ada.boss == third)
    #expect(ada.dogs.map(\.name) == ["Max", "New"])
    #expect(Array(ada.notes) == ["z"])
    #expect(ada.tags.isEmpty)
    #expect(ada.scores["go"] == 5)
    #expect(ada.home?.street == "Avenue" && ada.home?.country?.code == "F")
    #expect(ada.offices.map(\.street) == ["Z", "B"])
    #expect(ada.email == "a@b.c")
    #expect(ada.thing == AnyValue(grace))
  }

  @Test func aPropertyThatWasSetToNilIsCleared() throws {
    let draft = ada.detached(depth: 0)
    draft.boss = nil
    draft.home = nil
    try save(draft)

    #expect(ada.boss == nil && ada.home == nil)
    #expect(ada.dogs.count == 2)
  }

  @Test func whatWasSetInACopyBehindALinkIsWrittenThere() throws {
    let draft = ada.detached()
    draft.boss?.name = "Hopper"
    draft.dogs[1].name = "Maximilian"
    try sync { ada, _ in
      ada.boss?.age = 86
      ada.dogs[1].age = 4
    }
    try save(draft)

    #expect(grace.name == "Hopper" && grace.age == 86)
    #expect(ada.dogs.map(\.name) == ["Rex", "Maximilian"])
    #expect(ada.dogs[1].age == 4)
    #expect(store.objects(Dog.self).count == 3)
  }

  @Test func whatWasDeletedMeanwhileStaysDeleted() throws {
    let draft = ada.detached()
    draft.name = "Augusta"
    draft.dogs[0].name = "Ghost"
    draft.home?.street = "Nowhere"
    try sync { ada, store in
      try store.delete(ada.dogs[0])
      ada.home = nil
    }
    try save(draft)

    #expect(ada.name == "Augusta" && ada.home == nil)
    #expect(ada.dogs.map(\.name) == ["Max"])
    #expect(store.objects(Dog.self).count == 2)
  }

  @Test func aCopyOfADraftIsTheSameDraft() throws {
    let draft = ada.detached(depth: 0)
    draft.age = 40
    try sync { ada, _ in ada.name = "Augusta" }
    try save(draft.detached())
    #expect(ada.age == 40 && ada.name == "Augusta")

    try sync { ada, _ in ada.age = 41 }
    draft.email = "a@b.c"
    try save(draft)
    #expect(ada.age == 40 && ada.email == "a@b.c")
  }

  @Test func aDraftWithoutAPrimaryKeyIsSavedInPlace() throws {
    let rex = ada.dogs[0]
    let draft = rex.detached()
    draft.name = "Rexona"
    try store.write { rex.age = 7 }
    try store.write { try store.add(draft, update: .modified) }

    #expect(rex.name == "Rexona" && rex.age == 7)
    #expect(draft == rex)
    try store.write { try store.add(rex.detached()) }
    #expect(store.objects(Dog.self).count == 4)
  }

  /// The classic meaning: all values of the copy, also those that were not set.
  @Test func allPutsBackWhatWasCopied() throws {
    let backup = ada.detached(depth: 0)
    try store.write {
      ada.name = "Augusta"
      ada.notes.removeAll()
      ada.home?.street = "Avenue"
    }
    try store.write { try store.add(backup, update: .all) }

    #expect(ada.name == "Ada" && Array(ada.notes) == ["a"])
    #expect(ada.home?.street == "Rue")
    #expect(ada.offices.map(\.street) == ["A", "B"])
  }

  @Test func aCopyInAnotherFileIsWrittenWhole() throws {
    let other = try TestStore()
    try other.store.write {
      try other.store.add(Person(id: 1, name: "Other", age: 1))
      try other.store.add(ada.detached(), update: .modified)
    }
    let copy = try #require(other.store.objects(Person.self).where { $0.id == 1 }.first)

    #expect(copy.name == "Ada" && copy.age == 36)
    #expect(copy.dogs.map(\.name) == ["Rex", "Max"])
  }

  @Test func aDraftOfAFrozenObjectIsSaved() throws {
    let draft = ada.freeze().detached(depth: 0)
    draft.name = "Augusta"
    draft.dogs.append(ada.dogs[0])
    draft.friends.insert(grace.freeze())
    try save(draft)

    #expect(ada.name == "Augusta")
    #expect(ada.dogs.map(\.name) == ["Rex", "Max", "Rex"])
    #expect(Array(ada.friends) == [grace])
  }

  @Test func aChangedKeyMakesAnotherObject() throws {
    let draft = ada.detached(depth: 0)
    draft.id = 9
    draft.email = "a@b.c"
    try save(draft)
    let copy = try #require(try store.object(ofType: Person.self, forPrimaryKey: 9))

    #expect(copy.name == "Ada" && copy.age == 36 && copy.boss == grace)
    #expect(ada.id == 1)
  }

  // MARK: Files

  private var place: Store.Configuration {
    Store.Configuration(path: test.folder.file("b.db"), schema: TestingSchema.self)
  }

  /// A draft of the only object of a new store, which is closed.
  private func draft<Model: Object>(
    of object: Model, in configuration: Store.Configuration
  ) throws -> Model {
    let store = try Store(configuration: configuration)
    defer { store.close() }
    try store.write { try store.add(object) }
    return object.detached()
  }

  @Test(arguments: [UpdatePolicy.modified, .all])
  func aDraftOverwritesNothingInAFileThatTookThePlaceOfADeletedOne(update: UpdatePolicy) throws {
    let rex = try draft(of: Dog(name: "Rex"), in: place)
    try Store.deleteFiles(for: place)
    let store = try Store(configuration: place)
    try store.write { try store.add(Dog(name: "Max")) }

    rex.name = "Rexona"
    try store.write { try store.add(rex, update: update) }

    #expect(store.objects(Dog.self).map(\.name) == ["Max", "Rexona"])
  }

  @Test func aDraftOverwritesNothingInAFileThatWasPutIntoThePlace() throws {
    let rex = try draft(of: Dog(name: "Rex"), in: place)
    let other = test.folder.file("c.db")
    _ = try draft(of: Dog(name: "Max"), in: .init(path: other, schema: TestingSchema.self))
    try POSIXFiles().rename(other, to: test.folder.file("b.db"))
    let store = try Store(configuration: place)

    rex.name = "Rexona"
    try store.write { try store.add(rex, update: .modified) }

    #expect(store.objects(Dog.self).map(\.name) == ["Max", "Rexona"])
  }

  @Test func aDraftOverwritesNothingInAMemoryOfTheSameIdentifier() throws {
    let memory = Store.Configuration(
      inMemoryIdentifier: "drafts \(test.folder.path)", schema: TestingSchema.self)
    let rex = try draft(of: Dog(name: "Rex"), in: memory)
    let store = try Store(configuration: memory)
    try store.write { try store.add(Dog(name: "Max")) }

    rex.name = "Rexona"
    try store.write { try store.add(rex, update: .modified) }

    #expect(store.objects(Dog.self).map(\.name) == ["Max", "Rexona"])
  }

  @Test func aDraftWithAKeyIsWrittenWholeIntoAFileThatTookThePlace() throws {
    let ada = try draft(of: Person(id: 1, name: "Ada", age: 36), in: place)
    try Store.deleteFiles(for: place)
    let store = try Store(configuration: place)
    let other = Person(id: 1, name: "Other", age: 1)
    try store.write { try store.add(other) }

    ada.name = "Augusta"
    try store.write { try store.add(ada, update: .modified) }

    #expect(other.name == "Augusta" && other.age == 36)
  }

  /// What tells the rows of a view apart.
  @Test func objectsOfAFileThatTookThePlaceHaveIdentitiesOfTheirOwn() throws {
    func identity() throws -> ObjectIdentity {
      let store = try Store(configuration: place)
      defer { store.close() }
      let dog = Dog(name: "Rex")
      try store.write { try store.add(dog) }
      return dog.id
    }
    let old = try identity()
    try Store.deleteFiles(for: place)

    #expect(try identity() != old)
  }
}
