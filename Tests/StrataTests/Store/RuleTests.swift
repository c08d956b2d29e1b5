import StrataExpression
import StrataSQLite
import StrataSchema
import StrataTestModels
import Testing

@testable import Strata

/// Transactions and the rules that data keeps.
@Suite struct RuleTests {
  let test: TestStore
  let store: Store

  init() throws {
    test = try TestStore()
    store = test.store
    try store.write {
      for (index, name) in ["Ada", "Bob", "Cyd"].enumerated() {
        try store.add(Person(id: index, name: name, age: 20 + index))
      }
    }
  }

  /// The rule that a transaction breaks, with its object.
  private func broken(_ body: () throws -> Void) -> BrokenRule? {
    do {
      try store.write(body)
      return nil
    } catch StoreError.ruleBroken(let rule) {
      return rule
    } catch {
      Issue.record(error)
      return nil
    }
  }

  private func person(_ id: Int) throws -> Person {
    try #require(try store.object(ofType: Person.self, forPrimaryKey: id))
  }

  @Test func aCommitNamesRuleSentenceAndObject() throws {
    try store.keepRules([
      "Person": ["adult": ("age >= 18", "A member is at least 18.")]
    ])
    let bob = try person(1)

    let rule = try #require(broken { bob.age = 7 })

    #expect(rule.model == "Person")
    #expect(rule.rule == "adult")
    #expect(rule.sentence == "A member is at least 18.")
    #expect(rule.condition == "age >= 18")
    #expect(rule.identity == bob.identityForTests)
    #expect(rule.primaryKey == "id 1")
    #expect(rule.problem == nil)
    #expect(
      StoreError.ruleBroken(rule).description
        == "Person \(rule.identity) (id 1) breaks the rule Person.adult: A member is at least 18. "
        + "(age >= 18). Nothing of the transaction was stored.")
    #expect(StoreError.ruleBroken(rule).code == "STR5050")
  }

  /// What was changed has its old value again, what was added is invalid, and the store goes on.
  @Test func nothingOfTheTransactionStays() throws {
    try store.keepRules(["Person": ["adult": ("age >= 18", nil)]])
    let (ada, bob) = (try person(0), try person(1))
    let added = Person(id: 9, name: "Eve", age: 30)
    #expect(
      broken {
        ada.name = "Grace"
        try store.add(added)
        bob.age = 7
      } != nil)

    #expect(ada.name == "Ada")
    #expect(bob.age == 21)
    #expect(added.isInvalidated)
    #expect(!store.isInWriteTransaction)
    #expect(broken { bob.age = 50 } == nil)
    #expect(try test.open().objects(Person.self).map(\.age) == [20, 50, 22])
  }

  @Test func everythingThatWritesIsHeldAgainstThem() throws {
    try store.keepRules(["Person": ["adult": ("age >= 18", nil)]])
    let ada = try person(0)
    #expect(broken { ada.age = 17 } != nil)
    #expect(broken { try store.add(Person(id: 9, name: "Eve", age: 1)) } != nil)
    #expect(
      broken { try store.create(Person.self, value: ["id": 9, "name": "Eve", "age": 1]) } != nil)
    #expect(broken { try store.update(Person.self, set: ["age": 3], where: "id = 2") } != nil)
    #expect(broken { try store.objects(Person.self).setValue(4, forKey: "age") } != nil)
    // A default is a value like others: a new person is 0.
    #expect(broken { try store.add(Person(id: 9, name: "Eve")) } != nil)
    try store.beginWrite()
    ada.age = 2
    #expect(throws: StoreError.self) { try store.commitWrite() }
    #expect(!store.isInWriteTransaction)
    #expect(store.objects(Person.self).map(\.age) == [20, 21, 22])
  }

  /// A transaction that breaks a rule and mends it again commits.
  @Test func onlyTheEndOfATransactionCounts() throws {
    try store.keepRules(["Person": ["adult": ("age >= 18", nil)]])
    let ada = try person(0)
    #expect(
      broken {
        ada.age = 1
        ada.age = 40
      } == nil)
    #expect(
      broken {
        let child = Person(id: 9, name: "Eve", age: 1)
        try store.add(child)
        try store.delete(child)
      } == nil)
  }

  // MARK: Links and collections

  @Test func aChangeBehindALinkCounts() throws {
    let (ada, bob, cyd) = (try person(0), try person(1), try person(2))
    try store.write {
      bob.boss = ada
      cyd.boss = bob
    }
    try store.keepRules([
      "Person": ["older": ("boss == nil OR boss.boss == nil OR boss.boss.age <= age", nil)]
    ])
    #expect(broken { bob.age = 100 } == nil)
    #expect(broken { ada.age = 99 }?.identity == cyd.identityForTests)
    #expect(broken { bob.boss = nil } == nil)
    #expect(broken { ada.age = 99 } == nil)
    #expect(broken { bob.boss = ada }?.identity == cyd.identityForTests)
  }

  @Test func aDeletionElsewhereCounts() throws {
    let (ada, bob) = (try person(0), try person(1))
    let rex = Dog(name: "Rex", age: 3)
    try store.write {
      bob.boss = ada
      ada.dogs.append(rex)
    }
    try store.keepRules([
      "Person": [
        "led": ("id == 0 OR id == 2 OR boss != nil", "Bob is led."),
        "dogged": ("id != 0 OR dogs.@count > 0", nil),
      ]
    ])
    #expect(broken { try store.delete(ada) }?.sentence == "Bob is led.")
    #expect(broken { try store.delete(rex) }?.rule == "dogged")
    #expect(broken { ada.dogs.removeAll() }?.rule == "dogged")
    #expect(broken { try store.deleteAll(Dog.self) }?.rule == "dogged")
    #expect(
      broken { try store.delete(store.objects(Dog.self).filter("age = 3")) }?.rule == "dogged")
    #expect(!rex.isInvalidated)
    #expect(ada.dogs.count == 1)
  }

  @Test func elementsAndWhatTheyHoldCount() throws {
    let ada = try person(0)
    let rex = Dog(name: "Rex", age: 3)
    try store.keepRules([
      "Person": [
        "young": ("ALL dogs.age < 10", nil), "few": ("tags.@count <= 1", nil),
        "scored": ("scores['a'] == nil OR scores['a'] > 0", nil),
        "homed": ("home == nil OR home.city != ''", nil),
      ]
    ])
    #expect(broken { ada.dogs.append(rex) } == nil)
    #expect(broken { rex.age = 11 }?.rule == "young")
    #expect(broken { ada.dogs.append(Dog(name: "Old", age: 12)) }?.rule == "young")
    #expect(broken { ada.tags.insert("a") } == nil)
    #expect(broken { ada.tags.insert("b") }?.rule == "few")
    #expect(broken { ada.scores["a"] = 0 }?.rule == "scored")
    #expect(broken { ada.home = Address(street: "s", city: "") }?.rule == "homed")
    #expect(broken { ada.home = Address(street: "s", city: "Paris") } == nil)
    #expect(broken { ada.home?.city = "" }?.rule == "homed")
  }

  @Test func inversesGainAndLose() throws {
    let (ada, bob, cyd) = (try person(0), try person(1), try person(2))
    try store.write {
      bob.boss = ada
      cyd.boss = ada
    }
    try store.keepRules([
      "Person": ["team": ("reports.@count != 1", nil)], "Dog": ["kept": ("owners.@count < 2", nil)],
    ])
    #expect(broken { cyd.boss = nil }?.identity == ada.identityForTests)
    #expect(broken { cyd.boss = bob }?.identity != nil)
    #expect(broken { try store.delete(cyd) }?.identity == ada.identityForTests)
    #expect(
      broken { try store.add(Person(id: 7, name: "Eve", boss: bob)) }?.identity
        == bob.identityForTests)
    let rex = Dog(name: "Rex")
    #expect(broken { ada.dogs.append(rex) } == nil)
    #expect(broken { bob.dogs.append(rex) }?.model == "Dog")
  }

  /// However long the way is: beyond so many hops it is not gone back, and every object is looked at.
  @Test(arguments: [2, 7, 8, 9, 20]) func anInverseBehindManyLinks(links: Int) throws {
    try store.write {
      var boss: Person?
      for id in (100...100 + links).reversed() {
        let person = Person(id: id, name: "P", boss: boss)
        try store.add(person)
        boss = person
      }
    }
    let last = try person(100 + links)
    let way = Array(repeating: "boss.", count: links).joined()
    try store.keepRules([
      "Person": ["line": ("\(way)boss != nil OR \(way)reports.@count <= 1", nil)]
    ])

    #expect(
      broken { try store.add(Person(id: 7, name: "Eve", boss: last)) }?.primaryKey == "id 100")
    #expect(broken { try person(0).boss = last }?.primaryKey == "id 100")
    #expect(broken { try person(0).boss = try person(1) } == nil)
  }

  @Test func allObjectsOfAModelCount() throws {
    try store.keepRules(["Person": ["few": ("Person.@count <= 3", nil)]])
    #expect(broken { try store.add(Person(id: 9, name: "Eve")) } != nil)
    #expect(broken { try store.delete(try person(0)) } == nil)
    #expect(broken { try store.add(Person(id: 9, name: "Eve")) } == nil)
  }

  // MARK: Values

  /// As in every condition, nil is neither more nor less: what may be nil says so.
  @Test func nilKeepsNoComparison() throws {
    try store.keepRules([
      "Person": ["mail": ("email CONTAINS '@'", nil)]
    ])
    #expect(broken { try store.add(Person(id: 9, name: "Eve")) }?.rule == "mail")
    #expect(broken { try store.add(Person(id: 9, name: "Eve", email: "e@x.org")) } == nil)
  }

  /// A condition without a value does not hold, and the error says why.
  @Test func whatCannotBeComputedIsBroken() throws {
    try store.keepRules(["Person": ["ratio": ("100 / age > 1", nil)]])
    let rule = try #require(broken { try store.add(Person(id: 9, name: "Eve", age: 0)) })
    #expect(rule.rule == "ratio")
    #expect(rule.problem?.contains("divided by zero") == true)
  }

  /// The first rule by its name, of the first object by its identity.
  @Test func whatIsToldFirstIsDecided() throws {
    try store.keepRules([
      "Person": ["b": ("age < 100", nil), "a": ("name != ''", nil)]
    ])
    let rule = broken {
      for person in store.objects(Person.self) {
        person.age = 200
        person.name = ""
      }
    }
    #expect(rule?.rule == "a")
    #expect(rule?.primaryKey == "id 0")
  }

  // MARK: Cost

  /// A transaction that changes nothing that a rule reads asks nothing.
  @Test func onlyRulesOfChangedPropertiesAreLookedAt() throws {
    try store.keepRules([
      "Person": ["adult": ("age * 2 >= 36", nil), "named": ("name != ''", nil)],
      "Dog": ["old": ("age >= 0", nil)],
    ])
    let ada = try person(0)
    #expect(try asked { ada.email = "a@x.org" } == [])
    let age = try asked { ada.age = 40 }
    #expect(age.count == 1)
    #expect(age.first?.contains("\"age\"") == true && age.first?.contains("\"name\"") == false)
    let dog = try asked { try store.add(Dog(name: "Rex")) }
    #expect(dog.count == 1 && dog.first?.contains("\"Dog\"") == true)
  }

  /// A value with which a rule holds whatever else an object has is asked about neither for the object nor for those that link to it.
  @Test func aValueThatSettlesTheRulesAsksNothing() throws {
    try store.keepRules([
      "Person": [
        "adult": ("age >= 18", nil), "led": ("boss == nil OR boss.age >= 18", nil),
        "human": ("NOT (age > 200) AND age BETWEEN {0, 150}", nil),
        "known": ("21 <= age OR name != 'x'", nil),
        "named": ("name CONTAINS ' ' AND name != ''", nil),
      ]
    ])
    let (ada, bob) = (try person(0), try person(1))
    try store.write { bob.boss = ada }
    #expect(try asked { ada.age = 40 } == [])
    #expect(try asked { ada.name = "Ada Lovelace" } == [])
    #expect(broken { ada.name = "Ada" }?.rule == "named")
    #expect(try asked { for person in store.objects(Person.self) { person.age = 50 } } == [])
    // Of the people themselves, and of those that they lead.
    #expect(try asked { ada.age = 19 }.count == 2)
    #expect(broken { ada.age = 17 }?.rule == "adult")
    #expect(broken { ada.age = 151 }?.rule == "human")
  }

  /// The last change of what a rule reads counts, on whichever way it came.
  @Test func aSettledValueThatIsChangedAgainIsAskedAbout() throws {
    try store.keepRules([
      "Person": [
        "known": ("age >= 18 OR name != 'x'", nil), "led": ("boss == nil OR boss.age < 90", nil),
      ]
    ])
    let (ada, bob) = (try person(0), try person(1))
    #expect(broken { ada.name = "x" } == nil)
    #expect(broken { (ada.age, ada.age) = (40, 3) } != nil)
    #expect(broken { (ada.age, ada.age) = (3, 40) } == nil)
    #expect(
      broken {
        ada.age = 40
        try store.update(Person.self, set: ["age": 3])
      } != nil)
    #expect(broken { (bob.name, bob.age) = ("x", 3) } != nil)
    #expect(broken { (bob.age, bob.name) = (3, "x") } != nil)
    #expect(
      broken {
        ada.age = 89
        bob.boss = ada
        ada.age = 90
      }?.rule == "led")
    #expect(
      broken {
        ada.age = 90
        bob.boss = ada
      }?.rule == "led")
  }

  /// Objects that were not changed are not looked at: one that breaks a rule, as another program left it, stops nobody's commit.
  @Test func onlyChangedObjectsAreLookedAt() throws {
    try test.execute("UPDATE Person SET age = 3 WHERE id = 2")
    try store.keepRules(["Person": ["adult": ("age >= 18", nil)]])
    let (ada, cyd) = (try person(0), try person(2))
    #expect(broken { ada.age = 60 } == nil)
    #expect(broken { cyd.name = "Cyd the second" } == nil)
    #expect(broken { cyd.age = 4 } != nil)
  }

  /// In SQLite's instructions: a link is followed for what was changed, and not for all objects.
  @Test func aChangeCostsTheSameInALargeFile() throws {
    try store.keepRules([
      "Person": [
        "led": ("boss == nil OR boss.age * 2 >= 36", nil),
        "known": ("boss == nil OR boss.name CONTAINS 'a' OR boss.age * 2 < 999", nil),
        "kennel": ("ANY dogs.age < 100 OR dogs.@count == 0", nil),
      ]
    ])
    let ada = try person(0)
    func cost() throws -> Int {
      var ticks = 0
      store.database.setProgressHandler(every: 10) {
        ticks += 1
        return false
      }
      defer { store.database.setProgressHandler(every: 0, nil) }
      try store.write {
        ada.age += 1
        ada.dogs.append(Dog(name: "Rex", age: 3))
      }
      return ticks
    }
    _ = try cost()
    let small = try cost()
    try store.write {
      for id in 10..<4_000 {
        try store.add(
          Person(id: id, name: "p", age: 30, boss: try person(id % 3), dogs: [Dog(name: "d")]))
      }
    }
    try store.write {
      for each in store.objects(Person.self).where({ $0.boss.id == 0 }) { each.boss = nil }
    }

    #expect(try cost() <= small * 3 + 100)
  }

  /// Rows that stand close together are asked about as one; what is found between them is not the transaction's.
  @Test func anObjectBetweenChangedOnesMayBeBrokenAlready() throws {
    let even = stride(from: 100, to: 300, by: 2)
    try store.write {
      for id in 100..<300 { try store.add(Person(id: id, name: "p", age: id == 151 ? 3 : 30)) }
    }
    try store.keepRules(["Person": ["adult": ("age * 2 >= 36", nil)]])

    let texts = try asked { for id in even { try person(id).age += 1 } }

    #expect(try even.allSatisfy { try person($0).age == 31 })
    #expect(texts.isEmpty == false)
    // What one of the changed ones breaks is found between them, and the first one is named.
    let rule = broken { for id in even { try person(id).age = id > 200 ? 7 : 40 } }
    #expect(rule?.primaryKey == "id 202")
    #expect(try person(100).age == 31)
  }

  /// A hundred objects that stand apart, and the same close together.
  @Test func manyChangesAreFewQuestions() throws {
    try store.write {
      for id in 100..<3100 { try store.add(Person(id: id, name: "p", age: 30)) }
    }
    try store.keepRules(["Person": ["adult": ("age * 2 >= 36", nil)]])
    let close = try asked {
      for id in stride(from: 100, to: 300, by: 2) { try person(id).age += 1 }
    }
    #expect(close.count == 1)
    let apart = try asked {
      for id in stride(from: 100, to: 3100, by: 30) { try person(id).age += 1 }
    }
    #expect(apart.count == 2)
    // Nothing that a rule reads, more often than changes are noted one by one.
    let unread = try asked { for id in 100..<1100 where id % 3 == 0 { try person(id).name = "q" } }
    #expect(unread.isEmpty)
  }

  /// The texts of the questions about rules that a transaction asks.
  private func asked(_ body: () throws -> Void) throws -> [String] {
    var texts: [String] = []
    store.database.setStatementLog { text, _, _ in
      if text.contains("IS NOT TRUE") { texts.append(text) }
    }
    defer { store.database.setStatementLog(nil) }
    try store.write(body)
    return texts
  }
}

extension Store {
  /// Lets the store keep rules that its schema does not have: model → name → condition and sentence.
  func keepRules(_ rules: [String: [String: (that: String, says: String?)]]) throws {
    let schema = definition.schema
    try keepRules(
      of: Schema(
        name: schema.name, version: schema.version, language: schema.language,
        models: schema.models.map { $0.with(rules[$0.name] ?? [:]) }, enums: schema.enums))
  }
}

extension Model {
  func with(_ rules: [String: (that: String, says: String?)]) -> Model {
    Model(
      name: name, isEmbedded: isEmbedded, isAbstract: isAbstract, extends: extends,
      primaryKey: primaryKey, indexes: indexes, uniques: uniques, properties: properties,
      rules: rules.map {
        ModelRule(name: $0.key, condition: $0.value.that, sentence: $0.value.says)
      })
  }
}
