import Foundation
import Strata
import StrataTestModels

/// The changes of a program, done by a store and by the model.
extension ProgramRun {
  private typealias Write = ProgramOperation.Write

  private func pick(_ model: String, _ number: Int, _ store: Int) -> (Int64, Object)? {
    let rows = memories[store].rows(of: model).filter { held[store][$0] != nil }
    guard !rows.isEmpty, case let row = rows[number % rows.count] else { return nil }
    return held[store][row].map { (row, $0) }
  }

  func change(_ operation: ProgramOperation, _ store: Int) throws {
    switch operation {
    case .add(let model, let writes, let policy): try add(model, writes, policy, store)
    case .create(let number, let writes, let policy): try create(number, writes, policy, store)
    case .detached(let number, let writes, let policy): try detached(number, writes, policy, store)
    case .write(let model, let number, let write):
      guard let (row, object) = pick(model, number, store) else { return }
      try self.write(write, object, row, store)
    case .key(let number, let key):
      guard let (row, object) = pick("Person", number, store) else { return }
      let value = Seen.int(50 + key)
      isRefused[store] = memories[store].other(than: row, "Person", with: "id", value) != nil
      (object as? Person)?.id = 50 + key
      memories[store].things[row]?.slots["id"] = .one(value)
    case .street(let number, let value):
      guard let (row, object) = pick("Person", number, store) else { return }
      (object as? Person)?.home?.street = "S\(value)"
      guard case .address(_, let country)? = memories[store].things[row]?.one("home") else {
        return
      }
      memories[store].things[row]?.slots["home"] = .one(.address(Array("S\(value)".utf8), country))
    case .delete(let model, let number):
      guard let (row, object) = pick(model, number, store) else { return }
      try stores[store].delete(object)
      delete([row], store)
      if !isRefused[store] {
        try expectRefusal("STR5041") { try stores[store].delete(object) }
      }
    case .deleteSeveral(let query, let inDatabase): try delete(query, inDatabase, store)
    case .deleteAll(let model): try deleteAll(model, store)
    case .update(let query, let value): try update(query, value, store)
    case .query(let query): try ask(query, store)
    case .walk(let query, let place, let operation): try walk(query, place, operation, store)
    case .foreign(let kind): try meetForeigners(kind, store)
    case .duplicate(let number):
      guard let (row, _) = pick("Person", number, store),
        case .int(let id)? = memories[store].things[row]?.one("id")
      else { return }
      let twin = Person(id: id, name: "twin", dogs: [Dog(name: "lost")])
      try expectRefusal("STR5042") { try stores[store].add(twin) }
    default: return
    }
  }

  private func delete(_ rows: Set<Int64>, _ store: Int) {
    if memories[store].delete(rows) != nil { isRefused[store] = true }
  }

  // MARK: New objects

  /// A new object, and what it is before anything is written to it.
  private func make(_ model: String, _ number: Int) -> (Object, Thing)? {
    let name = "n\(number % 3)"
    var slots: [String: Slot] = ["name": .one(.text(name))]
    let object: Object
    func set(_ value: Seen, _ names: String...) { for name in names { slots[name] = .one(value) } }
    switch model {
    case "Person":
      nextKey += 1
      object = Person(id: nextKey, name: name)
      set(.int(nextKey), "id")
      set(.int(0), "age")
      set(.double(0), "score")
      set(.text("calm"), "mood")
      set(.null, "email", "born", "rank", "boss", "thing", "home")
      for list in ["dogs", "offices", "notes"] { slots[list] = .list([]) }
      for list in ["tags", "friends"] { slots[list] = .set([]) }
      for list in ["scores", "pets"] { slots[list] = .map([:]) }
    case "Dog":
      object = Dog(name: name)
      set(.text("brown"), "color")
      set(.int(0), "age")
    case "Bag":
      object = Bag(name: name)
      set(.null, "one")
      (slots["list"], slots["set"], slots["map"]) = (.list([]), .set([]), .map([:]))
    case "Target":
      object = Target(name: name)
      set(.null, "next")
    case "Needed": object = Needed(name: name)
    case "Country":
      nextKey += 1
      object = Country(code: "c\(nextKey % 100 - 1)", name: name)
      set(.text("c\(nextKey % 100 - 1)"), "code")
    case "Scalars":
      let scalars = Scalars(data: Data(), date: Date(timeIntervalSinceReferenceDate: 0))
      object = scalars
      slots = [:]
      for column in table.columns[model] ?? [] { set(.null, column.name) }
      set(.bool(false), "bool")
      set(.int(0), "int", "int8", "int16", "int32", "int64")
      set(.float(0), "float")
      set(.double(0), "double")
      set(.text(""), "string")
      set(.data([]), "data")
      set(.date(0), "date")
      set(.decimal("0"), "decimal")
      set(.name(scalars.uuid.uuidString), "uuid")
      set(.name("\(scalars.objectId)"), "objectId")
    default: return nil
    }
    return (object, Thing(model: model, slots: slots))
  }

  /// The object was added: its number is a new one.
  private func register(_ object: Object, _ thing: Thing, _ store: Int) throws {
    let row = object.identityForTests
    try expect(object.store === stores[store], "an added \(thing.model) belongs to no store")
    try expect(used.insert(row).inserted, "the number \(row) is used again")
    memories[store].things[row] = thing
    held[store][row] = object
  }

  private func add(
    _ model: String, _ writes: [Write], _ policy: Int, _ store: Int
  ) throws {
    if model == "Entry" { return try addEntry(writes.first?.value ?? 0, policy, store) }
    var fresh: [(Object, Thing)] = []
    let number = writes.first?.value ?? 0
    var made: (Object, Thing)
    if model == "Holder" {
      guard let (object, thing) = make("Needed", number), let needed = object as? Needed else {
        return
      }
      let holder = Holder(name: "h", needed: needed)
      fresh.append((needed, thing))
      var slots: [String: Slot] = ["name": .one(.text("h")), "pack": .list([]), "list": .list([])]
      for name in ["nullified", "cascading", "denied"] { slots[name] = .one(.null) }
      made = (holder, Thing(model: model, slots: slots))
    } else {
      guard let object = make(model, number) else { return }
      made = object
    }
    var existing: Int64?
    if let person = made.0 as? Person, policy > 0, number % 2 == 0,
      let (row, _) = pick("Person", number, store),
      case .int(let id)? = memories[store].things[row]?.one("id")
    {
      person.id = id
      made.1.slots["id"] = .one(.int(id))
      existing = row
    }
    var done: [(Column, Given, Write)] = []
    for write in writes {
      guard let (column, given, new) = given(write, model, store),
        column.name != "needed"
      else { continue }
      column.change(made.0, write.change, given, write.key)
      if let new { fresh.append(new) }
      done.append((column, given, write))
    }
    let email =
      made.0 is Person ? Seen((made.0 as? Person)?.email.map { .string($0) } ?? .null) : .null
    let update: UpdatePolicy = [.error, .all, .modified][policy % 3]
    if memories[store].other(than: existing, "Person", with: "email", email) != nil {
      return try expectRefusal("STR5043") { try stores[store].add(made.0, update: update) }
    }
    try stores[store].add(made.0, update: update)
    for (object, thing) in fresh where object.store != nil { try register(object, thing, store) }
    if let holder = made.0 as? Holder {
      made.1.slots["needed"] = .one(.link(holder.needed.identityForTests))
    }
    for (column, given, write) in done {
      made.1.slots[column.name]?.apply(write.change, column.seen(given), key: write.key)
    }
    guard let existing else { return try register(made.0, made.1, store) }
    try expect(made.0.identityForTests == existing, "the added object is no view of #\(existing)")
    memories[store].things[existing] = made.1
  }

  private func addEntry(_ value: Int, _ policy: Int, _ store: Int) throws {
    let number = [nil, 1, 2][value % 3]
    let entry = Entry(account: "a", number: number, text: "t\(value)")
    let key: Seen = number.map { .int($0) } ?? .null
    let thing = Thing(
      model: "Entry",
      slots: ["account": .one(.text("a")), "number": .one(key), "text": .one(.text("t\(value)"))])
    let existing = memories[store].rows(of: "Entry").first {
      memories[store].things[$0]?.one("number") == key
    }
    let update: UpdatePolicy = [.error, .all, .modified][policy % 3]
    guard let existing else {
      try stores[store].add(entry, update: update)
      return try register(entry, thing, store)
    }
    if policy % 3 == 0 {
      return try expectRefusal("STR5042") { try stores[store].add(entry, update: update) }
    }
    try stores[store].add(entry, update: update)
    memories[store].things[existing] = thing
  }

  /// What a write of a program means now: nil where there is nothing to write.
  private func given(
    _ write: Write, _ model: String, _ store: Int
  ) -> (Column, Given, new: (Object, Thing)?)? {
    guard let columns = table.columns[model], !columns.isEmpty else { return nil }
    let column = columns[write.property % columns.count]
    var given = Given(index: write.value)
    guard var target = column.target else { return (column, given, nil) }
    if target == "*" {
      if write.object % 2 == 0 { return (column, given, nil) }
      target = ["Dog", "Person", "Target"][write.object % 3]
    }
    let comes =
      switch write.change {
      case .append, .insert: true
      default: !column.isCollection
      }
    let isAddress = column.name == "home" || column.name == "offices"
    if isAddress && write.object % 2 == 0 { return (column, given, nil) }
    if column.name == "home" && write.value % 4 == 3 { return (column, given, nil) }
    if write.isNew, comes, !isAddress, let new = make(target, write.value) {
      given.object = new.0
      return (column, given, new)
    }
    given.object = pick(target, write.object, store)?.1
    if !column.isCollection, !column.isRequired, write.value % 5 == 0 { given.object = nil }
    let needsObject = !isAddress && column.target != "*" && column.isRequired
    return needsObject && given.object == nil ? nil : (column, given, nil)
  }

  private func write(_ write: Write, _ object: Object, _ row: Int64, _ store: Int) throws {
    guard let model = memories[store].things[row]?.model,
      let (column, given, new) = given(write, model, store)
    else { return }
    column.change(object, write.change, given, write.key)
    if let new, new.0.store != nil { try register(new.0, new.1, store) }
    let value = column.seen(given)
    if column.name == "email", memories[store].other(than: row, model, with: "email", value) != nil
    {
      isRefused[store] = true
    }
    memories[store].things[row]?.slots[column.name]?.apply(write.change, value, key: write.key)
  }

  // MARK: Updates by key

  private func create(_ number: Int, _ writes: [Write], _ policy: Int, _ store: Int) throws {
    guard let (row, _) = pick("Person", number, store),
      case .int(let id)? = memories[store].things[row]?.one("id")
    else { return }
    var value: [String: Any] = ["id": id]
    var slots: [String: Slot] = [:]
    for write in writes {
      switch write.property % 6 {
      case 0:
        value["age"] = write.value
        slots["age"] = .one(.int(write.value))
      case 1:
        value["name"] = "d\(write.value)"
        slots["name"] = .one(.text("d\(write.value)"))
      case 2:
        value["notes"] = ["a", NSNull()]
        slots["notes"] = .list([.text("a"), .null])
      case 3:
        value["tags"] = ["t", "t\(write.value % 2)"]
        slots["tags"] = .set([.text("t"), .text("t\(write.value % 2)")])
      case 4:
        value["rank"] = NSNull()
        value["mood"] = "angry"
        slots["rank"] = .one(.null)
        slots["mood"] = .one(.text("angry"))
      default:
        value["scores"] = ["k": 1.5]
        slots["scores"] = .map(["k": .double(1.5.bitPattern)])
      }
    }
    let found = try stores[store].create(
      Person.self, value: value, update: policy == 0 ? .all : .modified)
    try expect(found.identityForTests == row, "create made another object of the key \(id)")
    for (name, slot) in slots { memories[store].things[row]?.slots[name] = slot }
  }

  private func detached(_ number: Int, _ writes: [Write], _ policy: Int, _ store: Int) throws {
    guard let (row, object) = pick("Person", number, store), var thing = memories[store].things[row]
    else { return }
    let copy = object.detached(depth: 0)
    try expect(copy.store == nil, "a detached copy belongs to a store")
    var (fresh, done): ([(Object, Thing)], [(Column, Given, Write)]) = ([], [])
    for write in writes {
      guard let (column, given, new) = given(write, "Person", store), column.name != "email" else {
        continue
      }
      column.change(copy, write.change, given, write.key)
      if let new { fresh.append(new) }
      done.append((column, given, write))
    }
    try stores[store].add(copy, update: policy == 0 ? .all : .modified)
    for (object, thing) in fresh where object.store != nil { try register(object, thing, store) }
    for (column, given, write) in done {
      thing.slots[column.name]?.apply(write.change, column.seen(given), key: write.key)
    }
    try expect(copy.identityForTests == row, "the saved copy is no view of #\(row)")
    memories[store].things[row] = thing
  }

  // MARK: Others

  private func meetForeigners(_ kind: Int, _ store: Int) throws {
    let (dog, boss) = (foreignDog, foreignPerson)
    switch kind {
    case 0: try expectRefusal("STR5040") { try stores[store].add(dog) }
    case 1: try expectRefusal("STR5040") { try stores[store].delete(dog) }
    case 2:
      try expectRefusal("STR5040") {
        try stores[store].add(Person(id: 1, name: "x", boss: boss, dogs: [Dog(name: "lost"), dog]))
      }
    default:
      guard let (_, object) = pick("Person", kind, store), let person = object as? Person else {
        return
      }
      if kind == 3 { person.boss = boss } else { person.dogs.append(dog) }
      isRefused[store] = true
    }
  }
}
