import BenchmarkModels
import Strata

/// One loop of every day: with objects, and what does the same in SQL.
struct Loop: Sendable {
  let name: String
  /// Whether it runs outside of a transaction.
  let isReading: Bool
  /// Over a file with so many people, dogs and toys, and one shelf.
  let objects: @Sendable (Store, Things) throws -> Void
  /// Nil where SQL has nothing to say.
  let sql: (@Sendable (PlainSQL, Int) -> Void)?
  /// Whether it shows what Swift alone takes, and has no aim.
  let isComparison: Bool

  init(
    name: String, isReading: Bool = false, isComparison: Bool = false,
    objects: @escaping @Sendable (Store, Things) throws -> Void,
    sql: (@Sendable (PlainSQL, Int) -> Void)? = nil
  ) {
    self.name = name
    self.isReading = isReading
    self.isComparison = isComparison
    self.objects = objects
    self.sql = sql
  }
}

/// What a loop begins with.
struct Things {
  let people: [Person]
  let dogs: [Dog]
  let shelf: Shelf
  var count: Int { people.count }
}

enum Loops {
  static let nextKey = """
    INSERT INTO "Shelf.dogs" (_owner, _index, value) \
    SELECT 1, coalesce(max(_index), 0) + 65536, ?1 FROM "Shelf.dogs" WHERE _owner = 1
    """
  private static let insertLink =
    "INSERT INTO \"Shelf.dogs\" (_owner, _index, value) VALUES (1, ?1, ?2)"

  /// The identity of a dog by its number, as the file is made: the shelf, the people, the dogs.
  static func dog(_ number: Int, of count: Int) -> PlainSQL.Argument {
    .integer(2 + count + number)
  }

  static func appendAll(_ database: PlainSQL, _ count: Int) {
    for number in 0..<count {
      database.run(insertLink, .integer((number + 1) * 65_536), dog(number, of: count))
    }
  }

  static let all: [Loop] = lists + results + collections + whole

  private static let lists: [Loop] = [
    Loop(name: "list.append, beside another change") { _, things in
      for dog in things.dogs {
        things.shelf.number += 1
        things.shelf.dogs.append(dog)
      }
    } sql: { database, count in
      for number in 0..<count {
        database.run("UPDATE Shelf SET number = number + 1 WHERE _row = 1")
        database.run(nextKey, dog(number, of: count))
      }
    },
    Loop(name: "list.insert(at: 0)") { _, things in
      for dog in things.dogs { things.shelf.dogs.insert(dog, at: 0) }
    } sql: { database, count in
      for number in 0..<count {
        database.run(insertLink, .integer(-number), dog(number, of: count))
      }
    },
    Loop(name: "list.insert(at: 1)") { _, things in
      for dog in things.dogs { things.shelf.dogs.insert(dog, at: min(1, things.shelf.dogs.count)) }
    } sql: { database, count in
      for number in 0..<count {
        database.run(insertLink, .integer(-number), dog(number, of: count))
      }
    },
    Loop(name: "list.insert(at: count / 2)") { _, things in
      for dog in things.dogs { things.shelf.dogs.insert(dog, at: things.shelf.dogs.count / 2) }
    } sql: { database, count in
      for number in 0..<count {
        database.run(insertLink, .integer(-number), dog(number, of: count))
      }
    },
    Loop(name: "list.move(last to 0)") { _, things in
      things.shelf.dogs.append(contentsOf: things.dogs)
      for _ in things.dogs { things.shelf.dogs.move(from: things.count - 1, to: 0) }
    } sql: { database, count in
      appendAll(database, count)
      for number in 0..<count {
        database.run(
          "UPDATE \"Shelf.dogs\" SET _index = ?1 WHERE _owner = 1 AND _index = ?2",
          .integer(-number), .integer((count - number) * 65_536))
      }
    },
    Loop(name: "list.remove(at: 0)") { _, things in
      things.shelf.dogs.append(contentsOf: things.dogs)
      while !things.shelf.dogs.isEmpty { things.shelf.dogs.remove(at: 0) }
    } sql: { database, count in
      appendAll(database, count)
      for number in 0..<count {
        database.run(
          "DELETE FROM \"Shelf.dogs\" WHERE _owner = 1 AND _index = ?1",
          .integer((number + 1) * 65_536))
      }
    },
    Loop(name: "list.remove(at: count / 2)") { _, things in
      things.shelf.dogs.append(contentsOf: things.dogs)
      while !things.shelf.dogs.isEmpty { things.shelf.dogs.remove(at: things.shelf.dogs.count / 2) }
    } sql: { database, count in
      appendAll(database, count)
      for number in 0..<count {
        database.run(
          "DELETE FROM \"Shelf.dogs\" WHERE _owner = 1 AND _index = ?1",
          .integer((number + 1) * 65_536))
      }
    },
    Loop(name: "while let d = list.first { delete(d) }") { store, things in
      things.shelf.dogs.append(contentsOf: things.dogs)
      while let dog = things.shelf.dogs.first { try store.delete(dog) }
    } sql: { database, count in
      appendAll(database, count)
      for number in 0..<count {
        database.run("DELETE FROM Dog WHERE _row = ?1", dog(number, of: count))
      }
    },
    Loop(name: "list.contains") { _, things in
      things.shelf.dogs.append(contentsOf: things.dogs)
      for dog in things.dogs { precondition(things.shelf.dogs.contains(dog)) }
    } sql: { database, count in
      appendAll(database, count)
      for number in 0..<count {
        database.run(
          "SELECT 1 FROM \"Shelf.dogs\" WHERE value = ?1 AND _owner = 1", dog(number, of: count))
      }
    },
  ]

  private static let updateAge = "UPDATE Person SET age = ?1 WHERE _row = ?2"
  private static let updateScore = "UPDATE Person SET score = ?1 WHERE _row = ?2"
  private static let updateBoss = "UPDATE Person SET boss = ?1 WHERE _row = ?2"
  private static let selectAge = "SELECT age FROM Person WHERE _row = ?1"

  private static func addYears(_ database: PlainSQL, _ count: Int) {
    for number in 0..<count {
      let row = PlainSQL.Argument.integer(2 + number)
      let age = database.run(selectAge, row) ?? 0
      database.run(updateAge, .integer(age + 1), row)
    }
  }

  private static let results: [Loop] = [
    Loop(name: "for i in 0..<n { r[i].age += 1 }") { store, things in
      let all = store.objects(Person.self)
      for index in 0..<things.count { all[index].age += 1 }
    } sql: {
      addYears($0, $1)
    },
    Loop(name: "the same, sorted without an index") { store, things in
      let sorted = store.objects(Person.self).sorted(by: \.name)
      for index in 0..<things.count { sorted[index].age += 1 }
    } sql: {
      addYears($0, $1)
    },
    Loop(name: "for p in r { p.age += 1 }") { store, _ in
      for person in store.objects(Person.self) { person.age += 1 }
    } sql: { database, _ in
      database.read("SELECT _row, age FROM Person ORDER BY _row") { row in
        database.run(updateAge, .integer(row.integer(1) + 1), .integer(row.integer(0)))
      }
    },
    Loop(name: "for p in filtered { p.score += 1 }") { store, _ in
      for person in try store.objects(Person.self).filter("score >= 0") { person.score += 1 }
    } sql: { database, _ in
      database.read("SELECT _row, score FROM Person WHERE score >= 0 ORDER BY _row") { row in
        database.run(updateScore, .real(row.real(1) + 1), .integer(row.integer(0)))
      }
    },
    Loop(name: "while let p = open.first { p.score = 1 }") { store, _ in
      let open = try store.objects(Person.self).filter("score == 0")
      while let first = open.first { first.score = 1 }
    } sql: { database, _ in
      // Not from the beginning each time, which would be quadratic.
      var last = 0
      while let row = database.run(
        "SELECT _row FROM Person WHERE score = 0 AND _row > ?1 ORDER BY _row LIMIT 1",
        .integer(last))
      {
        database.run(updateScore, .real(1), .integer(row))
        last = row
      }
    },
    Loop(name: "store.update(where: age >= 30)") { store, _ in
      for _ in 0..<10 {
        try store.update(
          Person.self, set: ["score": UpdateExpression("score + 1")], where: "age >= 30")
      }
    } sql: { database, _ in
      for _ in 0..<10 { database.run("UPDATE Person SET score = score + 1 WHERE age >= 30") }
    },
    Loop(name: "r.indices.reversed(), delete each") { store, things in
      let all = store.objects(Person.self)
      for index in all.indices.reversed() { try store.delete(all[index]) }
    } sql: { database, count in
      for number in 0..<count {
        database.run("DELETE FROM Person WHERE _row = ?1", .integer(1 + count - number))
      }
    },
    Loop(name: "r.contains") { store, things in
      let all = try store.objects(Person.self).filter("score >= 0")
      for person in things.people { precondition(all.contains(person)) }
    } sql: { database, count in
      for number in 0..<count {
        database.run("SELECT 1 FROM Person WHERE _row = ?1 AND score >= 0", .integer(2 + number))
      }
    },
    Loop(name: "p.boss = boss, boss.reports.contains(p)") { _, things in
      for person in things.people {
        person.boss = things.people[0]
        precondition(things.people[0].reports.contains(person))
      }
    } sql: { database, count in
      for number in 0..<count {
        database.run(updateBoss, .integer(2), .integer(2 + number))
        database.run("SELECT 1 FROM Person WHERE boss = 2 AND _row = ?1", .integer(2 + number))
      }
    },
    Loop(name: "p.boss = boss, boss.reports.first, .isEmpty") { _, things in
      let boss = things.people[0]
      for person in things.people {
        person.boss = boss
        precondition(boss.reports.first != nil && !boss.reports.isEmpty)
      }
    } sql: { database, count in
      for number in 0..<count {
        database.run(updateBoss, .integer(2), .integer(2 + number))
        database.run("SELECT _row FROM Person WHERE boss = 2 ORDER BY _row LIMIT 1")
        database.run("SELECT 1 FROM Person WHERE boss = 2 LIMIT 1")
      }
    },
  ]

  private static let selectPerson =
    "SELECT _row, age, email, id, name, score, boss FROM Person WHERE _row = ?1"

  private static let selectJSON = """
    SELECT json_object('age', age, 'boss', boss, 'dogs', \
    (SELECT json_group_array(json_object('name', d.name)) FROM "Person.dogs" l \
    JOIN Dog d ON d._row = l.value WHERE l._owner = p._row), \
    'email', email, 'id', id, 'name', name, 'score', score) FROM Person p WHERE _row = ?1
    """

  /// All of each person: its columns and its list.
  private static func readAll(_ database: PlainSQL, _ count: Int) {
    for number in 0..<count {
      let row = PlainSQL.Argument.integer(2 + number)
      database.read(selectPerson, row) { row in
        for column in [1, 3, 6] { _ = row.integer(column) }
        for column in [2, 4] { _ = row.text(column) }
        _ = row.real(5)
      }
      database.read("SELECT value FROM \"Person.dogs\" WHERE _owner = ?1 ORDER BY _index", row) {
        _ = $0.integer(0)
      }
    }
  }

  private static func json(_ id: Int) -> String {
    #"{"id":\#(id),"name":"Ada","age":36,"score":1.5,"dogs":[{"name":"Rex"}]}"#
  }

  private static func insertDog(_ database: PlainSQL, _ owner: Int) {
    database.run(
      "INSERT INTO Dog (_row, name) VALUES (?1, ?2)", .integer(owner + 1), .text("Rex"))
    database.run(
      "INSERT INTO \"Person.dogs\" (_owner, _index, value) VALUES (?1, 65536, ?2)",
      .integer(owner), .integer(owner + 1))
  }

  private static let whole: [Loop] = [
    Loop(name: "delete(dog), its toy goes with it") { store, things in
      for dog in things.dogs { try store.delete(dog) }
    } sql: { database, count in
      for number in 0..<count {
        database.run("DELETE FROM Dog WHERE _row = ?1", dog(number, of: count))
      }
    },
    Loop(name: "delete(p), links to it become nil") { store, things in
      for (person, boss) in zip(things.people, things.people.dropFirst()) { person.boss = boss }
      for person in things.people.reversed() { try store.delete(person) }
    } sql: { database, count in
      for number in 0..<count - 1 {
        database.run(updateBoss, .integer(3 + number), .integer(2 + number))
      }
      for number in (0..<count).reversed() {
        database.run("DELETE FROM Person WHERE _row = ?1", .integer(2 + number))
      }
    },
    Loop(name: "create of nested dictionaries") { store, things in
      for number in 0..<things.count {
        try store.create(
          Person.self,
          value: [
            "id": things.count + number, "name": "Ada", "age": 36, "score": 1.5,
            "dogs": [["name": "Rex"]],
          ])
      }
    } sql: { database, count in
      for number in 0..<count {
        let row = 10 * count + 2 * number
        database.run(
          "INSERT INTO Person (_row, id, name, age, score) VALUES (?1, ?2, ?3, ?4, ?5)",
          .integer(row), .integer(count + number), .text("Ada"), .integer(36), .real(1.5))
        insertDog(database, row)
      }
    },
    Loop(name: "create of JSON") { store, things in
      for number in 0..<things.count {
        try store.create(Person.self, json: json(things.count + number))
      }
    } sql: { database, count in
      for number in 0..<count {
        let row = 10 * count + 2 * number
        let text = PlainSQL.Argument.text(json(count + number))
        database.run(
          """
          INSERT INTO Person (_row, id, name, age, score) VALUES \
          (?1, ?2 ->> '$.id', ?2 ->> '$.name', ?2 ->> '$.age', ?2 ->> '$.score')
          """, .integer(row), text)
        database.run(
          "INSERT INTO Dog (_row, name) SELECT ?1 + 1 + key, value ->> '$.name' FROM json_each(?2, '$.dogs')",
          .integer(row), text)
        database.run(
          """
          INSERT INTO "Person.dogs" (_owner, _index, value) \
          SELECT ?1, (key + 1) * 65536, ?1 + 1 + key FROM json_each(?2, '$.dogs')
          """, .integer(row), text)
      }
    },
    Loop(name: "p.json()") { _, things in
      for person in things.people { precondition(!person.json().isEmpty) }
    } sql: { database, count in
      for number in 0..<count {
        database.read(selectJSON, .integer(2 + number)) { precondition($0.text(0) != nil) }
      }
    },
    Loop(name: "p.detached()") { _, things in
      for person in things.people { precondition(person.detached().id == person.id) }
    } sql: {
      readAll($0, $1)
    },
    Loop(name: "p.freeze().name", isReading: true) { _, things in
      for person in things.people { precondition(!person.freeze().name.isEmpty) }
    } sql: { database, count in
      for number in 0..<count {
        database.read(selectPerson, .integer(2 + number)) { _ = $0.text(4) }
      }
    },
    Loop(name: "results.freeze(), walked over", isReading: true) { store, _ in
      for person in store.objects(Person.self).freeze() { precondition(!person.name.isEmpty) }
    } sql: { database, _ in
      database.read("SELECT _row, age, email, id, name, score, boss FROM Person ORDER BY _row") {
        _ = $0.text(4)
      }
    },
  ]
}

/// What a copy of a person is without a store.
final class PlainPerson {
  let (id, age, score): (Int, Int, Double)
  let (name, note): (String, String)

  init(_ number: Int) {
    (id, age, score) = (number, number % 90, 0)
    name = "person \(number)"
    note = "a text of its own, number \(number)"
  }
}
