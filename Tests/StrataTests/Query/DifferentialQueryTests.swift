import Foundation
import Strata
import StrataExpression
import StrataSQLite
import StrataSchema
import StrataTestModels
import Testing

/// Thousands of generated conditions: SQL has to find what the language's own evaluation finds, in the same order.
///
/// `STRATA_LONG_TESTS=1` asks twenty times as many.
@Suite struct DifferentialQueryTests {
  static let isLong = ProcessInfo.processInfo.environment["STRATA_LONG_TESTS"] != nil

  private func fill(_ store: Store, _ random: inout SeededGenerator) throws {
    let texts = [
      "", "a", "A", "Ada", "ada lovelace", "Ä", "a\u{308}", "ß", "ss", "x\u{0}y", "*?", "Zoë",
      "zoe",
    ]
    let numbers = [0.0, -0.0, 1, -1.5, .nan, .infinity, -.infinity, 1e300, 0.1]
    try store.write {
      let countries = ["F", "D"].map {
        Country(code: $0, name: texts.randomElement(using: &random)!)
      }
      var people: [Person] = []
      for id in 0..<40 {
        let person = Person(
          id: id, name: texts.randomElement(using: &random)!,
          age: [0, 1, 2, 36, -7, .max, .min].randomElement(using: &random)!,
          email: id % 3 == 0 ? nil : "p\(id)@x.org",
          born: [nil, 0, 0.5, .nan, -1e9].randomElement(using: &random)!.map(
            Date.init(timeIntervalSinceReferenceDate:)),
          score: numbers.randomElement(using: &random)!,
          mood: Bool.random(using: &random) ? .calm : .angry,
          rank: [nil, .private, .general].randomElement(using: &random)!,
          boss: people.randomElement(using: &random).flatMap {
            Bool.random(using: &random) ? $0 : nil
          })
        if Bool.random(using: &random) {
          person.home = Address(street: "s", country: countries.randomElement(using: &random))
        }
        for _ in 0..<Int.random(in: 0...3, using: &random) {
          person.dogs.append(
            Dog(
              name: texts.randomElement(using: &random)!, age: Int.random(in: 0...3, using: &random)
            ))
        }
        for _ in 0..<Int.random(in: 0...2, using: &random) {
          person.notes.append(
            Bool.random(using: &random) ? texts.randomElement(using: &random)! : nil)
          person.tags.insert(texts.randomElement(using: &random)!)
          person.scores[texts.randomElement(using: &random)!] = numbers.randomElement(
            using: &random)!
          if let friend = people.randomElement(using: &random) { person.friends.insert(friend) }
        }
        person.thing = [
          AnyValue.null, .int(1), .double(1), .string("a"), .bool(true), .double(.nan),
        ].randomElement(using: &random)!
        people.append(person)
        try store.add(person)
      }
    }
  }

  @Test(arguments: 0..<(isLong ? 160 : 8)) func conditionsFindTheSame(seed: Int) throws {
    let test = try TestStore()
    var random = SeededGenerator(seed: UInt64(seed))
    try fill(test.store, &random)
    let schema = TestingSchema.definition.schema
    let memory = try MemoryObjects(path: test.folder.file("a.db"), schema: schema)
    let model = try #require(schema.model(named: "Person"))
    var generator = ConditionGenerator(random: random)
    var compared = 0
    for _ in 0..<500 {
      let text = generator.condition(depth: 3)
      guard let expression = try? Expression.parse(text, for: .query, arguments: []),
        let resolved = try? ResolvedExpression(
          condition: expression, in: schema, of: model, for: .query)
      else { continue }
      // What has no value for one object has no answer.
      guard
        let expected = try? memory.rows(of: "Person").filter({ row in
          try resolved.holds(in: MemoryContext(objects: memory, model: "Person", row: row))
        })
      else { continue }
      compared += 1
      let found = try test.store.objects(Person.self).filter(text)
      let rows = found.map(\.identityForTests)
      #expect(rows == expected, "\(text)")
      #expect(found.count == expected.count, "\(text)")
      if rows != expected { break }
    }
    #expect(compared > 200)
  }

  @Test(arguments: 0..<(isLong ? 80 : 4)) func ordersAreTheSame(seed: Int) throws {
    let test = try TestStore()
    var random = SeededGenerator(seed: UInt64(seed + 100))
    try fill(test.store, &random)
    let schema = TestingSchema.definition.schema
    let memory = try MemoryObjects(path: test.folder.file("a.db"), schema: schema)
    let model = try #require(schema.model(named: "Person"))
    let paths = [
      "age", "name", "email", "born", "score", "mood", "rank", "boss.name", "boss.score",
      "dogs.@count",
      "dogs.@max.age", "home.country.name", "boss.boss.age",
    ]
    for _ in 0..<100 {
      let keys = (0..<Int.random(in: 1...3, using: &random)).map { _ in
        SortKey(paths.randomElement(using: &random)!, ascending: Bool.random(using: &random))
      }
      let resolved = try keys.map { key in
        (
          try ResolvedExpression(
            try Expression.parse(key.keyPath, for: .query), in: schema, of: model, for: .query),
          key.isAscending
        )
      }
      let limit = Int.random(in: 1...50, using: &random)
      let values = try Dictionary(
        uniqueKeysWithValues: memory.rows(of: "Person").map { row in
          (
            row,
            try resolved.map {
              try $0.0.value(in: MemoryContext(objects: memory, model: "Person", row: row))
            }
          )
        })
      let expected = memory.rows(of: "Person").sorted { a, b in
        for (index, (_, isAscending)) in resolved.enumerated() {
          guard let left = values[a]?[index], let right = values[b]?[index],
            let order = Comparison.of(left, right), order != .same
          else { continue }
          return (order == .before) == isAscending
        }
        return a < b
      }
      let sorted = try test.store.objects(Person.self).sorted(by: keys)
      #expect(sorted.map(\.identityForTests) == expected, "\(keys)")
      #expect(sorted.limit(limit).map(\.identityForTests) == Array(expected.prefix(limit)))
      #expect(sorted.indices.map { sorted[$0].identityForTests } == expected)
    }
  }
}

/// Texts of conditions, most of them right.
struct ConditionGenerator {
  var random: SeededGenerator

  private mutating func pick<T>(_ items: [T]) -> T { items.randomElement(using: &random)! }

  mutating func condition(depth: Int) -> String {
    guard depth > 0 else { return comparison() }
    switch Int.random(in: 0..<8, using: &random) {
    case 0: return "(\(condition(depth: depth - 1)) AND \(condition(depth: depth - 1)))"
    case 1: return "(\(condition(depth: depth - 1)) OR \(condition(depth: depth - 1)))"
    case 2: return "NOT (\(condition(depth: depth - 1)))"
    case 3: return quantified()
    case 4:
      return
        "SUBQUERY(dogs, $d, $d.age \(order()) \(number()) AND $d.name \(textual()) \(text())).@count \(order()) \(pick([0, 1, 2]))"
    default: return comparison()
    }
  }

  private mutating func order() -> String { pick(["==", "!=", "<", "<=", ">", ">="]) }
  private mutating func textual() -> String {
    pick(["BEGINSWITH", "ENDSWITH", "CONTAINS", "LIKE", "==", "!=", "<"])
      + pick(["", "", "[c]", "[d]", "[cd]"])
  }

  private mutating func number() -> String {
    pick([
      "0", "1", "-7", "36", "0.5", "-1.5", "1e300", "9223372036854775807", "age", "dogs.@count",
    ])
  }

  private mutating func text() -> String {
    pick([
      "''", "'a'", "'A'", "'ada'", "'Ä'", "'ä'", "'ss'", "'ß'", "'zoe'", "'*a*'", "'?'", "name",
      "boss.name", "nil",
    ])
  }

  private mutating func comparison() -> String {
    switch Int.random(in: 0..<18, using: &random) {
    case 0: "age \(order()) \(number())"
    case 1: "score \(order()) \(number())"
    case 2: "name \(textual()) \(text())"
    case 3: "email \(textual()) \(text())"
    case 4: "boss.\(pick(["name", "boss.name", "email"])) \(textual()) \(text())"
    case 5: "boss.\(pick(["age", "score", "boss.age", "boss.score"])) \(order()) \(number())"
    case 6:
      "\(pick(["boss", "home", "home.country", "born", "rank", "email", "thing"])) \(pick(["==", "!="])) nil"
    case 7: "mood \(pick(["==", "!="])) 'calm'"
    case 8: "rank \(order()) \(pick(["1", "9"]))"
    case 9:
      "\(pick(["age", "score", "dogs.@count"])) BETWEEN {\(pick(["0", "-7", "1"])), \(pick(["1", "36", "2.5"]))}"
    case 10: "\(pick(["age", "score"])) IN {0, 36, -1.5}"
    case 11: "name IN {'a', 'Ä', ''}"
    case 12: "born \(order()) \(pick(["date(0)", "date(0.5)", "boss.born"]))"
    case 13:
      "\(pick(["dogs.@max.age", "dogs.@sum.age", "dogs.@avg.age", "scores.@min", "scores.@max", "reports.@count", "notes.@count", "max(Person.age)", "count(Dog)", "average(Dog.age)"])) \(order()) \(number())"
    case 14:
      "\(pick(["notes[0]", "notes[-1]", "notes[1]", "scores['a']", "scores['']", "lower(name)", "name + 'x'", "substring(name, 1)", "string(age)"])) \(pick(["==", "!="])) \(pick(["'a'", "nil", "'ada'", "'x'"]))"
    // Ranges with both ends, in which no NaN is.
    case 15:
      "\(pick(["score", "boss.score"])) \(pick([">", ">="])) \(number()) AND \(number()) \(pick([">", ">="])) \(pick(["score", "boss.score"]))"
    case 16:
      "born \(pick([">", ">=", "=="])) date(\(pick(["0", "-1e9"]))) AND born \(pick(["<", "<="])) date(\(pick(["0", "0.5"])))"
    default: "thing \(pick(["==", "!=", "<", ">="])) \(pick(["1", "'a'", "TRUE", "0.5"]))"
    }
  }

  private mutating func quantified() -> String {
    let quantifier = pick(["ANY", "ALL", "NONE", ""])
    return switch Int.random(in: 0..<7, using: &random) {
    case 0: "\(quantifier) dogs.age \(order()) \(number())"
    case 1: "\(quantifier) dogs.name \(textual()) \(text())"
    case 2: "\(quantifier) notes \(textual()) \(text())"
    case 3: "\(quantifier) scores \(order()) \(number())"
    case 4: "\(quantifier) friends.boss.name \(textual()) \(text())"
    case 5: "\(quantifier) reports.dogs.age \(order()) \(number())"
    default: "tags CONTAINS \(text())"
    }
  }
}
