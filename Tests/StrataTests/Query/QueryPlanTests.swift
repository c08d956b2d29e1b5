import Foundation
import Strata
import StrataTestModels
import Testing

/// What is asked has to be found through indexes.
@Suite struct QueryPlanTests {
  let test: TestStore
  var people: Results<Person> { test.store.objects(Person.self) }
  var events: Results<Event> { test.store.objects(Event.self) }

  init() throws { test = try TestStore() }

  @Test(arguments: [
    ("age == 42", "Person.age.index (age=?)"), ("42 == age", "Person.age.index (age=?)"),
    ("age IN {1, 2}", "Person.age.index (age=?)"),
    ("age BETWEEN {1, 2}", "Person.age.index (age>? AND age<?)"),
    ("age > 40 AND age <= 50", "Person.age.index (age>? AND age<?)"),
    ("id == 7", "Person.primaryKey (id=?)"), ("id IN {7, 9}", "Person.primaryKey (id=?)"),
    ("id BETWEEN {7, 9}", "Person.primaryKey (id>? AND id<?)"),
    ("email == 'x'", "Person.email.unique (email=?)"),
    ("email == nil", "Person.email.unique (email=?)"),
    ("email BEGINSWITH 'x'", "Person.email.unique (email>? AND email<?)"),
    // Links, to their ends and back.
    ("boss == nil", "Person.boss.link (boss=?)"),
    ("boss.id == 7", "Person.boss.link (boss=?)"),
    ("boss.id == 7", "Person.primaryKey (id=?)"),
    ("boss.age > 40", "Person.age.index (age>?)"),
    ("boss.email BEGINSWITH 'x'", "Person.email.unique (email>? AND email<?)"),
    ("boss.boss.id == 7", "Person.boss.link (boss=?)"),
    ("home.country.code == 'F'", "Country.primaryKey (code=?)"),
    ("home.country.code == 'F'", "Person.home.unique (home=?)"),
    ("ANY dogs.name == 'x'", "INTEGER PRIMARY KEY (rowid=?)"),
    ("ANY friends.id == 7", "Person.primaryKey (id=?)"),
    ("reports.id == 7", "Person.primaryKey (id=?)"),
    // Several at once.
    ("age == 1 AND name == 'x'", "Person.age.index (age=?)"),
    ("score > 1 AND email == 'x' AND name != ''", "Person.email.unique (email=?)"),
    ("age == 1 OR email == 'x'", "MULTI-INDEX OR"),
    ("age == 1 AND (name == 'x' OR score > 1)", "Person.age.index (age=?)"),
    // Beside what may fail.
    ("age == 1 AND 10 / id > 2", "Person.age.index (age=?)"),
    ("10 / id > 2 AND email == 'x'", "Person.email.unique (email=?)"),
    ("age > 40 AND age <= 50 AND 10 / id > 2", "Person.age.index (age>? AND age<?)"),
    ("boss.id == 7 AND 10 / age > 2", "Person.boss.link (boss=?)"),
    ("email == 'x' OR age == 1 AND 10 / id > 2", "MULTI-INDEX OR"),
  ])
  func anIndexIsUsed(condition: String, step: String) throws {
    let plan = try people.filter(condition).explanation()

    #expect(plan.contains { $0.contains(step) }, "\(plan)")
    #expect(!plan.contains { $0 == "SCAN t" }, "\(plan)")
  }

  /// For each object the others are found by an index.
  @Test(arguments: [
    ("SUBQUERY(Person, $p, $p.id == SELF.age).@count > 1", "Person.primaryKey (id=?)"),
    ("SUBQUERY(Person, $p, $p.age == SELF.age AND $p != SELF).@count == 0", "Person.age.index"),
    ("NONE SUBQUERY(Person, $p, $p.boss == SELF).age > 40", "Person.boss.link (boss=?)"),
  ])
  func aSubqueryOverAModelUsesItsIndexes(condition: String, step: String) throws {
    let plan = try people.filter(condition).explanation()

    #expect(plan.contains { $0.contains(step) }, "\(plan)")
  }

  /// A search looks up its words, and then the objects.
  @Test(arguments: [
    ("body TEXT 'swift AND migr*'", "INTEGER PRIMARY KEY (rowid=?)"),
    ("body TEXT 'swift' AND subject != 'x'", "INTEGER PRIMARY KEY (rowid=?)"),
    ("body TEXT 'swift' AND pages == 7", "Letter.pages.index (pages=? AND rowid=?)"),
    ("reply.body TEXT 'swift'", "Letter.reply.link (reply=?)"),
    ("ANY answers.body TEXT 'swift'", "INTEGER PRIMARY KEY (rowid=?)"),
  ])
  func aSearchUsesTheFulltextIndex(condition: String, step: String) throws {
    let letters = try test.store.objects(Letter.self).filter(condition)

    for plan in [try letters.explanation(), try letters.explanationOfCount()] {
      #expect(plan.contains { $0.contains("VIRTUAL TABLE INDEX 0:M") }, "\(plan)")
      #expect(plan.contains { $0.contains(step) }, "\(plan)")
      #expect(!plan.contains { $0 == "SCAN t" }, "\(plan)")
    }
  }

  @Test func ranksAreReadOnceForAllAnswers() throws {
    let letters = try test.store.objects(Letter.self).filter("body TEXT 'swift'").sorted(by: .rank)
    let plan = try letters.explanation()

    #expect(plan.contains { $0.hasPrefix("MATERIALIZE") || $0.hasPrefix("CO-ROUTINE") }, "\(plan)")
    #expect(!plan.contains { $0.contains("VIRTUAL TABLE INDEX 0:=") || $0 == "SCAN t" }, "\(plan)")
  }

  @Test(arguments: [
    ("title == 'x'", "Event.title.index (title=?)"),
    ("title BEGINSWITH 'x'", "Event.title.index (title>? AND title<?)"),
    ("until > date(1)", "Event.until.index (until>? AND until<?)"),
    ("until BETWEEN {date(1), date(2)}", "Event.until.index (until>? AND until<?)"),
    ("until == nil", "Event.until.index (until=?)"),
    ("at == date(0)", "Event.at.index (at=?)"),
    ("at >= date(0) AND at < date(9)", "Event.at.index (at>? AND at<?)"),
    ("at < date(9) AND title != '' AND date(0) <= at", "Event.at.index (at>? AND at<?)"),
    ("room == 'x' AND at > date(0)", "Event.(room,at).index (room=? AND at>?"),
    ("room == 'x' AND at BETWEEN {date(0), date(9)}", "Event.(room,at).index (room=? AND at>?"),
  ])
  func anIndexOfAnyKindIsUsed(condition: String, step: String) throws {
    let plan = try events.filter(condition).explanation()

    #expect(plan.contains { $0.contains(step) }, "\(plan)")
    #expect(!plan.contains { $0 == "SCAN t" }, "\(plan)")
  }

  /// Of a range that is open at one end, who knows how much of everything it is? It is counted by its index, and walked
  /// over in the index's order where that is asked for. In the order of the objects, gathering and sorting most of them
  /// would be worse than looking at each: the first ones come at once.
  @Test(arguments: [
    ("age > 40", "age", "Person.age.index (age>?)"),
    ("age <= 40", "age", "Person.age.index (age<?)"),
    ("40 > age", "age", "Person.age.index (age<?)"),
    ("age > 1.5", "age", "Person.age.index (age>?)"),
    ("id > 7", "id", "Person.primaryKey (id>?)"),
    ("email >= 'x'", "email", "Person.email.unique (email>?)"),
  ])
  func anOpenRangeUsesItsIndex(condition: String, key: String, step: String) throws {
    let found = try people.filter(condition)

    #expect(try found.explanationOfCount().contains { $0.contains(step) })
    #expect(try found.sorted(by: key).explanation().contains { $0.contains(step) })
    #expect(try !found.explanation().contains { $0.contains("TEMP B-TREE") })
  }

  /// Two filters mean what one of both means, and are found like it.
  @Test func chainedFiltersAreOneRange() throws {
    let plan = try events.filter("at >= date(0)").filter("at < date(9)").explanation()

    #expect(plan.contains { $0.contains("Event.at.index (at>? AND at<?)") }, "\(plan)")
  }

  @Test func objectsAndTypedConditionsUseIndexesToo() throws {
    let boss = Person(id: 1, name: "Ada")
    try test.store.write { try test.store.add(boss) }

    for (results, step) in [
      (try people.filter("boss == %@", boss), "Person.boss.link (boss=?)"),
      (people.where { $0.age == 42 && $0.name == "x" }, "Person.age.index (age=?)"),
      (people.where { $0.email.starts(with: "x") }, "Person.email.unique (email>? AND email<?)"),
      (people.where { $0.boss.id == 1 }, "Person.boss.link (boss=?)"),
    ] {
      let plan = try results.explanation()
      #expect(plan.contains { $0.contains(step) }, "\(plan)")
    }
  }

  /// Folding is no order of bytes: every object is looked at, and the answer is Unicode's.
  @Test func whatIsFoldedIsLookedAt() throws {
    #expect(try people.filter("email ==[c] 'x'").explanation() == ["SCAN t"])
  }

  /// Nothing is gathered before the first object comes, however many there are.
  @Test func theFirstObjectsComeAtOnce() throws {
    let results = [
      people, try people.filter("score > 1"), try people.sorted(by: "age").limit(10),
      try people.sorted(by: "age", ascending: false).filter("score > 1"),
      try people.filter("age == 42").limit(10),
    ]
    for result in results {
      let plan = try result.explanation()
      #expect(!plan.contains { $0 == "USE TEMP B-TREE FOR ORDER BY" }, "\(plan)")
    }
  }

  @Test(arguments: ["age", "id", "email"]) func sortingByAnIndexNeedsNoSorting(key: String) throws {
    let up = try people.sorted(by: key).explanation()
    let down = try people.sorted(by: key, ascending: false).explanation()

    #expect(!up.contains { $0.contains("TEMP B-TREE") }, "\(up)")
    #expect(!down.contains { $0 == "USE TEMP B-TREE FOR ORDER BY" }, "\(down)")
  }

  /// NaN stands before all numbers, where SQLite has it behind: only where there is one is sorted anew.
  @Test func datesAreSortedByTheirIndex() throws {
    let events = test.store.objects(Event.self)
    let newest = try events.sorted(by: "at", ascending: false)
    let byEnd = try events.sorted(by: "until").filter("title != ''")
    func add(until seconds: Double?) throws {
      let at = Date(timeIntervalSinceReferenceDate: 0)
      let until = seconds.map { Date(timeIntervalSinceReferenceDate: $0) }
      try test.store.write { try test.store.add(Event(at: at, until: until, title: "x")) }
    }
    for seconds: Double? in [2, nil, 1] { try add(until: seconds) }

    #expect(try newest.explanation().first?.contains("Event.at.index") == true)
    #expect(try byEnd.explanation() == ["SCAN t USING INDEX Event.until.index"])
    #expect(byEnd.map { $0.until?.timeIntervalSinceReferenceDate } == [nil, 1, 2])

    try add(until: .nan)

    #expect(byEnd.map { $0.until == nil } == [true, false, false, false])
    #expect(byEnd[1].until?.timeIntervalSinceReferenceDate.isNaN == true)
    #expect(try byEnd.explanation().contains { $0.contains("TEMP B-TREE") })
  }

  /// An inbox: what links to one folder, newest first.
  @Test func aLinkAndASortShareAnIndex() throws {
    let folder = Country(code: "F", name: "France")
    try test.store.write { try test.store.add(folder) }
    let inbox = try events.filter("country == %@", folder)

    for (results, step) in [
      (try inbox.sorted(by: "at"), "Event.(country,at).index (country=?)"),
      (try inbox.sorted(by: "at", ascending: false), "Event.(country,at).index (country=?)"),
      (
        try inbox.filter("at > date(0)").sorted(by: "at"),
        "Event.(country,at).index (country=? AND at>?"
      ),
    ] {
      let plan = try results.explanation()
      #expect(plan.contains { $0.contains(step) }, "\(plan)")
      #expect(!plan.contains { $0 == "USE TEMP B-TREE FOR ORDER BY" }, "\(plan)")
    }
    let named = try events.filter("country.code == 'F' AND at > date(0)").explanation()
    #expect(named.contains { $0.contains("Event.(country,at).index") }, "\(named)")
  }

  @Test func aFilterAndItsSortShareAnIndex() throws {
    let plan = try events.filter("room == 'x'").sorted(by: "at").explanation()

    #expect(plan == ["SEARCH t USING INDEX Event.(room,at).index (room=?)"])
  }
}
