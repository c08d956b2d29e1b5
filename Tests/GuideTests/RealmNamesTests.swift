import Foundation
import GuideModels
import Strata
import Testing

/// What docs/from-realm.md names, each once and used: a name that is gone does not compile.
@Suite struct RealmNamesTests {
  @Test func ofAStore() throws {
    var configuration = Store.Configuration(schema: GuideSchema.self)
    configuration.inMemoryIdentifier = UUID().uuidString
    configuration.fileURL = nil
    configuration.readOnly = false
    configuration.migrations = nil
    configuration.deleteIfMigrationNeeded = false
    configuration.shouldCompactOnLaunch = nil
    configuration.seedFileURL = nil
    let store = try Store(configuration: configuration)

    try store.beginWrite()
    #expect(store.isInWriteTransaction)
    try store.add([Dog(name: "Rex"), Dog(name: "Bella")])
    try store.commitWrite()
    try store.beginWrite()
    try store.delete(store.objects(Dog.self))
    store.cancelWrite()
    try store.refresh()
    #expect(store.objects(Dog.self).count == 2)
    try store.write { try store.deleteAll() }
    try store.invalidate()
    store.close()
  }

  @Test func ofAClass() throws {
    #expect(Venue.className() == "Venue" && Venue.primaryKey() == "id")
    #expect(Venue.primaryKeys() == ["id"] && Venue.indexedProperties().isEmpty)
    #expect(Venue.ignoredProperties().isEmpty)
    #expect(Venue.requiredProperties() == ["id", "name"])
    #expect(Appearance.defaultPropertyValues()["theme"] as? String == "light")
    #expect(Dog.linkingObjectsProperties()["homes"]?.property == "dogs")
    #expect(Dog.sharedSchema()["age"]?.type == "int")
  }

  @Test func ofAnObject() throws {
    let rex = try Dog(value: ["name": "Rex", "age": 3])

    #expect(rex["name"] as? String == "Rex" && rex.store == nil && !rex.isInvalidated)
    try rex.setValue(4, forKey: "age")
    #expect(try rex.value(forKey: "age") as? Int == 4 && rex.objectSchema.className == "Dog")
    #expect(rex.isSameObject(as: rex) && rex.detached(depth: 1).name == "Rex")
    #expect(rex.description.contains("Rex"))
  }

  @Test func ofCollections() throws {
    let people = Person(name: "Jane", dogs: [Dog(name: "a"), Dog(name: "b")])
    let dogs = people.dogs
    dogs.append(Dog(name: "c"))
    dogs.append(contentsOf: [Dog(name: "d")])
    dogs.insert(Dog(name: "e"), at: 0)
    dogs.move(from: 0, to: 1)
    dogs.swapAt(0, 1)
    dogs.replace(at: 0, with: Dog(name: "f"))
    #expect(dogs.map(\.name) == ["f", "a", "b", "c", "d"] && dogs.index(of: dogs[1]) == 1)
    dogs.remove(at: 0)
    dogs.removeLast(1)
    #expect(dogs.map(\.name) == ["a", "b", "c"])
    dogs.removeAll()
  }

  @Test func ofNotificationsAndSnapshots() async throws {
    var configuration = Store.Configuration(schema: GuideSchema.self)
    configuration.inMemoryIdentifier = UUID().uuidString
    configuration.maximumActiveVersions = 5
    let store = try Store(configuration: configuration)
    let jane = Person(name: "Jane", dogs: [Dog(name: "Rex")])
    try store.write { try store.add(jane) }

    var calls = 0
    let tokens: [NotificationToken] = [
      try store.observe { _, _ in calls += 1 },
      try store.objects(Dog.self).observe(keyPaths: ["name"]) { _ in calls += 1 },
      try jane.dogs.observe(keyPaths: [\Dog.name]) { _ in calls += 1 },
      try jane.observe { _ in calls += 1 },
      try jane.dogs[0].homes.observe { _ in calls += 1 },
      try jane.dogs.observe(on: .global()) { _ in },
    ]
    try store.write(withoutNotifying: tokens) { jane.dogs[0].age = 2 }
    try await store.writeAsync { try store.update(Dog.self, set: ["age": 3], where: "age = 2") }
    for token in tokens { token.invalidate() }
    // The first calls of three collections, and what the list and its owners show of the second write.
    #expect(calls > 3 && jane.dogs[0].age == 3)

    let frozen = jane.freeze()
    #expect(frozen.isFrozen && frozen.thaw()?.name == "Jane" && frozen.thaw(in: store) != nil)
    #expect(store.resolve(try ObjectReference(to: jane))?.name == "Jane")
    let gone = try store.write { try store.delete(Dog.self, where: "age = 3") }
    #expect(gone == 1)
  }

  @Test func ofWhatIsAsked() throws {
    var configuration = Store.Configuration(schema: GuideSchema.self)
    configuration.inMemoryIdentifier = UUID().uuidString
    let store = try Store(configuration: configuration)
    let jane = Person(name: "Jane")
    for (name, age) in [("a", 1), ("b", 2), ("c", 2)] {
      jane.dogs.append(Dog(name: name, color: "tan", age: age))
    }
    try store.write { try store.add(jane) }

    #expect(try jane.dogs.filter("age > %@", 1).count == 2)
    #expect(jane.dogs.where { $0.name == "a" }.first?.age == 1)
    #expect(jane.dogs.sorted(by: \.name, ascending: false).map(\.name) == ["c", "b", "a"])
    #expect(try jane.dogs.sorted(by: [SortKey("age"), SortKey("name")]).last?.name == "c")
    #expect(jane.dogs.distinct(by: \.age).count == 2)
    #expect(jane.dogs.min(of: \.age) == 1 && jane.dogs.max(of: \.age) == 2)
    #expect(try jane.dogs.sum(of: \.age) == 5)
    #expect(try jane.dogs.average(ofProperty: "age") != nil)
    #expect(try jane.dogs.index(matching: "name = 'b'") == 1)
    #expect(jane.dogs.objects(at: [0, 2]).map(\.name) == ["a", "c"])
    let sections = store.objects(Dog.self).sectioned(by: \.age)
    #expect(sections.allKeys == [1, 2] && sections[1].count == 2)
    try store.write { try jane.dogs.setValue("red", forKey: "color") }
    #expect(store.objects(Dog.self).where { $0.color == "red" }.count == 3)
    let reference = CollectionReference(jane.dogs.where { $0.age == 2 })
    #expect(store.resolve(reference)?.count == 2)
    func identity<Known: Identifiable>(_ known: Known) -> Known.ID { known.id }
    #expect(identity(jane) == identity(store.objects(Person.self)[0]))
    #expect(Mirror(reflecting: jane).children.contains { $0.label == "dogs" })
  }

  @Test func ofListsSetsAndMaps() throws {
    let list = List(["a", "b", "c", "d"])
    list.insert(contentsOf: ["e"], at: 4)
    list.removeSubrange(0..<1)
    list.replaceSubrange(0..<1, with: ["x", "y"])
    list.remove(atOffsets: [0])
    list.removeFirst()
    list.removeAll { $0 == "e" }
    #expect(Array(list) == ["c", "d"] && list.contains("c") && list.firstIndex(of: "d") == 1)

    let (set, other) = (MutableSet([1, 2, 3]), MutableSet([3, 4]))
    set.insert(contentsOf: [5])
    #expect(set.insert(6) && set.remove(6) && set.contains(5) && set.intersects(other))
    set.formUnion(other)
    set.subtract([1])
    set.formIntersection([2, 3, 4])
    #expect(
      try Set(set) == [2, 3, 4] && other.isSubset(of: set) && set.max() == 4 && set.sum() == 9)
    set.removeAll()

    let map = Map(["a": 1, "b": 2])
    map["c"] = 3
    map.updateValue(4, forKey: "a")
    #expect(map.removeValue(forKey: "b") && map.keys == ["a", "c"] && map.values == [4, 3])
    #expect(map["a", default: 0] == 4 && map.map(\.key) == ["a", "c"] && map.min() == 3)
    map.removeAll()
  }

  @Test func ofValues() throws {
    let values: [AnyValue] = [
      .null, .bool(true), .int(1), .float(1), .double(1), .string("a"), .data(Data()), .date(.now),
      .uuid(UUID()), .decimal(1), .objectID(ObjectID()), .object(Dog(name: "Rex")),
    ]
    #expect(values[2].value(as: Int.self) == 1 && values[0].isNull)
    #expect(values[11].object(as: Dog.self)?.name == "Rex")
    let id = try #require(ObjectID("507f1f77bcf86cd799439011"))
    #expect(id < ObjectID() && id.description.count == 24 && id.timestamp < .now)
    let key = SortKey("name", ascending: false)
    #expect(key.keyPath == "name" && !key.isAscending && SortKey.rank.isAscending)
    let age = try #require(Dog.sharedSchema()["age"])
    #expect(age.name == "age" && !age.isOptional && !age.isIndexed && age.linkedModel == nil)
    #expect(Dog.sharedSchema().className == "Dog" && Venue.sharedSchema().primaryKey == ["id"])
    #expect(
      Person.sharedSchema().properties.contains { $0.type == "[Dog]" && $0.linkedModel == "Dog" })
  }

  @Test func ofConditions() throws {
    var configuration = Store.Configuration(schema: GuideSchema.self)
    configuration.inMemoryIdentifier = UUID().uuidString
    let store = try Store(configuration: configuration)
    let jane = Person(name: "Jane", dogs: [Dog(name: "Rex", age: 3), Dog(name: "Émile", age: 5)])
    try store.write { try store.add(jane) }
    let (dogs, people) = (store.objects(Dog.self), store.objects(Person.self))

    #expect(dogs.where { $0.name.contains("e") && !$0.name.like("R?y") }.count == 2)
    #expect(
      dogs.where { $0.name.starts(with: "emi", [.caseInsensitive, .diacriticInsensitive]) }.count
        == 1)
    #expect(
      dogs.where { $0.name.ends(with: "x") || $0.name.equals("REX", .caseInsensitive) }.count == 1)
    #expect(dogs.where { $0.age.in([3, 4]) && $0.age.between(1, 3) && $0.name != "x" }.count == 1)
    #expect(
      people.where { $0.dogs.count == 2 && $0.dogs.age.max == 5 && $0.dogs.age.min == 3 }.count == 1
    )
    #expect(people.where { $0.dogs.age.sum == 8 && $0.dogs.age.average == 4 }.count == 1)
    #expect(people.where { $0.dogs.contains { $0.age > 4 } && !$0.dogs.isEmpty }.count == 1)
    #expect(
      people.where { $0.dogs.allSatisfy { $0.age > 2 } && $0.dogs.count { $0.age > 4 } == 1 }.count
        == 1)

    var changes = 0
    let token = try dogs.sectioned(by: \.age).observe { (_: SectionedChange<Int, Dog>) in
      changes += 1
    }
    try store.write { try store.delete(dogs) }
    #expect(changes == 2)
    token.invalidate()
    let error = #expect(throws: StoreError.self) { try dogs.filter("nothing == 1") }
    #expect(error?.code == "STR5023")
  }
}
