import BenchmarkModels
import Strata

/// Loops over lists, sets and maps as a whole, and over those of several owners.
extension Loops {
  static let collections: [Loop] = [
    Loop(name: "set.insert and contains") { _, things in
      for person in things.people {
        things.shelf.tags.insert(person.name)
        precondition(things.shelf.tags.contains(person.name))
      }
    } sql: { database, count in
      for number in 0..<count {
        database.run(
          "INSERT OR IGNORE INTO \"Shelf.tags\" (_owner, value) VALUES (1, ?1)",
          .text("person \(number)"))
        database.run(
          "SELECT 1 FROM \"Shelf.tags\" WHERE _owner = 1 AND value = ?1", .text("person \(number)"))
      }
    },
    Loop(name: "map[key] = value, beside another change") { _, things in
      for (number, person) in things.people.enumerated() {
        things.shelf.scores[person.name] = Double(number)
        things.shelf.number += 1
      }
    } sql: { database, count in
      for number in 0..<count {
        database.run(
          "INSERT INTO \"Shelf.scores\" (_owner, _index, value) VALUES (1, ?1, ?2)",
          .text("person \(number)"), .real(Double(number)))
        database.run("UPDATE Shelf SET number = number + 1 WHERE _row = 1")
      }
    },
    Loop(name: "set and map of no store") { _, things in
      let shelf = Shelf()
      for (number, person) in things.people.enumerated() {
        shelf.tags.insert(person.name)
        shelf.scores["\(number)"] = 1
      }
    },
    Loop(name: "Swift's own Set and Dictionary", isReading: true, isComparison: true) { _, things in
      var (tags, scores) = (Set<String>(), [String: Double]())
      for number in 0..<things.count {
        tags.insert("person \(number)")
        scores["\(number)"] = 1
      }
      precondition(tags.count == scores.count)
    },
    Loop(name: "objects of a Swift class, with two texts", isReading: true, isComparison: true) {
      _, things in
      var copies: [PlainPerson] = []
      for number in 0..<things.count { copies.append(PlainPerson(number)) }
      precondition(copies.count == things.count)
    },
    Loop(name: "find(owner).list.append, 20 owners in turn") { store, things in
      for (number, dog) in things.dogs.enumerated() {
        try store.object(ofType: Person.self, forPrimaryKey: number % 20)?.dogs.append(dog)
      }
    } sql: { database, count in
      for number in 0..<count {
        let owner =
          database.run("SELECT _row FROM Person WHERE id = ?1", .integer(number % 20)) ?? 0
        database.run(
          """
          INSERT INTO "Person.dogs" (_owner, _index, value) \
          SELECT ?1, coalesce(max(_index), 0) + 65536, ?2 FROM "Person.dogs" WHERE _owner = ?1
          """, .integer(owner), dog(number, of: count))
      }
    },
    Loop(name: "while let d = list.where { … }.first, held") { _, things in
      things.shelf.dogs.append(contentsOf: things.dogs)
      let open = things.shelf.dogs.where { $0.name != "" }
      while let dog = open.first { dog.name = "" }
    } sql: { database, count in
      appendAll(database, count)
      // Not from the beginning each time, which would be quadratic.
      var last = 0
      while let index = database.run(
        """
        SELECT _index FROM "Shelf.dogs" l JOIN Dog d ON d._row = l.value \
        WHERE l._owner = 1 AND l._index > ?1 AND d.name != '' ORDER BY l._index LIMIT 1
        """, .integer(last))
      {
        database.run(
          "UPDATE Dog SET name = '' WHERE _row = (SELECT value FROM \"Shelf.dogs\" WHERE _owner = 1 AND _index = ?1)",
          .integer(index))
        last = index
      }
    },
    Loop(name: "while let d = list.where { … }.first { delete(d) }") { store, things in
      things.shelf.dogs.append(contentsOf: things.dogs)
      while let dog = things.shelf.dogs.where({ $0.name != "" }).first { try store.delete(dog) }
    } sql: { database, count in
      appendAll(database, count)
      while let dog = database.run(
        """
        SELECT d._row FROM "Shelf.dogs" l JOIN Dog d ON d._row = l.value \
        WHERE l._owner = 1 AND d.name != '' ORDER BY l._index LIMIT 1
        """)
      {
        database.run("DELETE FROM Dog WHERE _row = ?1", .integer(dog))
      }
    },
  ]
}
