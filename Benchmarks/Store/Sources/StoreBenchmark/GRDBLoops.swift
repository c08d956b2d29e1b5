import BenchmarkModels
import GRDB

/// The same with GRDB's records, on the same tables.
struct GRDBLoops {
  let queue: DatabaseQueue

  init(_ path: String) throws {
    var configuration = Configuration()
    configuration.journalMode = .wal
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = NORMAL") }
    queue = try DatabaseQueue(path: path, configuration: configuration)
  }

  struct PersonRecord: FetchableRecord, PersistableRecord {
    static let databaseTableName = "Person"

    var row: Int64
    var id: Int
    var name: String
    var age: Int
    var email: String?
    var score: Double
    var boss: Int64?

    func encode(to container: inout PersistenceContainer) {
      container["_row"] = row
      container["id"] = id
      container["name"] = name
      container["age"] = age
      container["email"] = email
      container["score"] = score
      container["boss"] = boss
    }
  }

  struct DogRecord: PersistableRecord {
    static let databaseTableName = "Dog"

    var row: Int64
    var name: String

    func encode(to container: inout PersistenceContainer) {
      container["_row"] = row
      container["name"] = name
    }
  }

  struct DogLinkRecord: PersistableRecord {
    static let databaseTableName = "Person.dogs"

    var owner: Int64
    var index: Int64
    var dog: Int64

    func encode(to container: inout PersistenceContainer) {
      container["_owner"] = owner
      container["_index"] = index
      container["value"] = dog
    }
  }

  // MARK: - Writing

  func create(_ count: Int, withDogs dogOwners: Int, transaction: Int) throws {
    var row: Int64 = 0
    for start in stride(from: 0, to: count, by: transaction) {
      try queue.write { database in
        for number in start..<min(start + transaction, count) {
          row += 1
          let owner = row
          try PersonRecord(
            row: owner, id: number, name: Sample.name(number), age: Sample.age(number),
            email: Sample.email(number), score: Sample.score(number), boss: nil
          ).insert(database)
          guard number < dogOwners else { continue }
          for index in 0..<2 {
            row += 1
            try DogRecord(row: row, name: "Dog \(index)").insert(database)
            try DogLinkRecord(owner: owner, index: Int64(index + 1) * 65_536, dog: row)
              .insert(database)
          }
        }
      }
    }
  }

  func addOneYear() throws {
    try queue.write { database in
      let people = try PersonRecord.order(Column("_row")).fetchCursor(database)
      while var person = try people.next() {
        person.age += 1
        try person.update(database, columns: ["age"])
      }
    }
  }

  // MARK: - Reading

  func readAll() throws -> Int {
    try queue.read { database in
      var sum = 0
      let people = try PersonRecord.order(Column("_row")).fetchCursor(database)
      while let person = try people.next() { sum += person.age + person.name.utf8.count }
      return sum
    }
  }

  func lookUp(_ keys: [Int]) throws -> Int {
    try queue.read { database in
      var sum = 0
      for key in keys {
        let person = try PersonRecord.filter(Column("id") == key).fetchOne(database)
        sum += person?.name.utf8.count ?? 0
      }
      return sum
    }
  }

  func count(_ people: QueryInterfaceRequest<PersonRecord>) throws -> Int {
    try queue.read { try people.fetchCount($0) }
  }

  func nameLengths(_ people: QueryInterfaceRequest<PersonRecord>) throws -> Int {
    try queue.read { database in
      var sum = 0
      let people = try people.fetchCursor(database)
      while let person = try people.next() { sum += person.name.utf8.count }
      return sum
    }
  }
}

extension GRDBLoops.PersonRecord {
  init(row: Row) {
    self.row = row["_row"]
    id = row["id"]
    name = row["name"]
    age = row["age"]
    email = row["email"]
    score = row["score"]
    boss = row["boss"]
  }
}
