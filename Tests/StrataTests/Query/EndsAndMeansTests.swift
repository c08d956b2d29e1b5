import Foundation
import Strata
import StrataTestModels
import Testing

/// The smallest, the greatest and the mean value, of every type that a property may have.
@Suite struct EndsAndMeansTests {
  let test: TestStore
  var store: Store { test.store }

  init() throws { test = try TestStore() }

  @Test func everyTypeHasEnds() throws {
    let low = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))
    let high = UUID(uuid: (9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    for (uuid, bool, byte, any) in [
      (high, false, 7, AnyValue("x")), (low, true, 200, AnyValue(3)),
    ] {
      let scalars = Scalars(
        data: Data([UInt8(byte)]), date: Date(timeIntervalSinceReferenceDate: 0))
      (scalars.uuid, scalars.bool, scalars.any) = (uuid, bool, any)
      _ = try test.added(scalars)
    }
    let all = store.objects(Scalars.self)

    #expect(all.min(of: \.uuid) == low && all.max(of: \.uuid) == high)
    #expect(all.min(of: \.bool) == false && all.max(of: \.bool) == true)
    #expect(all.min(of: \.data) == Data([7]) && all.max(of: \.data) == Data([200]))
    #expect(all.min(of: \.any) == .some(.some(3)) && all.max(of: \.any) == .some(.some("x")))
    #expect(all.min(of: \.uuidOrNone) == nil)
    #expect(all.average(of: \.uuid) == nil && all.average(of: \.bool) == nil)
    #expect(all.average(of: \.any) == 3)
    #expect(try all.min(ofProperty: "data") == AnyValue(Data([7])))
    #expect(try all.average(ofProperty: "date") == 0.0)
    #expect(try all.max(ofProperty: "uuid") == AnyValue(high))
    #expect(try all.limit(1).max(ofProperty: "bool") == AnyValue(false))
    try store.write {}
  }

  /// No object, and objects without a value: nil, and not a value that is null.
  @Test func nothingHasNoEndsByName() throws {
    _ = try test.added(Scalars(data: Data(), date: Date(timeIntervalSinceReferenceDate: 0)))
    for results in [store.objects(Scalars.self), store.objects(Scalars.self).limit(0)] {
      for ends in [results.min(ofProperty:), results.max(ofProperty:)] {
        guard case .none = try ends("uuidOrNone") else {
          Issue.record("a value")
          continue
        }
      }
      guard case .none = try results.average(ofProperty: "int8OrNone") else {
        Issue.record("a mean")
        continue
      }
      #expect(try results.sum(ofProperty: "int8OrNone") == .int(0))
    }
  }

  @Test func anObjectIsTheGreatestOfAnything() throws {
    let ada = try test.added(Person(id: 1, name: "Ada", thing: 1))
    let bob = try test.added(Person(id: 2, name: "Bob", thing: AnyValue(ada)))
    let people = store.objects(Person.self)

    #expect(people.max(of: \.thing) == .some(bob.thing))
    #expect(people.min(of: \.thing) == .some(1))
    #expect(try people.max(ofProperty: "thing") == bob.thing)
    #expect(try people.min(ofProperty: "thing") == 1)
    #expect(try people.average(ofProperty: "thing") == 1.0)
  }

  @Test func anEnumerationOfNumbersHasAMean() throws {
    for (id, rank) in [(1, Rank.private), (2, .general)] {
      _ = try test.added(Person(id: id, name: "Ada", rank: rank))
    }
    let people = store.objects(Person.self)

    #expect(people.average(of: \.rank) == 5)
    #expect(try people.average(ofProperty: "rank") == 5.0)
  }

  @Test func theMeanIsThatOfTheNumbers() throws {
    let cases: [([AnyValue?], Double?)] = [
      ([1, 2, 3], 2), ([1, 2.5], 1.75), ([.decimal(1), 2], 1.5), (["x", 4], 4), (["x"], nil),
      ([], nil), ([nil, 4], 4),
    ]
    for (values, mean) in cases {
      let bag = Bag(name: "b", list: values)

      #expect(bag.list.average() == mean)

      _ = try test.added(bag)
      #expect(bag.list.average() == mean)
    }
  }
}
