import StrataSQLite
import StrataTestModels
import Synchronization
import Testing

@testable import Strata

/// Observers of one question share what it answers.
@Suite struct SharedAnswersTests {
  let test: TestStore
  let store: Store

  init() throws {
    test = try TestStore()
    store = test.store
  }

  @Test func aChangeIsWorkedOutOnceForAllObserversOfAQuestion() throws {
    let people = (0..<4_000).map { Person(id: $0, name: "p", age: $0 % 500) }
    try store.write { try store.add(people) }
    let person = people[40]
    func rows(observers: Int) throws -> Int {
      var told = 0
      let tokens = try (0..<observers).map { _ in
        try store.objects(Person.self).sorted(by: \.age).observe { _ in told += 1 }
      }
      let rows = Mutex(0)
      store.database.setStatementLog { _, _, given in rows.withLock { $0 += given } }
      try store.write { person.age = person.age == 250 ? 3 : 250 }
      store.database.setStatementLog(nil)
      for token in tokens { token.invalidate() }
      #expect(told == 2 * observers)
      return rows.withLock { $0 }
    }

    #expect(try rows(observers: 50) <= rows(observers: 1) + 2)
  }

  /// Observers come and go, and some are left out of transactions: those stand on other answers than the rest.
  @Test(arguments: [11, 12, 13] as [UInt64])
  func eachObserverIsToldWhatIsNewForIt(_ seed: UInt64) throws {
    struct Watch {
      let list: ReplayedList<Int>
      let token: NotificationToken
    }
    var random = SeededGenerator(seed: seed)
    let results = store.objects(Person.self).where { $0.age < 6 }.sorted(by: \.age)
    func shown() -> [Int] { results.map(\.id) }
    var watches: [Watch] = []
    var nextID = 0
    for _ in 0..<400 {
      if watches.isEmpty || watches.count < 6 && Int.random(in: 0..<8, using: &random) == 0 {
        let list = ReplayedList<Int>()
        // Equal questions, each asked anew.
        let again = store.objects(Person.self).where { $0.age < 6 }.sorted(by: \.age)
        watches.append(
          Watch(list: list, token: try again.observe { change in list.replay(change) { $0.id } }))
      } else if Int.random(in: 0..<20, using: &random) == 0 {
        watches.remove(at: .random(in: 0..<watches.count, using: &random)).token.invalidate()
      }
      let leftOut = watches.filter { _ in Int.random(in: 0..<5, using: &random) == 0 }
      let isCancelled = Int.random(in: 0..<6, using: &random) == 0
      try store.beginWrite()
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let person = store.objects(Person.self).randomElement(using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: if let person { try store.delete(person) }
        case 1: person?.age = .random(in: 0..<9, using: &random)
        default:
          nextID += 1
          try store.add(Person(id: nextID, name: "n", age: .random(in: 0..<9, using: &random)))
        }
      }
      if isCancelled {
        store.cancelWrite()
      } else {
        try store.commitWrite(withoutNotifying: leftOut.map(\.token))
        for watch in leftOut { watch.list.reset(to: shown()) }
      }
      for watch in watches {
        #expect(watch.list.shown == shown())
        #expect(watch.list.problem == nil)
      }
    }
  }
}
