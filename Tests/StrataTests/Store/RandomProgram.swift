/// A condition on people, as text, in Swift, and by its meaning.
indirect enum ProgramCondition: Hashable {
  case ageAtLeast(Int)
  case nameBegins(String)
  case noEmail
  case bossYounger(Int)
  case anyDogOlder(Int)
  case dogs(Int)
  case hasTag(String)
  case reports(Int)
  case noFriendNamed(String)
  case scoreAbove(Int)
  case inCountry(String)
  case bornBefore(Double)
  case thing(Int)
  case noThing
  case hasNote(String)
  case and(ProgramCondition, ProgramCondition)
  case or(ProgramCondition, ProgramCondition)
  case not(ProgramCondition)
}

/// Results: a condition, an order, and what is taken of them.
struct ProgramQuery: Hashable {
  var condition: ProgramCondition?
  var isInSwift = false
  /// Key paths, and whether they ascend.
  var keys: [SortBy] = []
  var distinctAges = false
  var limit: Int?

  struct SortBy: Hashable {
    var path: String
    var ascending: Bool
  }
}

/// One operation of a program. Objects are picked by numbers modulo how many there are, so that any part of a program is one, too.
indirect enum ProgramOperation: Hashable {
  case begin, commit, cancel, refresh, reopen
  /// A write whose body throws at its end.
  case throwing([ProgramOperation])
  /// Properties and elements that are written, those of the object as it is added.
  case add(String, [Write], policy: Int)
  /// A decoded dictionary with the key of somebody who is there.
  case create(Int, [Write], policy: Int)
  /// A copy without a store that is changed and saved.
  case detached(Int, [Write], policy: Int)
  case write(String, Int, Write)
  case key(Int, Int)
  case street(Int, Int)
  case delete(String, Int)
  case deleteSeveral(ProgramQuery, inDatabase: Bool)
  case deleteAll(String)
  case update(ProgramQuery, Int)
  case query(ProgramQuery)
  case walk(ProgramQuery, at: Int, ProgramOperation)
  case observe(ProgramQuery)
  case observeList(Int)
  case foreign(Int)
  case duplicate(Int)

  struct Write: Hashable, CustomStringConvertible {
    var property: Int
    var change: ElementChange
    var value: Int
    /// The number of an object that is there, or a new one.
    var object: Int
    var isNew: Bool
    var key: String

    var description: String {
      "write(\(property), \(change), \(value), \(isNew ? "new " : "")object \(object), '\(key)')"
    }
  }
}

/// An operation, and which of the two stores does it.
struct ProgramStep: Hashable, CustomStringConvertible {
  var store: Int
  var operation: ProgramOperation

  var description: String {
    "\(store == 0 ? "a" : "b"): \(operation)".replacing("StrataTests.", with: "")
      .replacing("ProgramOperation.", with: "").replacing("ElementChange.", with: "")
  }
}

/// Programs by chance.
struct ProgramGenerator {
  var random: SeededGenerator

  init(seed: Int) { random = SeededGenerator(seed: UInt64(seed)) }

  private mutating func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
  private mutating func chance(_ of: Int) -> Bool { number(of) == 0 }

  /// The operations of a program; a store that begins writes for a while.
  mutating func program() -> [ProgramStep] {
    var steps: [ProgramStep] = []
    let length = 60 + number(141)
    while steps.count < length {
      let store = number(2)
      switch number(12) {
      case 0: steps.append(ProgramStep(store: store, operation: .refresh))
      case 1: steps.append(ProgramStep(store: store, operation: .query(query())))
      case 2: steps.append(ProgramStep(store: store, operation: .observe(query())))
      case 3: steps.append(ProgramStep(store: store, operation: .observeList(number(9))))
      case 4 where chance(3): steps.append(ProgramStep(store: store, operation: .reopen))
      case 5:
        let body = (0...number(4)).map { _ in change() }
        steps.append(ProgramStep(store: store, operation: .throwing(body)))
      default:
        steps.append(ProgramStep(store: store, operation: .begin))
        for _ in 0...number(6) {
          let other = chance(12)
          steps.append(
            ProgramStep(
              store: other ? 1 - store : store,
              operation: other ? (chance(2) ? .refresh : .begin) : change()))
        }
        steps.append(ProgramStep(store: store, operation: chance(5) ? .cancel : .commit))
      }
    }
    return steps
  }

  private mutating func pick<Value>(_ values: [Value]) -> Value { values[number(values.count)] }

  mutating func write() -> ProgramOperation.Write {
    let change: ElementChange =
      switch number(14) {
      case 0: .insert(number(9))
      case 1: .remove(number(9))
      case 2: .replace(number(9))
      case 3: .move(number(9), number(9))
      case 4: .swap(number(9), number(9))
      case 5: chance(3) ? .removeAll : .removeLast
      case 6: .removeElement
      default: .append
      }
    return ProgramOperation.Write(
      property: number(60), change: change, value: number(60), object: number(40),
      isNew: chance(4), key: pick(["k", "l", "", "m"]))
  }

  private mutating func writes() -> [ProgramOperation.Write] {
    (0..<number(6)).map { _ in write() }
  }

  private mutating func model() -> String {
    pick(["Person", "Person", "Person", "Dog", "Bag", "Target", "Holder", "Scalars", "Country"])
  }

  mutating func change(walks: Bool = true) -> ProgramOperation {
    switch number(34) {
    case 0..<7: .add(pick([model(), model(), "Entry"]), writes(), policy: number(3))
    case 7..<19: .write(model(), number(40), write())
    case 19: .create(number(9), writes(), policy: number(2))
    case 20: .detached(number(9), writes(), policy: number(2))
    case 21: .key(number(9), number(12))
    case 22: .street(number(9), number(3))
    case 23, 24, 25: .delete(pick([model(), "Needed"]), number(40))
    case 26: .deleteSeveral(query(isPlain: true), inDatabase: chance(2))
    case 27: chance(4) ? .deleteAll(model()) : .delete(model(), number(40))
    case 28, 29: .update(query(isPlain: true), number(12))
    case 30: walks ? .walk(query(), at: number(4), change(walks: false)) : .street(0, 1)
    case 31: .foreign(number(5))
    case 32: .duplicate(number(9))
    default: .query(query())
    }
  }

  private mutating func condition(_ depth: Int) -> ProgramCondition {
    switch number(depth > 0 ? 22 : 15) {
    case 0: .ageAtLeast(number(5))
    case 1: .nameBegins(pick(["A", "a", "Zo", "x\u{0}", ""]))
    case 2: .noEmail
    case 3: .bossYounger(number(5))
    case 4: .anyDogOlder(number(3))
    case 5: .dogs(number(3))
    case 6: .hasTag(pick(["Ada", "", "Zo\u{E9}"]))
    case 7: .reports(number(3))
    case 8: .noFriendNamed(pick(["Ada", "ada", ""]))
    case 9: .scoreAbove(number(3))
    case 10: .inCountry(pick(["c0", "c1"]))
    case 11: .bornBefore(pick([0.0, 0.1, -1e9]))
    case 12: .thing(number(2))
    case 13: .noThing
    case 14: .hasNote(pick(["Ada", ""]))
    case 15, 16: .and(condition(depth - 1), condition(depth - 1))
    case 17, 18: .or(condition(depth - 1), condition(depth - 1))
    default: .not(condition(depth - 1))
    }
  }

  /// - Parameter isPlain: whether it only has a condition.
  private mutating func query(isPlain: Bool = false) -> ProgramQuery {
    var query = ProgramQuery(
      condition: chance(3) && !isPlain ? nil : condition(2), isInSwift: chance(2))
    guard !isPlain else { return query }
    for _ in 0..<number(3) {
      query.keys.append(
        ProgramQuery.SortBy(
          path: pick(["age", "name", "score", "email", "boss.age", "boss.name", "dogs.@count"]),
          ascending: chance(2)))
    }
    query.distinctAges = chance(5)
    if chance(5) { query.limit = 1 + number(5) }
    return query
  }
}
