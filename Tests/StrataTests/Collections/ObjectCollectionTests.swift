import Foundation
import Strata
import StrataTestModels
import Testing

/// Collections are asked as results are.
@Suite struct ObjectCollectionTests {
  let test: TestStore
  let store: Store
  let ada: Person
  let log = ChangeLogbook()

  init() throws {
    test = try TestStore()
    store = test.store
    ada = Person(id: 0, name: "Ada")
    let bob = Person(id: 1, name: "Bob")
    let ada = ada
    try store.write {
      try store.add([ada, bob])
      for (name, color, age) in [("Rex", "tan", 5), ("Mo", "red", 2), ("Ida", "tan", 9)] {
        ada.dogs.append(Dog(name: name, color: color, age: age))
      }
      bob.dogs.append(Dog(name: "Zoe", color: "tan", age: 1))
      ada.dogs.move(from: 2, to: 0)
      ada.pets["a"] = ada.dogs[1]
      ada.pets["b"] = bob.dogs[0]
      ada.friends.insert(bob)
      bob.boss = ada
      ada.notes.append(contentsOf: ["b", nil, "a"])
      ada.scores["chess"] = 1.5
      ada.scores["go"] = 2
      ada.tags.insert(contentsOf: ["x", "y"])
    }
  }

  @Test func listsAreFilteredInTheirOrder() throws {
    #expect(ada.dogs.map(\.name) == ["Ida", "Rex", "Mo"])
    #expect(try ada.dogs.filter("color = %@", "tan").map(\.name) == ["Ida", "Rex"])
    #expect(ada.dogs.where { $0.age < 6 }.map(\.name) == ["Rex", "Mo"])
    #expect(ada.dogs.sorted(by: \.age).map(\.name) == ["Mo", "Rex", "Ida"])
    #expect(try ada.dogs.sorted(by: "name", ascending: false).map(\.name) == ["Rex", "Mo", "Ida"])
    #expect(ada.dogs.distinct(by: \.color).map(\.name) == ["Ida", "Mo"])
    #expect(try ada.dogs.index(matching: "name = 'Mo'") == 2)
    #expect(ada.dogs.objects(at: [2, 0]).map(\.name) == ["Mo", "Ida"])
  }

  @Test func setsMapsAndInversesAreAskedToo() throws {
    #expect(ada.friends.where { $0.name == "Bob" }.count == 1)
    #expect(try ada.pets.filter("age > 1").map(\.name) == ["Rex"])
    #expect(ada.pets.sorted(by: \.name).map(\.name) == ["Rex", "Zoe"])
    #expect(ada.reports.where { $0.name == "Bob" }.count == 1)
    #expect(try ada.reports.sorted(by: "name").first?.id == 1)
  }

  @Test func aggregatesAreThoseOfTheCollection() throws {
    #expect(ada.dogs.min(of: \.age) == 2 && ada.dogs.max(of: \.age) == 9)
    #expect(try ada.dogs.sum(of: \.age) == 16)
    #expect(ada.dogs.average(of: \.age) == 16.0 / 3)
    #expect(try ada.dogs.sum(ofProperty: "age") == 16)
    #expect(ada.notes.min() == "a" && ada.notes.max() == "b")
    #expect(ada.scores.max() == 2 && ada.scores.average() == 1.75)
    #expect(try ada.scores.sum() == 3.5)
    #expect(ada.tags.max() == "y")
    #expect(List([3, 1, 2]).min() == 1 && List<Int>().average() == nil)
  }

  /// What a view shows of a stored object it shows of a draft, too.
  @Test func aggregatesOfADraftAreThoseOfTheObject() throws {
    for ada in [ada, ada.detached(), ada.detached(depth: 0)] {
      #expect(ada.dogs.min(of: \.age) == 2 && ada.dogs.max(of: \.age) == 9)
      #expect(ada.dogs.max(of: \.color) == "tan")
      #expect(try ada.dogs.sum(of: \.age) == 16)
      #expect(ada.dogs.average(of: \.age) == 16.0 / 3)
      #expect(ada.friends.min(of: \.name) == "Bob")
      #expect(ada.pets.max(of: \.name) == "Zoe")
    }
  }

  @Test func aggregatesWithoutAStoreCountEachObjectOnce() throws {
    let rex = Dog(name: "Rex", age: 3)
    let person = Person(id: 9, name: "New", dogs: [rex, rex, Dog(name: "Max", age: 5)])

    #expect(person.dogs.average(of: \.age) == 4)
    #expect(try person.dogs.sum(of: \.age) == 8)
  }

  @Test func aggregatesOfNothingWithoutAStore() throws {
    let person = Person(id: 9, name: "New")

    #expect(person.dogs.min(of: \.age) == nil && person.dogs.average(of: \.age) == nil)
    #expect(try person.dogs.sum(of: \.age) == 0)
    #expect(person.reports.max(of: \.name) == nil && person.reports.average(of: \.age) == nil)
    #expect(try person.reports.sum(of: \.age) == 0)
  }

  @Test func aSumThatDoesNotFitIsRefusedWithoutAStore() throws {
    let dogs = List([Dog(name: "a", age: .max), Dog(name: "b", age: 1)])

    #expect(throws: StoreError.self) { try dogs.sum(of: \.age) }
    #expect(dogs.average(of: \.age) == 4_611_686_018_427_387_904)
  }

  @Test func whatIsAskedIsLiveAndObserved() throws {
    let tan = ada.dogs.where { $0.color == "tan" }
    let token = try tan.observe(log.note)
    try store.write { ada.dogs[2].color = "tan" }
    try store.write { ada.dogs.move(from: 2, to: 0) }
    try store.write { ada.dogs.remove(at: 1) }
    try store.write { store.objects(Person.self)[1].dogs[0].age = 7 }
    try store.write { ada.dogs.append(Dog(name: "New", color: "tan")) }
    try store.write { ada.dogs[0].age = 3 }

    #expect(
      log.take() == ["initial 2", "+2", ">2→0", "-1", "+2", "*0"])
    #expect(tan.map(\.name) == ["Mo", "Rex", "New"])
    token.invalidate()
  }

  @Test func propertiesAreSetOfAll() throws {
    try store.write { try ada.dogs.setValue("blue", forKey: "color") }
    #expect(store.objects(Dog.self).map(\.color) == ["blue", "blue", "blue", "tan"])
    try store.write {
      try store.objects(Person.self).setValue(30, forKey: "age")
      try store.objects(Person.self).setValue(["n"], forKey: "notes")
    }
    #expect(store.objects(Person.self).map(\.age) == [30, 30])
    #expect(store.objects(Person.self).map { Array($0.notes) } == [["n"], ["n"]])

    #expect(throws: StoreError.notInWriteTransaction) { try ada.dogs.setValue(1, forKey: "age") }
    #expect(throws: StoreError.unknownProperty(model: "Dog", property: "nick")) {
      try store.write { try ada.dogs.setValue(1, forKey: "nick") }
    }
  }

  /// What is equal in conditions, as numbers of different types and NaNs of different bits, stands in one section.
  @Test func equalValuesStandInOneSection() throws {
    let ten = Decimal(10)
    let values: [AnyValue] = [
      .decimal(ten), .int(10), .decimal(ten), .decimal(ten), .int(10), .string("x"),
      .double(.nan), .double(Double(bitPattern: 0xFFF8_0000_0000_0001)), .float(0), .float(-0.0),
    ]
    try store.write {
      for (index, value) in values.enumerated() {
        try store.add(Bag(name: "\(index)", one: value))
      }
    }
    let bags = store.objects(Bag.self)
    #expect(
      bags.sectioned(by: \.one).map { $0.map(\.name) } == [
        ["6", "7"], ["8", "9"], ["0", "1", "2", "3", "4"], ["5"],
      ])
    #expect(
      bags.sectioned(by: \.one, ascending: false).map { $0.map(\.name) } == [
        ["5"], ["0", "1", "2", "3", "4"], ["8", "9"], ["6", "7"],
      ])
    #expect(bags.distinct(by: \.one).map(\.name) == ["0", "5", "6", "8"])
  }

  @Test func resultsStandInSections() throws {
    let dogs = store.objects(Dog.self).sorted(by: \.name).sectioned(by: \.color)
    #expect(dogs.allKeys == ["red", "tan"])
    #expect(dogs.map { $0.map(\.name) } == [["Mo"], ["Ida", "Rex", "Zoe"]])
    #expect(dogs[SectionPlace(section: 1, item: 2)].name == "Zoe")

    var told: [String] = []
    let token = try dogs.observe { change in
      switch change {
      case .initial(let sections): told.append("initial \(sections.count)")
      case .update(_, let deletions, let insertions, let modifications, let come, let gone):
        func text(_ places: [SectionPlace]) -> String {
          places.map { "\($0.section).\($0.item)" }.joined(separator: ",")
        }
        told.append(
          "-\(text(deletions)) +\(text(insertions)) *\(text(modifications)) \(come) \(gone)")
      case .error(let error): told.append(error.code)
      }
    }
    try store.write { try store.add(Dog(name: "Bo", color: "tan")) }
    try store.write { dogs[0][0].color = "black" }
    try store.write { dogs[1][0].age = 50 }
    try store.write { try store.delete(dogs[1][3]) }

    #expect(
      told == [
        "initial 2", "- +1.0 * [] []", "- + * [0] [0]", "- + *1.0 [] []", "-1.3 + * [] []",
      ])
    #expect(try ada.dogs.sectioned(by: \.color, ascending: false).allKeys == ["tan", "black"])
    token.invalidate()
  }

  /// An accent as one character and as two: Swift takes the texts for equal, and queries do not.
  @Test func textsWithOtherBytesAreOtherSections() throws {
    let (one, two) = ("\u{e9}", "e\u{301}")
    try store.write { for color in [one, two] { try store.add(Dog(name: "Bo", color: color)) } }
    let dogs = store.objects(Dog.self).where { $0.name == "Bo" }.sectioned(by: \.color)
    #expect(dogs.map(\.count) == [1, 1])

    var told: [[Int]] = []
    let token = try dogs.observe { change in
      guard case .update(_, let deletions, let insertions, _, let come, let gone) = change else {
        return
      }
      told.append([deletions.count, insertions.count] + come + gone)
    }
    try store.write { try store.delete(dogs[1][0]) }
    try store.write { try store.add(Dog(name: "Bo", color: one)) }
    // Of the object's section nothing else is told than that it goes and comes.
    #expect(told == [[0, 0, 1], [0, 0, 1]])
    token.invalidate()
  }

  @Test func whatBelongsToNoStoreSaysSo() throws {
    let standalone = Person(id: 7, name: "")
    let error = #expect(throws: StoreError.self) { try standalone.dogs.filter("age > 1") }
    #expect(error?.code == "STR5049")
  }

  @Test func bulkUpdatesTakeKeyPaths() throws {
    let old = try store.write {
      try store.update(Dog.self, set: [\.color: "grey", \.age: 10], returning: .count) {
        $0.age > 4
      }
    }
    #expect(old == 2)
    #expect(store.objects(Dog.self).map(\.color) == ["grey", "red", "grey", "tan"])
    try store.write { _ = try store.update(Dog.self, set: [\.age: UpdateExpression("age + 1")]) }
    #expect(store.objects(Dog.self).map(\.age) == [11, 3, 11, 2])
  }

  @Test func mirrorsShowPropertiesByName() throws {
    let children = Mirror(reflecting: ada).children
    #expect(children.first { $0.label == "name" }?.value as? String == "Ada")
    #expect(children.first { $0.label == "tags" }?.value as? [String] == ["x", "y"])
    #expect(Mirror(reflecting: ada.dogs.where { $0.age > 3 }).children.count == 2)
  }
}
