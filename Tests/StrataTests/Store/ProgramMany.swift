import Strata
import StrataTestModels

/// What one observer was told, played back.
final class ProgramObserver {
  let query: ProgramQuery?
  /// The person whose dogs are watched.
  let owner: Int64?
  let replayed = ReplayedList<String>()
  var token: NotificationToken?

  init(query: ProgramQuery? = nil, owner: Int64? = nil) {
    self.query = query
    self.owner = owner
  }

  func rows(in memory: ProgramMemory) -> [Int64] {
    if let query { return query.rows(in: memory) }
    guard let owner, let thing = memory.things[owner] else { return [] }
    return thing.elements("dogs").compactMap { element in
      if case .link(let row) = element { return row }
      return nil
    }
  }
}

/// Results, walks, observers, and changes of many objects.
extension ProgramRun {
  func ask(_ query: ProgramQuery, _ store: Int) throws {
    let results = try query.results(of: stores[store])
    let (found, rows) = (results.map(\.identityForTests), query.rows(in: memories[store]))
    try expect(found == rows, "store \(store): \(query) gives \(found), not \(rows)")
    try expect(results.count == rows.count, "count \(results.count), not \(rows.count)")
    try expect(results.isEmpty == rows.isEmpty, "isEmpty of \(rows.count)")
    try expect(results.first?.identityForTests == rows.first, "first of \(rows)")
    try expect(results.last?.identityForTests == rows.last, "last of \(rows)")
    for (index, row) in rows.enumerated().reversed() {
      let object = results[index]
      try expect(object.identityForTests == row, "[\(index)] of \(rows)")
      try expect(results.index(of: object) == index, "index(of:) of \(index) in \(rows)")
    }
    for row in memories[store].rows(of: "Person") {
      guard let person = held[store][row] as? Person else { continue }
      try expect(results.contains(person) == rows.contains(row), "contains(#\(row)) of \(rows)")
    }
    let ages = rows.compactMap { row -> Int? in
      if case .int(let age)? = memories[store].things[row]?.one("age") { return age }
      return nil
    }
    try expect(results.min(of: \.age) == ages.min(), "least age of \(rows)")
    try expect(results.max(of: \.age) == ages.max(), "greatest age of \(rows)")
  }

  /// Over what was there at the beginning, without what is deleted meanwhile.
  func walk(
    _ query: ProgramQuery, _ place: Int, _ operation: ProgramOperation, _ store: Int
  ) throws {
    var coming = query.rows(in: memories[store])[...]
    var index = 0
    for person in try query.results(of: stores[store]) {
      coming = coming.drop { memories[store].things[$0] == nil }
      let row = person.identityForTests
      try expect(coming.first == row, "a walk meets #\(row), not \(coming)")
      coming.removeFirst()
      if index == place {
        try change(operation, store)
        if isRefused[store] { return }
      }
      index += 1
    }
    coming = coming.drop { memories[store].things[$0] == nil }
    try expect(coming.isEmpty, "a walk leaves out \(coming)")
  }

  // MARK: Observers

  func observe(_ query: ProgramQuery, _ store: Int) throws {
    guard observers[store].count < 6 else { return }
    let observer = ProgramObserver(query: query)
    observer.token = try query.results(of: stores[store]).observe {
      [replayed = observer.replayed] in
      replayed.replay($0) { "\($0.identityForTests) \($0.name.utf8.count) \($0.age)" }
    }
    observers[store].append(observer)
  }

  func observeList(_ number: Int, _ store: Int) throws {
    let people = memories[store].rows(of: "Person")
    guard observers[store].count < 6, !people.isEmpty,
      case let row = people[number % people.count], let person = held[store][row] as? Person
    else { return }
    let observer = ProgramObserver(owner: row)
    observer.token = try person.dogs.observe { [replayed = observer.replayed] in
      replayed.replay($0) { "\($0.identityForTests) \($0.name.utf8.count) \($0.age)" }
    }
    observers[store].append(observer)
  }

  func compareObservers(_ store: Int) throws {
    let memory = memories[store]
    for observer in observers[store] {
      let expected = observer.rows(in: memory).map { row -> String in
        guard let thing = memory.things[row], case .text(let name) = thing.one("name"),
          case .int(let age) = thing.one("age")
        else { return "-" }
        return "\(row) \(name.count) \(age)"
      }
      let shown = observer.replayed.shown
      let what = observer.query.map { "\($0)" } ?? "the dogs of #\(observer.owner ?? 0)"
      if let problem = observer.replayed.problem { throw Difference(description: problem) }
      try expect(
        shown == expected, "store \(store): an observer of \(what) shows \(shown), not \(expected)")
    }
  }

  // MARK: Many objects

  func delete(_ query: ProgramQuery, _ inDatabase: Bool, _ store: Int) throws {
    guard let condition = query.condition else { return }
    let rows = query.rows(in: memories[store])
    if inDatabase && condition.canBeTyped {
      let count = try stores[store].delete(Person.self) {
        condition.typed($0) ?? ($0.age >= .min)
      }
      try expect(count == rows.count, "\(count) deleted, not \(rows.count): \(condition)")
    } else {
      try stores[store].delete(query.results(of: stores[store]))
    }
    _ = memories[store].delete(Set(rows))
  }

  func deleteAll(_ model: String, _ store: Int) throws {
    switch model {
    case "Person": try stores[store].deleteAll(Person.self)
    case "Dog": try stores[store].deleteAll(Dog.self)
    case "Bag": try stores[store].deleteAll(Bag.self)
    case "Target": try stores[store].deleteAll(Target.self)
    case "Holder": try stores[store].deleteAll(Holder.self)
    case "Country": try stores[store].deleteAll(Country.self)
    case "Scalars": try stores[store].deleteAll(Scalars.self)
    default: return
    }
    if memories[store].delete(Set(memories[store].rows(of: model))) != nil {
      isRefused[store] = true
    }
  }

  func update(_ query: ProgramQuery, _ value: Int, _ store: Int) throws {
    guard let condition = query.condition, condition.canBeTyped else { return }
    let rows = query.rows(in: memories[store])
    func update(_ values: [String: Any?]) throws {
      let count = try stores[store].update(Person.self, set: values, returning: .count) {
        condition.typed($0) ?? ($0.age >= .min)
      }
      try expect(count == rows.count, "\(count) updated, not \(rows.count): \(condition)")
    }
    switch value {
    case 0..<5:
      try update(["age": value, "thing": "u\(value)"])
      for row in rows {
        memories[store].things[row]?.slots["age"] = .one(.int(value))
        memories[store].things[row]?.slots["thing"] = .one(.text("u\(value)"))
      }
    case 5..<8:
      try update([
        "age": UpdateExpression("age + 1"), "name": UpdateExpression("'x' + string(age)"),
      ])
      for row in rows {
        guard case .int(let age)? = memories[store].things[row]?.one("age") else { continue }
        memories[store].things[row]?.slots["age"] = .one(.int(age + 1))
        memories[store].things[row]?.slots["name"] = .one(.text("x\(age)"))
      }
    case 8, 9:
      let boss = held[store].values.compactMap { $0 as? Person }
        .filter { memories[store].things[$0.identityForTests] != nil }
        .min { $0.identityForTests < $1.identityForTests }
      try update(["boss": boss])
      let link: Seen = boss.map { .link($0.identityForTests) } ?? .null
      for row in rows { memories[store].things[row]?.slots["boss"] = .one(link) }
    default:
      let taken = memories[store].other(than: rows.first, "Person", with: "email", .text("z"))
      if rows.count > 1 || (rows.count == 1 && taken != nil) {
        return try expectRefusal("STR5043") { try update(["email": "z"]) }
      }
      try update(["email": "z"])
      for row in rows { memories[store].things[row]?.slots["email"] = .one(.text("z")) }
    }
  }
}
