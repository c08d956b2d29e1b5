import BenchmarkModels
import Strata

/// The same with objects.
struct StoreLoops {
  let store: Store

  init(_ path: String) throws { store = try Store(path: path, schema: BenchSchema.self) }

  func create(_ count: Int, withDogs dogOwners: Int, transaction: Int) throws {
    for start in stride(from: 0, to: count, by: transaction) {
      try store.write {
        for number in start..<min(start + transaction, count) {
          let person = Person(
            id: number, name: Sample.name(number), age: Sample.age(number),
            email: Sample.email(number), score: Sample.score(number))
          if number < dogOwners {
            for index in 0..<2 { person.dogs.append(Dog(name: "Dog \(index)")) }
          }
          try store.add(person)
        }
      }
    }
  }

  func addOneYear() throws {
    try store.write { for person in store.objects(Person.self) { person.age += 1 } }
  }

  func readAll() -> Int {
    var sum = 0
    for person in store.objects(Person.self) {
      sum += person.age
      sum += person.name.utf8.count
    }
    return sum
  }

  /// Reads so many objects of all, one after the other.
  func read(first count: Int) -> Int {
    var (sum, seen) = (0, 0)
    for person in store.objects(Person.self) {
      if seen == count { break }
      seen += 1
      sum += person.age + person.name.utf8.count
    }
    return sum
  }

  func lookUp(_ keys: [Int]) throws -> Int {
    var sum = 0
    for key in keys {
      sum += try store.object(ofType: Person.self, forPrimaryKey: key)?.name.utf8.count ?? 0
    }
    return sum
  }

  func nameLengths(_ people: Results<Person>) -> Int {
    var sum = 0
    for person in people { sum += person.name.utf8.count }
    return sum
  }
}
