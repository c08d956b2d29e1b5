import Foundation
import Strata
import StrataTestModels
import Testing

extension Person {
  fileprivate var initial: String { String(name.prefix(1)) }
  fileprivate var isAdult: Bool { age >= 18 }
  fileprivate var months: Int {
    get { age * 12 }
    set { age = newValue / 12 }
  }
  // What nil becomes is nothing that the file knows.
  fileprivate var contact: String { email ?? "" }
  fileprivate var birthday: Date { born ?? .distantPast }
  fileprivate var lead: Person { boss ?? self }
  fileprivate var text: String? { thing?.value(as: String.self) }
  /// Another name of a property is that property.
  fileprivate var title: String { name }
  fileprivate var mail: String? { email }
}

/// A question can be about stored properties alone. What is computed of one would be asked for as if it were that one.
@Suite struct KeyPathPropertyTests {
  @Test(arguments: 0..<12)
  func whatIsComputedIsRefused(which: Int) async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { [which] in
      let test = try TestStore()
      let people = test.store.objects(Person.self)
      switch which {
      case 0: _ = people.sorted(by: \.name.count)
      case 1: _ = people.sorted(by: \.boss?.age)
      case 2: _ = people.where { $0.initial == "A" }
      case 3: _ = people.where { $0.isAdult }
      case 4: _ = people.sectioned(by: \.initial)
      case 5: _ = people.max(of: \.months)
      case 6: _ = people.distinct(by: \.boss?.name)
      case 7: _ = people.where { $0.contact == "" }
      case 8: _ = people.sorted(by: \.birthday)
      case 9: _ = people.where { $0.lead.name == "Ada" }
      case 10: _ = people.where { $0.text == "Ada" }
      default: _ = try people.observe(keyPaths: [\.initial]) { _ in }
      }
    }

    let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(output.contains("is no stored property of Person: only those can be asked for"))
  }

  @Test func aPropertyOfEachTypeIsFound() throws {
    let test = try TestStore()
    let store = test.store
    let all = store.objects(Scalars.self)
    _ = all.where { $0.bool || $0.int8 == 1 || $0.int16 == 1 || $0.int32 == 1 || $0.int64 == 1 }
    _ = all.where { $0.float > 1 || $0.double > 1 || $0.string == "" || $0.decimal > 1 }
    _ = all.sorted(by: \.date).distinct(by: \.uuid).distinct(by: \.objectId)
    _ = all.distinct(by: \.data).distinct(by: \.dataOrNone).distinct(by: \.boolOrNone)
    _ = all.sorted(by: \.decimalOrNone).sorted(by: \.floatOrNone).sorted(by: \.int8OrNone)
    _ = all.distinct(by: \.uuidOrNone).distinct(by: \.objectIdOrNone).distinct(by: \.dateOrNone)
    _ = all.distinct(by: \.intOrNone).distinct(by: \.doubleOrNone).distinct(by: \.stringOrNone)
    let people = store.objects(Person.self)
    _ = people.where { $0.mood == .calm && $0.rank == nil && $0.boss == nil && $0.tags.count == 0 }
    _ = people.where { $0.notes.count == 0 && $0.scores.isEmpty && $0.reports.count == 0 }
    _ = people.where { $0.home.city == "Paris" && $0.title == "Ada" && $0.mail == nil }
    let things = try people.observe(keyPaths: [\.thing, \.friends, \.pets, \.email]) { _ in }
    things.invalidate()
  }
}
