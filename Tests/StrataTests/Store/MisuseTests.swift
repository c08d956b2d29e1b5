import Foundation
import Strata
import StrataTestModels
import Testing

/// Every wrong use has an error of its own, and a sentence that says what happened and what to do instead.
@Suite struct MisuseTests {
  let test: TestStore
  var store: Store { test.store }

  init() throws { test = try TestStore() }

  private func expect(
    _ error: StoreError, _ sentence: String, location: SourceLocation = #_sourceLocation,
    _ body: () throws -> Void
  ) {
    let thrown = #expect(throws: StoreError.self, sourceLocation: location) { try body() }
    #expect(thrown == error, sourceLocation: location)
    #expect(thrown?.description == sentence, sourceLocation: location)
  }

  private func add(_ objects: Object...) throws {
    try store.write { for object in objects { try store.add(object) } }
  }

  // MARK: Transactions

  /// One sentence for all that a transaction keeps from being done.
  @Test func transactionsAreNotNested() throws {
    let sentence =
      "The store is in a write transaction already: transactions are not nested, and invalidate() and writeCopy(to:) work "
      + "outside of one only. Call it before or after."
    let copy = test.folder.file("copy.db")
    try store.write {
      expect(.alreadyInWriteTransaction, sentence) { try store.beginWrite() }
      expect(.alreadyInWriteTransaction, sentence) { try store.write {} }
      expect(.alreadyInWriteTransaction, sentence) { try store.invalidate() }
      expect(.alreadyInWriteTransaction, sentence) { try store.writeCopy(to: copy) }
      try store.add(Dog(name: "Rex"))
    }

    #expect(store.objects(Dog.self).count == 1)
  }

  @Test func changesNeedATransaction() throws {
    let sentence =
      "The store is not in a write transaction: say store.write { … } around the change."
    let dog = Dog(name: "Rex")
    try add(dog)

    expect(.notInWriteTransaction, sentence) { try store.commitWrite() }
    expect(.notInWriteTransaction, sentence) { try store.add(Dog(name: "Max")) }
    expect(.notInWriteTransaction, sentence) { try store.create(Dog.self, value: ["name": "Max"]) }
    expect(.notInWriteTransaction, sentence) { try store.delete(dog) }
    expect(.notInWriteTransaction, sentence) { try store.deleteAll() }
    expect(.notInWriteTransaction, sentence) { try store.deleteAll(Dog.self) }
    expect(.notInWriteTransaction, sentence) { try dog.setValue("Max", forKey: "name") }
    store.cancelWrite()
    #expect(store.objects(Dog.self).map(\.name) == ["Rex"])
  }

  @Test func aReadOnlyStoreIsNotWritten() throws {
    let path = test.folder.file("a.db")
    let reading = try Store(
      configuration: Store.Configuration(
        fileURL: URL(fileURLWithPath: path), readOnly: true, schema: TestingSchema.self))

    expect(.readOnly(path: path), "\(path) was opened read-only.") { try reading.write {} }
  }

  @Test func aClosedStoreSaysSo() throws {
    let dog = Dog(name: "Rex")
    try add(dog)
    #expect(dog.name == "Rex")
    let dogs = store.objects(Dog.self)
    let scores = try test.added(Person(id: 1, name: "Ada")).scores
    store.close()

    expect(.closed, "The store was closed.") { try store.beginWrite() }
    expect(.closed, "The store was closed.") { try store.write {} }
    expect(.closed, "The store was closed.") { try store.add(Dog(name: "Max")) }
    expect(.closed, "The store was closed.") { try store.commitWrite() }
    expect(.closed, "The store was closed.") { try store.refresh() }
    expect(.closed, "The store was closed.") { try dog.setValue("Max", forKey: "name") }
    #expect(store.objects(Dog.self).count == 0)
    #expect(store.objects(Dog.self).first == nil)
    // What can throw does not answer as if nothing were there.
    expect(.closed, "The store was closed.") {
      _ = try store.object(ofType: Person.self, forPrimaryKey: 1)
    }
    expect(.closed, "The store was closed.") { _ = try dogs.sum(of: \.age) }
    expect(.closed, "The store was closed.") { _ = try dogs.average(ofProperty: "age") }
    expect(.closed, "The store was closed.") { _ = try dogs.index(matching: "age = 0") }
    expect(.closed, "The store was closed.") { _ = try scores.sum() }
    #expect(dog.isInvalidated)
    #expect(dog.name == "Rex")
    store.close()
  }

  /// What closing takes back does not look as if it were stored.
  @Test func aStoreThatIsClosedInATransactionSaysSo() throws {
    expect(.closed, "The store was closed.") {
      try store.write {
        try store.add(Dog(name: "Rex"))
        store.close()
      }
    }
    let again = try test.open()
    #expect(again.objects(Dog.self).isEmpty)
    try again.write {
      try again.add(Dog(name: "Rex"))
      try again.commitWrite()
      again.close()
    }
    #expect(try test.open().objects(Dog.self).count == 1)
  }

  @Test func aWrongValueIsShownAsItStandsThere() throws {
    try store.write {
      // Foundation's description of it stops the program.
      let date = Date(timeIntervalSinceReferenceDate: .nan)
      let wrong = #expect(throws: StoreError.self) {
        try store.create(Dog.self, value: ["name": "Rex", "age": date])
      }
      #expect(wrong?.description == "Dog.age is int, found Date (nan).")
      let error = #expect(throws: StoreError.self) {
        try store.create(Dog.self, json: #"{"name": "Rex", "age": "1"}"#)
      }
      #expect(error?.description == #"Dog.age is int, found "1" in JSON."#)
    }
  }

  @Test func anInvalidatedStoreReadsTheNewestAgain() throws {
    let dog = Dog(name: "Rex")
    try add(dog)
    #expect(dog.name == "Rex")
    try test.execute("UPDATE Dog SET name = 'Max'")

    #expect(dog.name == "Rex")
    try store.invalidate()
    #expect(dog.name == "Max")

    // What the transaction has done is not lost.
    try store.write {
      dog.name = "Bo"
      #expect(throws: StoreError.alreadyInWriteTransaction) { try store.invalidate() }
      dog.age = 3
    }
    #expect(dog.name == "Bo" && dog.age == 3)
  }

  // MARK: Objects

  @Test func anObjectOfAnotherStoreIsNotTaken() throws {
    let other = try TestStore()
    let (dog, boss) = (Dog(name: "Rex"), Person(id: 1, name: "Ada"))
    try other.store.write { for object in [dog, boss] { try other.store.add(object) } }
    let ada = Person(id: 2, name: "Grace")
    try add(ada)
    let (ofDog, ofPerson) = (notItsOwn("Dog"), notItsOwn("Person"))

    expect(.belongsToAnotherStore(model: "Dog"), ofDog) { try add(dog) }
    expect(.belongsToAnotherStore(model: "Dog"), ofDog) {
      try add(Person(id: 3, name: "Alan", dogs: [dog]))
    }
    expect(.belongsToAnotherStore(model: "Person"), ofPerson) {
      try store.write { ada.boss = boss }
    }
    expect(.belongsToAnotherStore(model: "Dog"), ofDog) { try store.write { ada.dogs.append(dog) } }
    expect(.belongsToAnotherStore(model: "Dog"), ofDog) { try store.write { ada.pets["a"] = dog } }
    expect(.belongsToAnotherStore(model: "Person"), ofPerson) {
      _ = try store.write { ada.friends.insert(boss) }
    }
    expect(.belongsToAnotherStore(model: "Dog"), ofDog) {
      try store.write { try store.delete(dog) }
    }
    #expect(ada.boss == nil && ada.dogs.isEmpty && ada.pets.isEmpty && ada.friends.isEmpty)
    #expect(store.objects(Dog.self).isEmpty)
  }

  private func notItsOwn(_ model: String) -> String {
    "The \(model) is not this store's own: it is frozen, or belongs to another store. Take this store's with thaw(), "
      + "thaw(in:) or its key; its detached() copy is added as a new object."
  }

  /// What the sentence says leads to the object itself, and not to a second one.
  @Test func aFrozenObjectAndOneOfAnotherStoreOfTheFileAreNotTaken() throws {
    let (dog, ada) = (Dog(name: "Rex"), Person(id: 1, name: "Ada"))
    try add(dog, ada)
    let (frozen, other) = (dog.freeze(), try test.open())
    let twin = try #require(other.objects(Dog.self).first)
    let error = StoreError.belongsToAnotherStore(model: "Dog")

    for object in [frozen, twin] {
      expect(error, notItsOwn("Dog")) { try store.write { ada.dogs.append(object) } }
      expect(error, notItsOwn("Dog")) { try store.write { try store.delete(object) } }
      let own = try #require(object.thaw(in: store))
      try store.write { ada.dogs.append(own) }
    }
    #expect(frozen.thaw()?.isSameObject(as: dog) == true)
    #expect(ada.dogs.count == 2)
    #expect(store.objects(Dog.self).count == 1)
  }

  @Test func whatBelongsToNoStoreIsNotDeleted() throws {
    expect(.notManaged(model: "Dog"), "The Dog belongs to no store: add it first.") {
      try store.write { try store.delete(Dog(name: "Rex")) }
    }
  }

  @Test func aPrimaryKeyIsTakenOnce() throws {
    let (ada, grace) = (Person(id: 1, name: "Ada"), Person(id: 2, name: "Grace"))
    try add(ada, grace)
    let error = StoreError.duplicatePrimaryKey(model: "Person", key: "1")
    let sentence =
      "There is a Person with the primary key 1 already: say update: .modified to change it."

    expect(error, sentence) { try add(Person(id: 1, name: "Alan")) }
    expect(error, sentence) {
      _ = try store.write { try store.create(Person.self, value: ["id": 1, "name": "Alan"]) }
    }
    expect(error, sentence) { try store.write { grace.id = 1 } }
    expect(error, sentence) { try store.write { try grace.setValue(1, forKey: "id") } }
    #expect(store.objects(Person.self).map(\.name) == ["Ada", "Grace"])
    try add(Entry(account: "a", number: 1), Entry(account: "a", number: nil))
    expect(
      .duplicatePrimaryKey(model: "Entry", key: "a, 1"),
      "There is a Entry with the primary key a, 1 already: say update: .modified to change it."
    ) { try add(Entry(account: "a", number: 1)) }
    expect(
      .duplicatePrimaryKey(model: "Entry", key: "a, nil"),
      "There is a Entry with the primary key a, nil already: say update: .modified to change it."
    ) { try add(Entry(account: "a", number: nil)) }
  }

  @Test func aUniqueValueIsTakenOnce() throws {
    let (ada, grace) = (Person(id: 1, name: "Ada", email: "x"), Person(id: 2, name: "Grace"))
    try add(ada, grace)
    let sentence = "There is a Person with the same email already."

    expect(.notUnique(model: "Person", properties: ["email"]), sentence) {
      try store.write { grace.email = "x" }
    }
    expect(.notUnique(model: "Person", properties: ["email"]), sentence) {
      try add(Person(id: 3, name: "Alan", email: "x"))
    }
    #expect(grace.email == nil)
  }

  @Test func aRequiredValueIsMissed() throws {
    expect(
      .missingRequired(model: "Person", property: "name"),
      "Person.name is required and has no value."
    ) { _ = try store.write { try store.create(Person.self, value: ["id": 1]) } }
    expect(
      .missingRequired(model: "Person", property: "name"),
      "Person.name is required and has no value."
    ) { _ = try store.write { try store.create(Person.self, value: ["id": 1, "name": nil]) } }
    expect(
      .missingRequired(model: "Holder", property: "needed"),
      "Holder.needed is required and has no value."
    ) { _ = try store.write { try store.create(Holder.self, value: ["name": "a"]) } }
    #expect(store.objects(Person.self).isEmpty && store.objects(Holder.self).isEmpty)
  }

  @Test func aDeletedObjectIsNotUsedForChanges() throws {
    let (rex, ada) = (Dog(name: "Rex"), Person(id: 1, name: "Ada"))
    try add(rex, ada)
    try store.write { try store.delete(rex) }
    let sentence = "The Dog was deleted."

    expect(.invalidated(model: "Dog"), sentence) { try store.write { try store.delete(rex) } }
    expect(.invalidated(model: "Dog"), sentence) { try add(rex) }
    expect(.invalidated(model: "Dog"), sentence) { try store.write { ada.dogs.append(rex) } }
    expect(.invalidated(model: "Dog"), sentence) {
      try store.write { try rex.setValue("Max", forKey: "name") }
    }
    #expect(rex.name == "Rex")
    #expect(rex.owners.isEmpty)
    #expect(rex.detached().name == "Rex")
    #expect(rex.description.contains("Rex"))
  }

  @Test func anEmbeddedObjectNeedsAnOwner() throws {
    let sentence = "Address is embedded: set it in a property of its owner instead of adding it."

    expect(.embeddedWithoutOwner(model: "Address"), sentence) { try add(Address(street: "Rue")) }
    expect(.embeddedWithoutOwner(model: "Address"), sentence) {
      _ = try store.write { try store.create(Address.self, value: ["street": "Rue"]) }
    }
    expect(.embeddedWithoutOwner(model: "Address"), sentence) {
      try add(Person(id: 1, name: "Ada", thing: .object(Address(street: "Rue"))))
    }
  }

  // MARK: Values

  @Test(
    arguments: [
      (["age": "x"], "age", "int", "String (x)"), (["name": 7], "name", "string", "Int (7)"),
      (["age": 1.5], "age", "int", "Double (1.5)"),
      (["email": true], "email", "string?", "Bool (true)"),
      (["mood": "elated"], "mood", "Mood", "String (elated)"),
      (["dogs": 7], "dogs", "[Dog]", "Int (7)"),
      (["dogs": [7]], "dogs", "[Dog]", "Int (7) as element 1"),
      (["boss": "x"], "boss", "Person?", "String (x)"),
      (
        ["age": String(repeating: "x", count: 1000)], "age", "int",
        "String (\(String(repeating: "x", count: 60)))"
      ),
      (["tags": ["a": 1]], "tags", "set<string>", "Dictionary<String, Int>"),
      (["scores": ["a"]], "scores", "map<double>", "Array<String>"),
    ] as [([String: any Sendable], String, String, String)])
  func aWrongTypeIsNamed(
    value: [String: any Sendable], property: String, expected: String, found: String
  ) throws {
    let error = StoreError.wrongType(
      model: "Person", property: property, expected: expected, found: found)
    let sentence = "Person.\(property) is \(expected), found \(found)."
    var value: [String: Any] = value
    value["id"] = 1
    if value["name"] == nil { value["name"] = "Ada" }

    expect(error, sentence) { _ = try store.write { try store.create(Person.self, value: value) } }
    expect(error, sentence) { _ = try Person(value: value) }
    expect(error, sentence) {
      try Person(id: 1, name: "Ada").setValue(value[property], forKey: property)
    }
    #expect(store.objects(Person.self).isEmpty)
  }

  /// What `create` is given may be an object's own JSON, whose inverses it passes over.
  @Test func anInverseIsNotSet() throws {
    let (ada, grace) = (Person(id: 1, name: "Ada"), Person(id: 2, name: "Grace"))
    try add(ada)
    try add(grace)

    let rule = "an inverse, which is not set: it follows from links to the object"
    expect(
      .wrongType(model: "Person", property: "reports", expected: rule, found: "Array<Person>"),
      "Person.reports is \(rule), found Array<Person>."
    ) { try store.write { try ada.setValue([grace], forKey: "reports") } }
    #expect(ada.reports.isEmpty && grace.boss == nil)
    _ = try store.write {
      try store.create(Dog.self, value: ["name": "Rex", "owners": [ada]])
    }
    #expect(ada.dogs.isEmpty)
  }

  @Test func aWrongFormOfAnObjectIsNamed() throws {
    let form = "a dictionary, or an array of 3 values"
    expect(
      .wrongType(model: "Dog", property: "", expected: form, found: "an array of 1 values"),
      "Dog is \(form), found an array of 1 values."
    ) { _ = try store.write { try store.create(Dog.self, value: ["Rex"]) } }
    let error = #expect(throws: StoreError.self) {
      try store.write { try store.create(Dog.self, json: "{") }
    }
    guard case .invalidJSON = error else { return #expect(error == nil) }
    #expect(error?.description.hasPrefix("The text is no JSON: ") == true)
  }

  // MARK: Models and properties

  @Test func unknownNamesAreNamed() throws {
    let ada = Person(id: 1, name: "Ada")
    try add(ada)

    expect(.unknownModel(name: "Cat"), "The store's schema has no model Cat.") {
      _ = try store.objects(named: "Cat")
    }
    expect(.unknownModel(name: "Cat"), "The store's schema has no model Cat.") {
      _ = try store.write { try store.create(named: "Cat") }
    }
    let property = StoreError.unknownProperty(model: "Person", property: "nam")
    let sentence = "Person has no property nam."
    expect(property, sentence) { _ = try ada.value(forKey: "nam") }
    expect(property, sentence) { try store.write { try ada.setValue("x", forKey: "nam") } }
    expect(property, sentence) { _ = try ada.list("nam") }
    expect(property, sentence) { _ = try ada.linkingObjects(ofType: Person.self, property: "nam") }
    expect(
      .wrongType(model: "Person", property: "tags", expected: "set<string>", found: "a list"),
      "Person.tags is set<string>, found a list."
    ) { _ = try ada.list("tags") }
    #expect(ada["nam"] == nil)
  }

  @Test func aPrimaryKeyIsAskedForAsItIsDeclared() throws {
    expect(.noPrimaryKey(model: "Dog"), "Dog has no primary key.") {
      _ = try store.object(ofType: Dog.self, forPrimaryKey: 1)
    }
    let wrong = #expect(throws: StoreError.self) {
      try store.object(ofType: Person.self, forPrimaryKey: "x")
    }
    #expect(wrong?.code == "STR5046")
    #expect(wrong?.description.hasPrefix("Person.id is ") == true, "\(wrong?.description ?? "")")
    expect(
      .wrongType(model: "Entry", property: "account, number", expected: "2 values", found: "1"),
      "Entry.account, number is 2 values, found 1."
    ) { _ = try store.object(ofType: Entry.self, forPrimaryKey: "a") }
    #expect(try store.object(ofType: Person.self, forPrimaryKey: 9) == nil)
    #expect(try store.object(ofType: Person.self, forPrimaryKey: Int?.none) == nil)
  }

  // MARK: Walking

  @Test func collectionsAreChangedDuringAWalk() throws {
    let ada = Person(
      id: 1, name: "Ada", dogs: ["a", "b", "c"].map { Dog(name: $0) }, notes: ["x", nil],
      tags: ["t", "u"], scores: ["k": 1, "l": 2])
    let alone = List([1, 2, 3])
    try add(ada)
    var seen: [String] = []
    try store.write {
      for dog in ada.dogs {
        seen.append(dog.name)
        try store.delete(dog)
      }
      for note in ada.notes where note == nil { ada.notes.append("y") }
      for tag in ada.tags { ada.tags.remove(tag) }
      for (key, _) in ada.scores { ada.scores[key] = nil }
    }
    for number in alone { alone.remove(at: alone.firstIndex(of: number) ?? 0) }

    #expect(seen == ["a", "b", "c"])
    #expect(ada.dogs.isEmpty && ada.tags.isEmpty && ada.scores.isEmpty && alone.isEmpty)
    #expect(Array(ada.notes) == ["x", nil, "y"])
  }

  @Test func aResultIsEmptyAfterEverythingIsDeleted() throws {
    let dogs = store.objects(Dog.self)
    try add(Dog(name: "Rex"), Dog(name: "Max"), Person(id: 1, name: "Ada", dogs: [Dog(name: "Bo")]))
    let ada = try #require(store.objects(Person.self).first)
    let list = ada.dogs
    #expect(dogs.count == 3 && list.count == 1)
    try store.write {
      for dog in dogs {
        #expect(!dog.isInvalidated)
        try store.deleteAll()
      }
    }

    #expect(dogs.isEmpty && dogs.count == 0 && dogs.first == nil && dogs.last == nil)
    #expect(Array(dogs).isEmpty)
    #expect(dogs.prefix(3).isEmpty)
    #expect(list.isInvalidated && list.isEmpty && Array(list).isEmpty)
    #expect(ada.isInvalidated && ada.dogs.isEmpty && ada.reports.isEmpty)
  }
}
