import Foundation
import Strata
import StrataTestModels
import Testing

@Suite struct CreateTests {
  let test: TestStore
  var store: Store { test.store }

  init() throws { test = try TestStore() }

  // MARK: What is given

  @Test func aDictionaryMakesAnObjectWithAllThatItHolds() throws {
    let person = try store.write {
      try store.create(
        Person.self,
        value: [
          "id": 1, "name": "Ada", "mood": "angry", "rank": 9, "nobody": "knows this",
          "boss": ["id": 2, "name": "Grace"], "home": ["street": "Rue", "country": ["code": "F"]],
          "dogs": [["name": "Rex"], Dog(name: "Max")], "notes": ["a", NSNull(), nil] as [Any?],
          "tags": ["x", "y"], "scores": ["go": 1.5], "thing": 7,
        ])
    }

    #expect(person.store === store)
    #expect(person.name == "Ada")
    #expect(person.age == 0)
    #expect(person.mood == .angry)
    #expect(person.rank == .general)
    #expect(person.boss?.name == "Grace")
    #expect(person.home?.country?.code == "F")
    #expect(person.dogs.map(\.name) == ["Rex", "Max"])
    #expect(Array(person.notes) == ["a", nil, nil])
    #expect(Set(person.tags) == ["x", "y"])
    #expect(person.scores["go"] == 1.5)
    #expect(person.thing == .int(7))
    #expect(store.objects(Person.self).count == 2)
  }

  @Test func anArrayHasAValueForEachPropertyAsDeclared() throws {
    let entry = try store.write { try store.create(Entry.self, value: ["a", 7, "seven"]) }
    #expect(entry.account == "a")
    #expect(entry.number == 7)
    #expect(entry.text == "seven")

    let dog = try store.write { try store.create(Dog.self, value: ["Rex", "tan", 3]) }
    #expect(dog.name == "Rex")
    #expect(dog.color == "tan")

    let error = #expect(throws: StoreError.self) {
      try store.write { try store.create(Dog.self, value: ["Rex"]) }
    }
    #expect(error?.description.contains("an array of 3 values") == true)
  }

  @Test func anotherObjectIsCopied() throws {
    let rex = Dog(name: "Rex", age: 3)
    let copy = try store.write {
      try store.add(rex)
      return try store.create(Dog.self, value: rex)
    }

    #expect(copy.name == "Rex")
    #expect(!copy.isSameObject(as: rex))
    #expect(store.objects(Dog.self).count == 2)
  }

  @Test func anObjectInAValueOfTypeAnyIsCopied() throws {
    let rex = Dog(name: "Rex", age: 3)
    let copy = try store.write {
      try store.add(rex)
      return try store.create(Dog.self, value: AnyValue.object(rex))
    }

    #expect(copy.age == 3)
    #expect(!copy.isSameObject(as: rex))
    #expect(store.objects(Dog.self).count == 2)
  }

  @Test func theCopyOfAnObjectLinksToTheSameObjects() throws {
    let ada = Person(
      id: 1, name: "Ada", boss: Person(id: 2, name: "Grace"), home: Address(street: "Rue"),
      dogs: [Dog(name: "Rex")], pets: ["p": Dog(name: "Max")])
    let holder = Holder(name: "h", nullified: Target(name: "t"), needed: Needed(name: "n"))
    ada.friends.insert(ada)
    try store.write {
      try store.add(ada)
      try store.add(holder)
    }
    let copy = try store.write { try store.create(Holder.self, value: holder) }
    #expect(copy != holder)
    #expect(copy.nullified == holder.nullified && copy.needed == holder.needed)
    #expect(store.objects(Target.self).count == 1 && store.objects(Needed.self).count == 1)

    let person = try Person(value: ada)
    #expect(person.boss == ada.boss && person.dogs[0] == ada.dogs[0])
    #expect(person.home?.store == nil && person.home?.street == "Rue")
    person.id = 3
    try store.write { try store.add(person) }
    #expect(person.pets["p"] == ada.pets["p"] && Array(person.friends) == [ada])
    #expect(store.objects(Dog.self).count == 2)

    let elsewhere = try TestStore()
    try elsewhere.store.write { try elsewhere.store.create(Person.self, value: ada) }
    #expect(elsewhere.store.objects(Dog.self).count == 2)
  }

  /// The new object is the one that its values lead back to.
  @Test func aCircleOfValuesClosesInTheNewObject() throws {
    let grace = Person(id: 2, name: "Grace", boss: Person(id: 1, name: "Ada"))
    grace.boss?.boss = grace
    let copy = try Person(value: grace)

    #expect(copy !== grace && copy.boss?.boss === copy && copy.boss !== grace.boss)
    try store.write { try store.add(copy) }
    #expect(store.objects(Person.self).map(\.name).sorted() == ["Ada", "Grace"])
  }

  @Test func anEmbeddedObjectThatIsCopiedLinksToTheSameObjects() throws {
    let (ada, grace) = (Person(id: 1, name: "Ada"), Person(id: 2, name: "Grace"))
    ada.home = Address(street: "Rue", country: Country(code: "F"))
    try store.write { try store.add([ada, grace]) }
    try store.write { grace.home = ada.home }

    #expect(grace.home != ada.home && grace.home?.country == ada.home?.country)
    #expect(store.objects(Country.self).count == 1)
  }

  /// On Linux Foundation decodes a number with many digits as a `Decimal`.
  @Test func numbersOfDecodedJSONAreTaken() throws {
    let text =
      #"{"id": 9007199254740993, "name": "Ada", "score": 0.30000000000000004, "age": -9007199254740993}"#
    let decoded = try JSONSerialization.jsonObject(with: Data(text.utf8))
    let person = try store.write { try store.create(Person.self, value: decoded) }
    #expect(person.score == 0.30000000000000004)
    #expect(person.id == 9_007_199_254_740_993 && person.age == -9_007_199_254_740_993)
    try store.write {
      person["score"] = Decimal(string: "0.1")
      person["age"] = Decimal(36)
    }
    #expect(person.score == 0.1 && person.age == 36)
    #expect(throws: StoreError.self) {
      try store.write { try person.setValue(Decimal(string: "1.5"), forKey: "age") }
    }
  }

  @Test func valuesOfEachSpellingAreTaken() throws {
    let rex = Dog(name: "Rex")
    let person = try store.write {
      try store.create(
        Person.self,
        value: [
          "id": UInt8(1), "name": "Ada Lovelace".prefix(3), "email": Character("@"),
          "age": Optional(Optional(NSNumber(value: 36))) as Any, "score": CGFloat(1.5),
          "born": NSDate(timeIntervalSinceReferenceDate: 5), "thing": AnyValue.object(rex),
          "notes": ArraySlice(["a"]), "tags": Set(["t"]), "boss": AnyValue.null,
          "dogs": [AnyValue(rex)],
        ])
    }
    #expect(person.id == 1 && person.name == "Ada" && person.email == "@" && person.age == 36)
    #expect(person.score == 1.5 && person.born == Date(timeIntervalSinceReferenceDate: 5))
    #expect(person.thing == AnyValue(rex) && person.dogs[0] == rex)
    #expect(Array(person.notes) == ["a"] && Array(person.tags) == ["t"])

    try store.write {
      person["thing"] = NSNumber(value: true)
      #expect(person.thing == .bool(true))
      person["thing"] = NSDecimalNumber(string: "1.25")
      #expect(person.thing == .decimal(Decimal(string: "1.25") ?? 0))
      person["thing"] = AnyValue(rex)
      #expect(person.thing == AnyValue(rex))
    }
    let url = try #require(URL(string: "https://example.org"))
    for (name, value) in [("name", url), ("thing", url), ("age", UInt64.max)] as [(String, Any)] {
      #expect(throws: StoreError.self) {
        try store.write { try person.setValue(value, forKey: name) }
      }
    }
    let scalars = Scalars()
    #expect(throws: StoreError.self) { try scalars.setValue(1e300, forKey: "float") }
  }

  // MARK: Spellings

  @Test func keysInSnakeCaseAreUnderstood() throws {
    let scalars = try Scalars(
      value: ["int_or_none": 7, "string_or_none": "x", "int8": 3, "object_id_or_none": nil]
        as [String: Any?],
      reading: ValueReading(keys: .snakeCase))
    #expect(scalars.intOrNone == 7 && scalars.stringOrNone == "x" && scalars.int8 == 3)

    #expect(try Scalars(value: ["int_or_none": 7]).intOrNone == nil)
  }

  @Test func unknownKeysAreNamed() throws {
    let reading = ValueReading(unknownKeys: .refuse)
    let value: [String: Any] = [
      "id": 1, "name": "Ada", "nick": "x", "full_name": "y", "dogs": [["name": "Rex"]],
    ]

    #expect(throws: StoreError.unknownProperty(model: "Person", property: "full_name, nick")) {
      try store.write { try store.create(Person.self, value: value, reading: reading) }
    }
    #expect(throws: StoreError.unknownProperty(model: "Dog", property: "nam")) {
      try store.write {
        try store.create(
          Person.self, json: #"{"id": 1, "dogs": [{"nam": "Rex"}]}"#, reading: reading)
      }
    }
    #expect(store.objects(Person.self).isEmpty)
    try store.write { try store.create(Person.self, value: value) }
  }

  @Test(arguments: [
    ("1970-01-02", 86_400), ("1970-01-01T00:00:01Z", 1), ("1970-01-01T00:00:01.5Z", 1.5),
    ("1970-01-01T02:00:00+02:00", 0), ("1970-01-01T02:00:00+0200", 0),
    ("1970-01-01T00:00:00-02", 7200), ("1970-01-01 00:00:01Z", 1),
  ])
  func datesAreTextsOfEachForm(text: String, seconds: Double) throws {
    let person = try Person(value: ["id": 1, "born": text])

    #expect(person.born == Date(timeIntervalSince1970: seconds))
  }

  @Test func datesMayBeNumbers() throws {
    func born(_ number: Any, _ dates: ValueReading.Dates) throws -> Date? {
      try Person(value: ["id": 1, "born": number], reading: ValueReading(dates: dates)).born
    }
    #expect(try born(90, .secondsSince1970) == Date(timeIntervalSince1970: 90))
    #expect(try born(1500, .millisecondsSince1970) == Date(timeIntervalSince1970: 1.5))
    #expect(
      try born("1970-01-02", .secondsSince1970) == Date(timeIntervalSince1970: 86_400))
    #expect(throws: StoreError.self) { try born(90, .asWritten) }
    let person = try store.write {
      try store.create(
        Person.self, json: #"{"id": 1, "name": "Ada", "born": 90.5}"#,
        reading: ValueReading(dates: .secondsSince1970))
    }
    #expect(person.born == Date(timeIntervalSince1970: 90.5))
  }

  @Test func aTextOfJSONMakesAnObject() throws {
    let json = """
      {"id": 1, "name": "Ada", "born": "1815-12-10T00:00:00Z", "score": 1.5,
       "dogs": [{"name": "Rex"}], "email": null, "scores": {"go": 2}}
      """
    let person = try store.write { try store.create(Person.self, json: json) }

    #expect(person.born == ISO8601DateFormatter().date(from: "1815-12-10T00:00:00Z"))
    #expect(person.score == 1.5)
    #expect(person.dogs.first?.name == "Rex")
    #expect(person.scores["go"] == 2)
    let error = #expect(throws: StoreError.self) {
      try store.write { try store.create(Person.self, json: "{") }
    }
    #expect(error?.code == "STR5024")
  }

  @Test func whatADecoderGivesIsTaken() throws {
    let json = """
      {"id": 1, "name": "Ada", "age": 36, "score": 2, "email": null, "notes": [null, "b"]}
      """
    let decoded = try JSONSerialization.jsonObject(with: Data(json.utf8))
    let person = try store.write { try store.create(Person.self, value: decoded) }

    #expect(person.age == 36)
    #expect(person.score == 2)
    #expect(person.email == nil)
    #expect(Array(person.notes) == [nil, "b"])
  }

  @Test func aStandaloneObjectIsMadeInTheSameWay() throws {
    let person = try Person(value: ["id": 1, "name": "Ada", "dogs": [["name": "Rex"]]])

    #expect(person.store == nil)
    #expect(person.dogs.first?.name == "Rex")
    #expect(person.mood == .calm)
    #expect(throws: StoreError.self) { try Person(value: ["id": "one"]) }
  }

  /// Swift gives literals types of their own, which all mean the same.
  @Test func collectionsOfEveryTypeAreTaken() throws {
    let dogs: [Any] = [
      [["name": "Rex"]] as [[String: String]], [["name": "Rex"]] as [[String: Any]],
      [["name": "Rex"]] as [[String: Any?]], [["name": "Rex"]] as [[String: String?]],
      [["name": "Rex"] as [String: String]] as [Any], [["name": "Rex"]][...],
    ]
    for dogs in dogs {
      let person = try Person(value: ["id": 1, "name": "Ada", "dogs": dogs])
      #expect(person.dogs.map(\.name) == ["Rex"], "\(type(of: dogs))")
    }
    let notes: [Any] = [
      ["a", "b"] as [String], ["a", "b"] as [String?], ["a", "b"] as [Any], ["a", "b"] as [Any?],
      ["a", "b"][...],
    ]
    for notes in notes {
      let person = try Person(value: ["id": 1, "name": "Ada", "notes": notes])
      #expect(Array(person.notes) == ["a", "b"], "\(type(of: notes))")
    }
    let homes: [Any] = [
      ["street": "Rue"] as [String: String], ["street": "Rue"] as [String: Any],
      ["street": "Rue", "country": nil] as [String: Any?], ["street": "Rue"] as [String: String?],
    ]
    for home in homes {
      let person = try Person(value: ["id": 1, "name": "Ada", "home": home])
      #expect(person.home?.street == "Rue", "\(type(of: home))")
      #expect(person.home?.city == "Paris", "\(type(of: home))")
    }
    let scores: [Any] = [
      ["a": 1.0] as [String: Double], ["a": 1] as [String: Int], ["a": 1.0] as [String: Any],
      ["a": 1] as [String: Int?],
    ]
    for scores in scores {
      let person = try Person(value: ["id": 1, "name": "Ada", "scores": scores])
      #expect(person.scores["a"] == 1, "\(type(of: scores))")
    }
  }

  @Test(
    arguments: [
      (["name": "Rex"] as [String: String], "dogs"), (["Rex"] as [String], "dogs"),
      (["Rue"] as [String], "home"), ([["street": "Rue"]] as [[String: String]], "home"),
      (["1"] as [String], "scores"), (["a": "one"] as [String: String], "scores"),
      (["a"] as [String], "email"), ([["a": "b"]] as [[String: String]], "notes"),
    ] as [(any Sendable, String)])
  func aCollectionOfAnotherKindIsRefused(value: any Sendable, property: String) throws {
    let error = #expect(throws: StoreError.self) {
      try Person(value: ["id": 1, "name": "Ada", property: value])
    }

    guard case .wrongType = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  // MARK: Updating

  @Test(arguments: [UpdatePolicy.all, .modified])
  func aMissingKeyLeavesAndNilClears(policy: UpdatePolicy) throws {
    let ada = Person(
      id: 1, name: "Ada", age: 36, email: "a@b.c", boss: Person(id: 2, name: "Grace"),
      dogs: [Dog(name: "Rex")], tags: ["t"])
    try store.write { try store.add(ada) }
    let same = try store.write {
      try store.create(
        Person.self,
        value: [
          "id": 1, "email": NSNull(), "boss": ["id": 2, "age": 85], "dogs": nil, "tags": ["u"],
        ] as [String: Any?], update: policy)
    }

    #expect(same.isSameObject(as: ada))
    #expect(ada.name == "Ada")
    #expect(ada.age == 36)
    #expect(ada.email == nil)
    #expect(ada.boss?.name == "Grace")
    #expect(ada.boss?.age == 85)
    #expect(ada.dogs.isEmpty)
    #expect(Array(ada.tags) == ["u"])
    #expect(store.objects(Person.self).count == 2)
  }

  @Test func modifiedWritesOnlyWhatIsDifferent() throws {
    try store.write {
      try store.add(Person(id: 1, name: "Ada", age: 36, notes: ["a"], tags: ["t"]))
    }
    try store.write {
      try store.create(
        Person.self, value: ["id": 1, "name": "Ada", "age": 37, "tags": ["t"], "notes": ["a"]],
        update: .modified)
    }

    #expect(try test.logged(transaction: 2) == ["Person update age"])
  }

  @Test func aKeyThatIsThereIsAnErrorByDefault() throws {
    try store.write { try store.add(Person(id: 1, name: "Ada")) }

    #expect(throws: StoreError.duplicatePrimaryKey(model: "Person", key: "1")) {
      try store.write { try store.create(Person.self, value: ["id": 1, "name": "Other"]) }
    }
    #expect(store.objects(Person.self).map(\.name) == ["Ada"])
  }

  @Test func nothingIsChangedByAValueThatIsWrongInside() throws {
    let ada = Person(id: 1, name: "Ada", age: 36)
    try store.write { try store.add(ada) }
    try store.write {
      #expect(throws: StoreError.self) {
        try store.create(
          Person.self, value: ["id": 1, "age": 99, "dogs": [["name": "Rex"], ["name": 7]]],
          update: .all)
      }
    }

    #expect(ada.age == 36)
    #expect(store.objects(Dog.self).isEmpty)
  }

  // MARK: Mistakes

  @Test(
    arguments: [
      (["id": "x"], "id"), (["id": 1, "name": 7], "name"),
      (["id": 1, "name": "a", "age": 1.5], "age"),
      (["id": 1, "name": "a", "mood": "elated"], "mood"),
      (["id": 1, "name": "a", "dogs": 7], "dogs"), (["id": 1, "name": "a", "boss": "x"], "boss"),
      (["id": 1, "name": "a", "born": "yesterday"], "born"),
    ] as [([String: any Sendable], String)])
  func aWrongTypeIsNamed(value: [String: any Sendable], property: String) throws {
    let error = #expect(throws: StoreError.self) {
      try store.write { try store.create(Person.self, value: value) }
    }

    guard case .wrongType(model: "Person", property: property, _, _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(store.objects(Person.self).isEmpty)
  }

  @Test func creatingNeedsATransactionAndAnOwner() throws {
    #expect(throws: StoreError.notInWriteTransaction) { try store.create(Dog.self) }
    #expect(throws: StoreError.embeddedWithoutOwner(model: "Address")) {
      try store.write { try store.create(Address.self, value: ["street": "Rue"]) }
    }
  }
}
