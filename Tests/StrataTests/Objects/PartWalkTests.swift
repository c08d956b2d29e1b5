import Strata
import StrataTestModels
import Testing

/// A walk over a part of a live collection goes over the elements that the part had when it began.
@Suite struct PartWalkTests {
  let test: TestStore
  var store: Store { test.store }

  init() throws {
    test = try TestStore()
    try store.write { for age in 0..<10 { try store.add(Dog(name: "\(age)", age: age)) } }
  }

  private var young: Results<Dog> { store.objects(Dog.self).where { $0.age < 100 } }

  /// Gives each object of a part an age with which it leaves the result.
  private func leaving(_ part: some Sequence<Dog>) throws -> [String] {
    try store.write {
      part.map { dog in
        dog.age += 100
        return dog.name
      }
    }
  }

  @Test func ofAResult() throws {
    #expect(try leaving(young.prefix(4)) == ["0", "1", "2", "3"])
    #expect(try leaving(young.dropFirst(2).prefix(2)) == ["6", "7"])
    #expect(try leaving(young.suffix(2)) == ["8", "9"])
    #expect(try leaving(young[0..<2]) == ["4", "5"])
    #expect(young.isEmpty && young.prefix(3).isEmpty)
    #expect(Array(young.prefix(3)).isEmpty)
  }

  @Test func ofAllOfAResultInALoop() throws {
    var names: [String] = []
    try store.write {
      for dog in young.prefix(10) {
        dog.age += 100
        names.append(dog.name)
      }
    }
    #expect(names == (0..<10).map(String.init))
  }

  @Test func whatIsDeletedMeanwhileIsPassedOver() throws {
    var names: [String] = []
    try store.write {
      for dog in young.prefix(6) {
        names.append(dog.name)
        try store.delete(Dog.self) { $0.age == dog.age + 1 }
      }
    }
    #expect(names == ["0", "2", "4"])
  }

  @Test func ofCollectionsOfAnObject() throws {
    let person = Person(
      id: 1, name: "Ada", dogs: Array(young), tags: ["a", "b", "c"], scores: ["x": 1, "y": 2])
    try store.write { try store.add(person) }
    try store.write {
      var met: [String] = []
      for dog in person.dogs.dropFirst(6) {
        person.dogs.removeFirst()
        met.append(dog.name)
      }
      #expect(met == ["6", "7", "8", "9"])
      let (tags, scores) = (Array(person.tags.prefix(2)), person.scores.prefix(2).map(\.key))
      var walked: [String] = []
      for tag in person.tags.prefix(2) {
        person.tags.remove(tag)
        walked.append(tag)
      }
      for (key, _) in person.scores.prefix(2) {
        person.scores.removeValue(forKey: key)
        walked.append(key)
      }
      #expect(walked == tags + scores)
    }
    let owners = young[4].owners.prefix(1)
    #expect(owners.map(\.name) == ["Ada"])
  }

  @Test func ofASection() throws {
    try store.write { for dog in young { dog.color = dog.age < 6 ? "red" : "tan" } }
    let sections = young.sectioned(by: \.color)
    var names: [String] = []
    try store.write {
      for dog in sections[0] {
        dog.color = "tan"
        names.append(dog.name)
      }
      for dog in sections[0].prefix(2) {
        dog.color = "black"
        names.append(dog.name)
      }
    }
    #expect(names == ["0", "1", "2", "3", "4", "5", "0", "1"])
  }

  @Test func mappingASectionMeetsEachOnce() throws {
    try store.write { for dog in young { dog.color = dog.age < 6 ? "red" : "tan" } }
    let sections = young.sectioned(by: \.color)
    let names = try store.write {
      sections[0].map { dog in
        dog.color = "tan"
        return dog.name
      }
    }
    #expect(names == ["0", "1", "2", "3", "4", "5"])
  }

  /// The library reserves room for as many elements as there are positions, and stops the program where fewer come.
  @Test func ofAClosedStoreNothingIsMet() throws {
    let part = young.prefix(5)
    let section = young.sectioned(by: \.color)[0]
    let inverse: LinkingObjects<Person> = young[0].owners
    store.close()
    var all: [Dog] = []
    all += part
    all += section
    all.append(contentsOf: young)
    #expect(([] as [Person]) + inverse == [])
    #expect(all.isEmpty)
    #expect(Array(part).isEmpty && Array(section).isEmpty && Array(section.prefix(2)).isEmpty)
    #expect(section.sorted { $0.age < $1.age }.isEmpty)
  }
}
