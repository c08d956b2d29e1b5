import Foundation
import GeneratedModels
import Strata
import Testing

/// What goes into a file through generated classes comes out again, for every feature of the language.
@Suite struct RoundTripTests {
  @Test func scalarsOfEveryType() throws {
    let file = TemporaryFile()
    let id = UUID()
    let date = Date(timeIntervalSinceReferenceDate: 0.1)
    let objectID = ObjectID()

    try file.write { store in
      try store.add(
        Scalars(
          any: AnyValue("text"), anyOrNone: AnyValue(Int(7)), bool: true, boolOrNone: false,
          data: Data([0, 255]), dataOrNone: Data(), date: date, dateOrNone: date,
          decimal: 1.25, decimalOrNone: -3, double: .infinity, doubleOrNone: 0.1, float: 0.1,
          floatOrNone: -0.0, id: id, int: .min, int16: .max, int16OrNone: .min, int32: .max,
          int32OrNone: .min, int64: .max, int64OrNone: .min, int8: .max, int8OrNone: .min,
          intOrNone: 0, mood: .angry, objectId: objectID, objectIdOrNone: objectID,
          priority: .urgent, string: "e\u{301}", stringOrNone: "", uuid: id, uuidOrNone: id))
    }

    let store = try file.open()
    let read = try #require(try store.object(ofType: Scalars.self, forPrimaryKey: id))
    #expect(read.any == AnyValue("text"))
    #expect(read.anyOrNone == AnyValue(Int(7)))
    #expect(read.bool && read.boolOrNone == false)
    #expect(read.data == Data([0, 255]) && read.dataOrNone == Data())
    #expect(read.date == date && read.dateOrNone == date)
    #expect(read.decimal == 1.25 && read.decimalOrNone == -3)
    #expect(read.double == .infinity && read.doubleOrNone == 0.1)
    #expect(read.float == 0.1 && read.floatOrNone?.sign == .minus)
    #expect(read.int == .min && read.intOrNone == 0)
    #expect(read.int8 == .max && read.int8OrNone == .min)
    #expect(read.int16 == .max && read.int16OrNone == .min)
    #expect(read.int32 == .max && read.int32OrNone == .min)
    #expect(read.int64 == .max && read.int64OrNone == .min)
    #expect(read.mood == .angry && read.priority == .urgent)
    #expect(read.objectId == objectID && read.objectIdOrNone == objectID)
    #expect(Array(read.string.unicodeScalars) == ["e", "\u{301}"] && read.stringOrNone == "")
    #expect(read.uuid == id && read.uuidOrNone == id)
  }

  @Test func optionalsAreNilWhenTheyAreLeftOut() throws {
    let scalars = Scalars(
      any: nil, bool: false, data: Data(), date: Date(), decimal: 0, double: 0, float: 0, int: 0,
      int16: 0, int32: 0, int64: 0, int8: 0, mood: .calm, objectId: ObjectID(), string: "",
      uuid: UUID())

    #expect(scalars.stringOrNone == nil && scalars.dateOrNone == nil && scalars.priority == nil)
    #expect(scalars.id != Scalars().id, "each object gets its own generated identifier")
  }

  @Test func declaredDefaultsInTheInitialiserAndInTheFile() throws {
    let file = TemporaryFile()
    try file.write { store in
      try store.add(Defaults())
      try store.add(Defaults(class: "second", draft: "is not stored"))
    }

    let read = Array(try file.open().objects(Defaults.self))
    #expect(read.map(\.`class`) == ["first", "second"])
    for defaults in read + [Defaults()] {
      #expect(defaults.bool && defaults.int == -12_345_678)
      #expect(defaults.float == 0.1 && defaults.double == 1e300)
      #expect(defaults.nan.isNaN && defaults.infinity == -.infinity)
      #expect(defaults.otherNaN.bitPattern == 0xFFF8_0000_0000_0001)
      #expect(defaults.string == "\"\\(x)\"\n\u{202E}é\u{0}")
      #expect(defaults.data == Data([0, 255]))
      #expect(defaults.date == Date(timeIntervalSinceReferenceDate: 0.5))
      #expect(defaults.uuid.uuidString == "01020304-0506-0708-090A-0B0C0D0E0F10")
      #expect(defaults.decimal == Decimal(string: "-12.5"))
      #expect(defaults.decimalLong == Decimal(string: "12345678901234567890123456789.25"))
      #expect(defaults.objectId.description == "0102030405060708090a0b0c")
      #expect(defaults.any == AnyValue(Int(7)))
      #expect(defaults.mood == .default)
      #expect(defaults.draft.isEmpty && defaults.history.isEmpty)
      #expect(defaults.in == nil && defaults.itself == 0)
      #expect(abs(defaults.created.timeIntervalSinceNow) < 3600)
    }
  }

  @Test func collectionsOfEveryKind() throws {
    let file = TemporaryFile()
    let day = Foundation.Date(timeIntervalSinceReferenceDate: 1)
    try file.write { store in
      let links = Links(scalars: sampleScalars())
      try store.add(
        Collections(
          addresses: [Address(street: "1 Road", city: "Town"), Address(street: "2", city: "Town")],
          dates: [day], homes: ["summer": Address(street: "Beach", city: "Sea")],
          moods: [.calm, .angry], notes: ["a": "b", "c": nil], numbers: [3, 1, 3],
          objectSet: [links], objects: [links, links], optionals: ["x", nil],
          scores: ["best": 0.5], strings: ["b", "a"]))
    }

    let read = try #require(try file.open().objects(Collections.self).first)
    #expect(read.addresses.map(\.street) == ["1 Road", "2"])
    #expect(Array(read.dates) == [day])
    #expect(read.homes["summer"]?.city == "Sea")
    #expect(Array(read.moods) == [.calm, .angry])
    #expect(read.notes.count == 2 && read.notes["a"] == "b" && read.notes["c"] == .some(nil))
    #expect(read.numbers.sorted() == [1, 3])
    #expect(read.objects.count == 2 && read.objectSet.count == 1)
    #expect(Array(read.optionals) == ["x", nil])
    #expect(read.scores["best"] == 0.5)
    #expect(Array(read.strings) == ["b", "a"])
  }

  @Test func linksBothWays() throws {
    let file = TemporaryFile()
    try file.write { store in
      let second = Links(home: Address(street: "Hill", city: "Town"), scalars: sampleScalars())
      try store.add(Links(next: second, scalars: sampleScalars()))
    }

    let read = Array(try file.open().objects(Links.self))
    let first = try #require(read.first { $0.next != nil })
    let second = try #require(first.next)
    #expect(second.home?.street == "Hill")
    #expect(second.previous.map { $0.isSameObject(as: first) } == [true])
    #expect(first.previous.isEmpty)
  }

  @Test func abstractModelsAreProtocols() throws {
    let student: any Named = Student(name: "Ada", nicknames: ["Countess"], school: "home")

    #expect(student.name == "Ada")
    student.name = "Lovelace"
    #expect((student as? Student)?.name == "Lovelace")
    #expect(Array(student.nicknames) == ["Countess"])
  }

  @Test func aCompoundKeyUnderAnotherSwiftName() throws {
    let file = TemporaryFile()
    let noon = Foundation.Date(timeIntervalSinceReferenceDate: 43_200)
    try file.write { store in
      try store.add(GeneratedModels.Date(day: 1, noon: noon, year: 2001))
    }

    let store = try file.open()
    let found = try store.object(ofType: GeneratedModels.Date.self, forPrimaryKey: 2001, 1)
    #expect(found?.noon == noon)
  }

  @Test func propertiesThatHideTypes() throws {
    let file = TemporaryFile()
    try file.write { store in
      try store.add(Hiding(List: [2, 3], _GeneratedAccess: 1))
      try store.add(Hiding(Data: Data(), _GeneratedAccess: 2, answer: nil))
    }

    let read = Array(try file.open().objects(Hiding.self))
    #expect(read.map(\.answer) == [Answer.none, nil] && read.map(\._GeneratedAccess) == [1, 2])
    #expect(Array(read[0].List) == [2, 3] && read[0].UUID != read[1].UUID)
    #expect(read[0].Data == Data([1]) && read[0].Date.timeIntervalSinceReferenceDate == 0)
    #expect(read[0].lastAnswer == Answer.none)
  }

  private func sampleScalars() -> Scalars {
    Scalars(
      any: 1, bool: true, data: Data(), date: Date(), decimal: 0, double: 0, float: 0, int: 0,
      int16: Int16.random(in: .min ... .max), int32: 0, int64: 0, int8: 0, mood: .calm,
      objectId: ObjectID(), string: "", uuid: UUID())
  }
}

/// Foundation's, which a model of the same name hides.
private typealias Date = Foundation.Date

/// A database file that is gone when the test is.
private final class TemporaryFile {
  let path = FileManager.default.temporaryDirectory
    .appendingPathComponent("\(UUID().uuidString).db").path

  deinit {
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: path + suffix)
    }
  }

  func open() throws -> Store {
    try Store(configuration: Store.Configuration(path: path, schema: EverythingSchema.self))
  }

  /// Writes in a store of its own, which is closed afterwards.
  func write(_ body: (Store) throws -> Void) throws {
    let store = try open()
    try store.write { try body(store) }
    store.close()
  }
}
