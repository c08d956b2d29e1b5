import Foundation
import Strata
import StrataTestModels

/// What a program shows that the model does not.
struct Difference: Error, CustomStringConvertible {
  let description: String
}

/// A program on its way: two stores of one file, one of another file, and what each should show.
final class ProgramRun {
  private struct Undo: Error {}

  let folder: TemporaryFolder
  let table = ProgramColumns()
  var stores: [Store] = []
  let foreignDog = Dog(name: "foreign")
  let foreignPerson = Person(id: 1, name: "foreign")
  private let foreign: Store

  var committed = ProgramMemory()
  /// What each store stands on, or writes.
  var memories = [ProgramMemory(), ProgramMemory()]
  var isWriting = [false, false]
  /// The transaction has done what only its commit can refuse; nothing is known of it until then.
  var isRefused = [false, false]
  /// The objects that were met, by their numbers, and what they last showed.
  var held: [[Int64: Object]] = [[:], [:]]
  var last: [[Int64: Thing]] = [[:], [:]]
  var observers: [[ProgramObserver]] = [[], []]
  var used: Set<Int64> = []
  var nextKey = 100
  var turn = 0

  init() throws {
    folder = try TemporaryFolder()
    foreign = try Store(path: folder.file("other.db"), schema: TestingSchema.self)
    stores = [try open(), try open()]
    let (dog, person, other) = (foreignDog, foreignPerson, foreign)
    try other.write {
      try other.add(dog)
      try other.add(person)
    }
    // A store stands on a version from its first read on.
    for store in 0..<2 { try compare(store) }
  }

  private func open() throws -> Store {
    var configuration = Store.Configuration(path: folder.file("a.db"), schema: TestingSchema.self)
    configuration.busyTimeout = .zero
    return try Store(configuration: configuration)
  }

  func expect(_ holds: Bool, _ problem: @autoclosure () -> String) throws {
    if !holds { throw Difference(description: problem()) }
  }

  func expectRefusal(_ code: String, _ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as StoreError {
      return try expect(error.code == code, "expected \(code), thrown \(error)")
    }
    throw Difference(description: "expected \(code), nothing was thrown")
  }

  // MARK: Steps

  func perform(_ step: ProgramStep) throws {
    let store = step.store
    turn += 1
    switch step.operation {
    case .begin: try begin(store)
    case .commit: try commit(store)
    case .cancel:
      stores[store].cancelWrite()
      ended(store)
    case .refresh where !isWriting[store]:
      try stores[store].refresh()
      memories[store] = committed
    case .reopen where !isWriting[store]: try reopen(store)
    case .throwing(let body) where !isWriting[0] && !isWriting[1]:
      try throwing(body, store)
    case .query(let query) where !isRefused[store]: try ask(query, store)
    case .observe(let query) where !isWriting[store]: try observe(query, store)
    case .observeList(let pick) where !isWriting[store]: try observeList(pick, store)
    case .refresh, .reopen, .throwing, .query, .observe, .observeList:
      return
    default:
      guard isWriting[store], !isRefused[store] else { return }
      try change(step.operation, store)
    }
    try compare(store)
    if !isWriting[0] && !isWriting[1] { try compare(1 - store) }
  }

  private func begin(_ store: Int) throws {
    if isWriting[store] {
      return try expectRefusal("STR5030") { try stores[store].beginWrite() }
    }
    if isWriting[1 - store] {
      try expectRefusal("STR5007") { try stores[store].beginWrite() }
      try stores[store].refresh()
    } else {
      try stores[store].beginWrite()
      isWriting[store] = true
    }
    memories[store] = committed
  }

  private func commit(_ store: Int) throws {
    guard isWriting[store] else {
      return try expectRefusal("STR5031") { try stores[store].commitWrite() }
    }
    guard isRefused[store] else {
      committed = memories[store]
      try stores[store].commitWrite()
      return ended(store)
    }
    do {
      try stores[store].commitWrite()
    } catch {
      if stores[store].isInWriteTransaction { stores[store].cancelWrite() }
      return ended(store)
    }
    throw Difference(description: "the commit should have been refused")
  }

  private func ended(_ store: Int) {
    guard isWriting[store] else { return }
    isWriting[store] = false
    // What they showed last is not known.
    if isRefused[store] { last[store] = last[store].filter { committed.things[$0.key] != nil } }
    isRefused[store] = false
    memories[store] = committed
  }

  private func reopen(_ store: Int) throws {
    observers[store] = []
    stores[store].close()
    for (row, object) in held[store] where memories[store].things[row] != nil {
      try expect(object.isInvalidated, "#\(row) lives on in a closed store")
      try compareLast(row, object, store)
    }
    held[store] = [:]
    last[store] = [:]
    stores[store] = try open()
    memories[store] = committed
  }

  private func throwing(_ body: [ProgramOperation], _ store: Int) throws {
    memories[store] = committed
    do {
      try stores[store].write {
        isWriting[store] = true
        try compare(store)
        for operation in body where !isRefused[store] {
          try perform(ProgramStep(store: store, operation: operation))
        }
        throw Undo()
      }
    } catch is Undo {
      ended(store)
    }
    try expect(!stores[store].isInWriteTransaction, "still writing after a throwing body")
  }

  // MARK: Comparing

  /// Everything that one store shows.
  func compare(_ store: Int) throws {
    guard !isRefused[store] else { return }
    try compareObjects(Person.self, "Person", store)
    try compareObjects(Dog.self, "Dog", store)
    try compareObjects(Bag.self, "Bag", store)
    try compareObjects(Target.self, "Target", store)
    try compareObjects(Holder.self, "Holder", store)
    try compareObjects(Needed.self, "Needed", store)
    try compareObjects(Country.self, "Country", store)
    try compareObjects(Entry.self, "Entry", store)
    try compareObjects(Scalars.self, "Scalars", store)
    let memory = memories[store]
    let addresses = stores[store].objects(Address.self).count
    try expect(addresses == memory.addresses, "\(addresses) addresses, not \(memory.addresses)")
    for (row, object) in held[store] where memory.things[row] == nil {
      try expect(object.isInvalidated, "#\(row) is gone and not invalidated")
      try compareLast(row, object, store)
      if turn % 16 == 0 { held[store][row] = nil }
    }
    if !isWriting[store] { try compareObservers(store) }
  }

  private func compareObjects<Element: Object>(
    _ type: Element.Type, _ model: String, _ store: Int
  ) throws {
    let memory = memories[store]
    let objects = Array(stores[store].objects(type))
    let (found, expected) = (objects.map(\.identityForTests), memory.rows(of: model))
    try expect(found == expected, "store \(store): \(model) \(found), not \(expected)")
    for object in objects {
      let row = object.identityForTests
      let known = held[store][row]
      if known == nil { held[store][row] = object }
      guard let thing = memory.things[row] else { continue }
      // By turns what is held and what was just found; what is held is read, so that this is what it shows last.
      if let first = table.columns[model]?.first, let known { _ = first.read(known) }
      let shown = turn % 2 == 0 ? object : known ?? object
      try expect(!shown.isInvalidated, "store \(store): \(model) #\(row) is invalidated")
      for column in (table.columns[model] ?? []) + (table.keys[model] ?? []) {
        let (slot, should) = (column.read(shown), thing.slots[column.name])
        try expect(
          slot == should,
          "store \(store): \(model) #\(row).\(column.name) \(slot), not "
            + "\(should.map { "\($0)" } ?? "-")")
      }
      try compareInverses(shown, row, memory)
      last[store][row] = thing
    }
    try compareKeys(store, memory)
  }

  private func compareInverses(_ object: Object, _ row: Int64, _ memory: ProgramMemory) throws {
    func same(_ found: [Int64], _ model: String, _ name: String) throws {
      let expected = memory.holders(of: row, model, name)
      try expect(
        found.sorted() == expected, "inverse of \(name) of #\(row): \(found), not \(expected)")
    }
    if let person = object as? Person {
      try same(person.reports.map(\.identityForTests), "Person", "boss")
      try same(person.admirers.map(\.identityForTests), "Person", "friends")
    } else if let dog = object as? Dog {
      try same(dog.owners.map(\.identityForTests), "Person", "dogs")
    }
  }

  private func compareKeys(_ store: Int, _ memory: ProgramMemory) throws {
    let people = memory.rows(of: "Person")
    guard !people.isEmpty, case let row = people[turn % people.count],
      case .int(let id)? = memory.things[row]?.one("id")
    else { return }
    let found = try stores[store].object(ofType: Person.self, forPrimaryKey: id)
    try expect(found?.identityForTests == row, "the key \(id) is not found")
  }

  /// An object that is gone shows its last values, and leads nowhere.
  private func compareLast(_ row: Int64, _ object: Object, _ store: Int) throws {
    if let person = object as? Person {
      try expect(person.reports.isEmpty && person.admirers.isEmpty, "gone #\(row) has inverses")
    }
    guard let thing = last[store][row] else { return }
    for column in table.columns[thing.model] ?? [] {
      let shown = column.read(object)
      if column.isCollection {
        try expect(
          stores[store].isClosed || shown.elements.isEmpty,
          "gone #\(row).\(column.name) has elements")
      } else if column.target == nil {
        try expect(
          shown == thing.slots[column.name],
          "gone #\(row).\(column.name) \(shown), not \(thing.slots[column.name] ?? .list([]))")
      }
    }
  }
}
