import Strata
import StrataTestModels
import Testing

/// Sections whose objects are changed while they are walked over, and that are observed.
@Suite struct SectionWalkTests {
  let test: TestStore
  var store: Store { test.store }

  init() throws {
    test = try TestStore()
    try store.write {
      for (age, color) in ["a", "b", "c", "d"].enumerated() {
        try store.add(Dog(name: color, color: color, age: age))
      }
    }
  }

  @Test func aWalkGoesOverWhatWasThereWhenItBegan() throws {
    var met: [String] = []
    try store.write {
      for section in store.objects(Dog.self).sectioned(by: \.color) {
        for dog in section {
          met.append(dog.name)
          dog.color = "a"
        }
      }
    }

    #expect(met == ["a", "b", "c", "d"])
  }

  @Test func anObjectThatComesIntoALaterSectionIsMetOnce() throws {
    try store.write {
      for section in store.objects(Dog.self).sectioned(by: \.age) {
        for dog in section { dog.age += 1 }
      }
    }

    #expect(store.objects(Dog.self).map(\.age) == [1, 2, 3, 4])
  }

  @Test func sectionsAndObjectsMayGoMeanwhile() throws {
    let sections = store.objects(Dog.self).sectioned(by: \.color)
    var met: [[String]] = []
    try store.write {
      for section in sections {
        met.append(section.map(\.name))
        try store.delete(store.objects(Dog.self).where { $0.color > section.key })
      }
    }

    #expect(met == [["a"], [], [], []])
    #expect(Array(sections).map(\.key) == ["a"])
  }

  @Test(arguments: 0..<5)
  func partsOfASectionAreThoseOfWhenTheWalkBegan(way: Int) throws {
    try store.write {
      for dog in store.objects(Dog.self) {
        try store.add(Dog(name: dog.name + "2", color: dog.color))
      }
    }
    try store.write {
      for section in store.objects(Dog.self).sectioned(by: \.color) {
        #expect(section.count == 2)
        switch way {
        case 0: for dog in section.dropFirst() { try store.delete(dog) }
        case 1: for dog in section.suffix(1) { try store.delete(dog) }
        case 2: if let last = section.last { try store.delete(last) }
        case 3: try store.delete(section[1])
        default: for dog in section.reversed().prefix(1) { try store.delete(dog) }
        }
      }
    }

    #expect(store.objects(Dog.self).map(\.name) == ["a", "b", "c", "d"])
  }

  @Test func observersOfSectionsPassOverWhatTheyAreNotTold() throws {
    let sections = store.objects(Dog.self).sectioned(by: \.color)
    var told: [[Int]] = []
    let token = try sections.observe { change in
      if case .update(_, _, _, _, let come, let gone) = change { told += [come, gone] }
    }
    try store.write(withoutNotifying: [token]) { try store.add(Dog(name: "bo", color: "bo")) }
    try store.write { try store.delete(sections[4][0]) }

    #expect(told == [[], [4]])
    #expect(sections.allKeys == ["a", "b", "bo", "c"])
    token.invalidate()
  }
}
