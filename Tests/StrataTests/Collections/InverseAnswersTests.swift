import StrataTestModels
import Testing

@testable import Strata

/// What is kept of inverses: of those looked at last, and never anything but the truth.
@Suite struct InverseAnswersTests {
  @Test func onlyTheInversesThatWereLookedAtLastAreKnown() throws {
    let test = try TestStore()
    let people = (0..<RecentInverses.limit * 3).map { Person(id: $0, name: "p\($0)") }
    try test.store.write {
      try test.store.add(people)
      for (boss, report) in zip(people, people.dropFirst()) { report.boss = boss }
    }

    for person in people.dropLast() { #expect(person.reports.count == 1) }

    #expect(test.store.recentInverses.knownCount == RecentInverses.limit)
    // What is forgotten is asked again, before and after a change.
    #expect(people[0].reports.first == people[1])
    try test.store.write { people[2].boss = people[0] }
    #expect(people[0].reports.count == 2)
    #expect(people[0].reports.firstIndex(of: people[2]) == 1)
    #expect(people[0].reports.index(of: people[3]) == nil)
    #expect(people[1].reports.isEmpty)
  }

  @Test func aValueThatIsHeldKnowsWhatItWasAskedThoughItsObjectForgot() throws {
    let test = try TestStore()
    let people = (0...RecentInverses.limit + 1).map { Person(id: $0, name: "p\($0)") }
    try test.store.write {
      try test.store.add(people)
      people[1].boss = people[0]
    }
    let held = people[0].reports
    #expect(held.count == 1)

    for person in people { #expect(person.reports.count == (person == people[0] ? 1 : 0)) }

    #expect(held.first == people[1])
    try test.store.write { people[1].boss = nil }
    #expect(held.isEmpty)
    #expect(people[0].reports.isEmpty)
  }

  @Test func whatObjectsKnowGoesWithThem() throws {
    let test = try TestStore()
    try test.store.write { try test.store.add((0..<10).map { Person(id: $0, name: "p\($0)") }) }
    func look() {
      for person in test.store.objects(Person.self) { #expect(person.reports.isEmpty) }
    }

    look()

    #expect(test.store.recentInverses.knownCount == 0)
  }
}
