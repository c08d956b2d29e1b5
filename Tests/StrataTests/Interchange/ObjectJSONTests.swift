import Foundation
import Strata
import StrataTestModels
import Testing

@Suite struct ObjectJSONTests {
  let test: TestStore
  var store: Store { test.store }

  init() throws { test = try TestStore() }

  @Test func aGraphGoesThroughJSON() throws {
    let ada = Person(
      id: 1, name: "Ada", email: "a@b.c", born: Date(timeIntervalSinceReferenceDate: 0.5),
      rank: .general, home: Address(street: "Rue", country: Country(code: "F")),
      dogs: [Dog(name: "Rex")], notes: ["a", nil], tags: ["t"], scores: ["go": .nan],
      thing: AnyValue(Date(timeIntervalSinceReferenceDate: 3)))
    ada.boss = Person(id: 2, name: "Grace", boss: ada)
    try store.write { try store.add(ada) }
    let text = ada.json()
    let other = try TestStore()
    let copy = try other.store.write {
      try other.store.create(Person.self, json: text, update: .modified)
    }

    #expect(text.contains(#""boss":{"id":1}"#))
    #expect(copy.boss?.boss?.isSameObject(as: copy) == true)
    #expect(copy.home?.country?.code == "F")
    #expect(copy.born == ada.born)
    #expect(copy.scores["go"]?.isNaN == true)
    #expect(copy.thing == ada.thing)
    #expect(copy.json() == text)
  }

  @Test func linksAreFollowedToTheDepth() throws {
    let ada = Person(id: 1, name: "Ada", boss: Person(id: 2, name: "Grace"))

    #expect(ada.json(depth: 0).contains(#""boss":{"id":2}"#))
    #expect(ada.json(depth: 1).contains(#""name":"Grace""#))
  }

  @Test func anEncoderWritesTheSame() throws {
    let ada = Person(id: 1, name: "Ada", dogs: [Dog(name: "Rex")], scores: ["go": 1.5])
    let encoded = try JSONEncoder().encode([ada])
    let decoded = try #require(try JSONSerialization.jsonObject(with: encoded) as? [Any])
    let copy = try Person(value: decoded[0])

    #expect(copy.json() == ada.json())
  }

  /// What is of any type says its type in JSON, also where another decoder has read that.
  @Test func valuesOfAnyTypeComeBackFromDecodedJSON() throws {
    let things: [AnyValue?] = [
      AnyValue(Date(timeIntervalSinceReferenceDate: 3)), AnyValue(UUID()), AnyValue(Data([1, 2])),
      AnyValue(Decimal(string: "1.50") ?? 0), AnyValue(Dog(name: "Rex")), AnyValue("x"), nil,
    ]
    for thing in things {
      let ada = Person(id: 1, name: "Ada", thing: thing)
      let decoded = try JSONSerialization.jsonObject(with: Data(ada.json().utf8))
      let copy = try Person(value: decoded)

      #expect(copy.json() == ada.json())
    }
    #expect(throws: StoreError.self) { try Person(value: ["id": 1, "thing": ["$date": "soon"]]) }
    #expect(throws: StoreError.self) { try Person(value: ["id": 1, "thing": ["$list": "soon"]]) }
  }

  @Test func resultsAreWrittenLineByLine() throws {
    try store.write {
      for number in 0..<3 { try store.add(Dog(name: "Dog \(number)")) }
    }
    var lines: [String] = []
    store.objects(Dog.self).writeJSONLines { lines.append($0) }

    #expect(lines[2] == #"{"age":0,"color":"brown","name":"Dog 2"}"#)
    #expect(lines.count == 3)
  }

  /// What JSON has a spelling for comes back with all of its bits.
  @Test func boundaryValuesComeBackBitForBit() throws {
    let dates = [0, 0.1, -0.1, 1e-7, 772_000_000.123456, -63_114_076_800, 1e15]
    let doubles = [
      0, -0.0, .infinity, -.infinity, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 0.1, 1e23,
    ]
    let floats = [0, -0.0, .infinity, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 0.1]
    let integers = [Int64.min, -1, 0, 1, 1 << 53 + 1, .max]
    for index in 0..<8 {
      let scalars = Scalars(
        data: Data([UInt8](repeating: 255, count: index)),
        date: Date(timeIntervalSinceReferenceDate: dates[index % dates.count]))
      scalars.double = doubles[index % doubles.count]
      scalars.float = Float(floats[index % floats.count])
      scalars.int64 = integers[index % integers.count]
      scalars.int8 = index % 2 == 0 ? .min : .max
      scalars.string =
        ["", "\u{0}", "e\u{301}", "\u{E9}", "\u{1F600}", "\"\\\n", "/", "\u{2028}"][
          index]
      scalars.decimal = Decimal(string: ["0", "-1.5", "1e100", "0.1"][index % 4])!
      let copy = try store.write { try store.create(Scalars.self, json: scalars.json()) }

      #expect(copy.double.bitPattern == scalars.double.bitPattern)
      #expect(copy.float.bitPattern == scalars.float.bitPattern)
      #expect(copy.int64 == scalars.int64)
      #expect(copy.int8 == scalars.int8)
      #expect(Array(copy.string.utf8) == Array(scalars.string.utf8))
      #expect(copy.data == scalars.data)
      #expect(
        copy.date.timeIntervalSinceReferenceDate.bitPattern
          == scalars.date.timeIntervalSinceReferenceDate.bitPattern)
      #expect(copy.uuid == scalars.uuid)
      #expect(copy.objectId == scalars.objectId)
      #expect(copy.decimal == scalars.decimal)
    }
  }
}
