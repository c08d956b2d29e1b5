import Foundation
import Strata
import StrataTestModels

extension ProgramCondition {
  /// The text of it, and what stands for its arguments.
  var text: (String, [Any?]) {
    func both(_ a: ProgramCondition, _ word: String, _ b: ProgramCondition) -> (String, [Any?]) {
      let (left, right) = (a.text, b.text)
      return ("(\(left.0)) \(word) (\(right.0))", left.1 + right.1)
    }
    switch self {
    case .ageAtLeast(let age): return ("age >= %@", [age])
    case .nameBegins(let name): return ("name BEGINSWITH %@", [name])
    case .noEmail: return ("email = nil", [])
    case .bossYounger(let age): return ("boss.age < %@", [age])
    case .anyDogOlder(let age): return ("ANY dogs.age > %@", [age])
    case .dogs(let count): return ("dogs.@count = %@", [count])
    case .hasTag(let tag): return ("tags CONTAINS %@", [tag])
    case .reports(let count): return ("reports.@count >= %@", [count])
    case .noFriendNamed(let name): return ("NONE friends.name = %@", [name])
    case .scoreAbove(let score): return ("scores['k'] > %@", [score])
    case .inCountry(let code): return ("home.country.code = %@", [code])
    case .bornBefore(let seconds):
      return ("born < %@", [Date(timeIntervalSinceReferenceDate: seconds)])
    case .thing(let number): return ("thing = %@", [number])
    case .noThing: return ("thing = nil", [])
    case .hasNote(let note): return ("%@ IN notes", [note])
    case .and(let a, let b): return both(a, "AND", b)
    case .or(let a, let b): return both(a, "OR", b)
    case .not(let a): return ("NOT (\(a.text.0))", a.text.1)
    }
  }

  var canBeTyped: Bool {
    switch self {
    case .scoreAbove: false
    case .and(let a, let b), .or(let a, let b): a.canBeTyped && b.canBeTyped
    case .not(let a): a.canBeTyped
    default: true
    }
  }

  /// The same in Swift, where it can be said.
  func typed(_ person: QueryTerm<Person>) -> QueryCondition? {
    switch self {
    case .ageAtLeast(let age): return person.age >= age
    case .nameBegins(let name): return person.name.starts(with: name)
    case .noEmail: return person.email == nil
    case .bossYounger(let age): return person.boss.age < age
    case .anyDogOlder(let age): return person.dogs.age > age
    case .dogs(let count): return person.dogs.count == count
    case .hasTag(let tag): return person.tags.contains(tag)
    case .reports(let count): return person.reports.count >= count
    case .noFriendNamed(let name):
      return !person.friends.contains { $0.name == name }
    case .scoreAbove: return nil
    case .inCountry(let code): return person.home.country.code == code
    case .bornBefore(let seconds):
      return person.born < Date(timeIntervalSinceReferenceDate: seconds)
    case .thing(let number): return person.thing == .int(number)
    case .noThing: return person.thing == .null
    case .hasNote(let note): return person.notes.contains(note)
    case .and(let a, let b):
      guard let a = a.typed(person), let b = b.typed(person) else { return nil }
      return a && b
    case .or(let a, let b):
      guard let a = a.typed(person), let b = b.typed(person) else { return nil }
      return a || b
    case .not(let a): return a.typed(person).map { !$0 }
    }
  }

  /// Whether a person in memory fulfils it.
  func holds(_ row: Int64, in memory: ProgramMemory) -> Bool {
    guard let person = memory.things[row] else { return false }
    func age(_ thing: Thing?) -> Int? {
      if case .int(let age)? = thing?.one("age") { return age }
      return nil
    }
    func things(_ name: String) -> [Thing] {
      person.elements(name).compactMap { element in
        if case .link(let row) = element { return memory.things[row] }
        return nil
      }
    }
    switch self {
    case .ageAtLeast(let least): return (age(person) ?? 0) >= least
    case .nameBegins(let start):
      guard case .text(let name) = person.one("name") else { return false }
      return name.starts(with: Array(start.utf8))
    case .noEmail: return person.one("email") == .null
    case .bossYounger(let limit):
      return age(person.link("boss").flatMap { memory.things[$0] }).map { $0 < limit } ?? false
    case .anyDogOlder(let limit): return things("dogs").contains { (age($0) ?? 0) > limit }
    case .dogs(let count): return person.elements("dogs").count == count
    case .hasTag(let tag): return person.elements("tags").contains(.text(tag))
    case .reports(let count): return memory.holders(of: row, "Person", "boss").count >= count
    case .noFriendNamed(let name):
      return !things("friends").contains { $0.one("name") == .text(name) }
    case .scoreAbove(let limit):
      guard case .map(let scores)? = person.slots["scores"], let score = scores["k"]?.number else {
        return false
      }
      return score > Double(limit)
    case .inCountry(let code):
      guard case .address(_, .link(let country)) = person.one("home") else { return false }
      return memory.things[country]?.one("code") == .text(code)
    case .bornBefore(let limit):
      guard case .date(let bits) = person.one("born") else { return false }
      return Double(bitPattern: bits) < limit
    case .thing(let number): return person.one("thing").number == Double(number)
    case .noThing: return person.one("thing") == .null
    case .hasNote(let note): return person.elements("notes").contains(.text(note))
    case .and(let a, let b): return a.holds(row, in: memory) && b.holds(row, in: memory)
    case .or(let a, let b): return a.holds(row, in: memory) || b.holds(row, in: memory)
    case .not(let a): return !a.holds(row, in: memory)
    }
  }
}

extension ProgramQuery {
  func results(of store: Store) throws -> Results<Person> {
    var results = store.objects(Person.self)
    if let condition {
      let all = results
      if isInSwift && condition.canBeTyped {
        results = all.where { condition.typed($0) ?? ($0.age >= .min) }
      } else {
        let (text, arguments) = condition.text
        results = try all.filter(text, arguments: arguments)
      }
    }
    if !keys.isEmpty {
      results = try results.sorted(by: keys.map { SortKey($0.path, ascending: $0.ascending) })
    }
    if distinctAges { results = results.distinct(by: \.age) }
    if let limit { results = results.limit(limit) }
    return results
  }

  func rows(in memory: ProgramMemory) -> [Int64] {
    var rows = memory.rows(of: "Person")
    if let condition { rows = rows.filter { condition.holds($0, in: memory) } }
    rows.sort { a, b in
      for key in keys {
        let (left, right) = (Self.rank(key.path, a, memory), Self.rank(key.path, b, memory))
        if left == right { continue }
        return Self.isBefore(left, right) == key.ascending
      }
      return a < b
    }
    if distinctAges {
      var seen: Set<Seen> = []
      rows = rows.filter { seen.insert(memory.things[$0]?.one("age") ?? .null).inserted }
    }
    return limit.map { Array(rows.prefix($0)) } ?? rows
  }

  /// A value that is compared: nothing first, then numbers with NaN before them, or bytes.
  private enum Rank: Equatable {
    case none, nan
    case integer(Int)
    case number(Double)
    case bytes([UInt8])
  }

  private static func rank(_ path: String, _ row: Int64, _ memory: ProgramMemory) -> Rank {
    guard var thing = memory.things[row] else { return .none }
    if path == "dogs.@count" { return .integer(thing.elements("dogs").count) }
    var name = path
    if path.hasPrefix("boss.") {
      guard let boss = thing.link("boss").flatMap({ memory.things[$0] }) else { return .none }
      thing = boss
      name = String(path.dropFirst(5))
    }
    switch thing.one(name) {
    case .int(let value): return .integer(value)
    case .double(let bits):
      let value = Double(bitPattern: bits)
      return value.isNaN ? .nan : .number(value)
    case .text(let bytes): return .bytes(bytes)
    default: return .none
    }
  }

  private static func isBefore(_ left: Rank, _ right: Rank) -> Bool {
    switch (left, right) {
    case (.none, _): true
    case (_, .none): false
    case (.nan, _): true
    case (_, .nan): false
    case (.integer(let a), .integer(let b)): a < b
    case (.number(let a), .number(let b)): a < b
    case (.bytes(let a), .bytes(let b)): a.lexicographicallyPrecedes(b)
    default: false
    }
  }
}
