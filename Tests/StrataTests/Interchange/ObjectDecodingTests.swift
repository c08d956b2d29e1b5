import Foundation
import Strata
import StrataTestModels
import Testing

/// Generated classes as `Codable` types, with any decoder.
@Suite struct ObjectDecodingTests {
  private func decoded<T: Decodable>(_ text: String, as type: T.Type = T.self) throws -> T {
    try JSONDecoder().decode(type, from: Data(text.utf8))
  }

  @Test func aStandaloneObjectWithEverythingInside() throws {
    let ada: Person = try decoded(
      """
      {"id": 1, "name": "Ada", "born": "2001-01-01T00:00:00.5Z", "mood": "angry", "rank": 9,
       "home": {"street": "Rue", "country": {"code": "F"}},
       "offices": [{"street": "1"}, {"street": "2", "city": "Rom"}],
       "dogs": [{"name": "Rex", "age": 3}], "notes": ["a", null], "tags": ["x", "y", "x"],
       "scores": {"go": 1.5, "chess": "NaN"}, "pets": {"cat": {"name": "Tom"}},
       "thing": {"$uuid": "01020304-0506-0708-090A-0B0C0D0E0F10"},
       "unknown": [1, {"a": null}]}
      """)

    #expect(ada.store == nil && ada.id == 1 && ada.name == "Ada")
    #expect(ada.born == Date(timeIntervalSinceReferenceDate: 0.5))
    #expect(ada.mood == .angry && ada.rank == .general)
    #expect(ada.home?.street == "Rue" && ada.home?.city == "Paris")
    #expect(ada.home?.country?.code == "F")
    #expect(ada.offices.map(\.city) == ["Paris", "Rom"])
    #expect(ada.dogs.map(\.name) == ["Rex"] && ada.dogs[0].color == "brown")
    #expect(Array(ada.notes) == ["a", nil])
    #expect(ada.tags.sorted() == ["x", "y"])
    #expect(ada.scores["go"] == 1.5 && ada.scores["chess"]?.isNaN == true)
    #expect(ada.pets["cat"]?.name == "Tom")
    #expect(ada.thing == AnyValue(UUID(uuidString: "01020304-0506-0708-090A-0B0C0D0E0F10")!))
  }

  @Test func aMissingKeyIsTheDefaultAndNullIsNil() throws {
    let ada: Person = try decoded(
      #"{"id": 1, "name": "Ada", "email": null, "boss": null, "dogs": null, "thing": null}"#)

    #expect(ada.age == 0 && ada.mood == .calm && ada.draft == "nothing")
    #expect(ada.email == nil && ada.boss == nil && ada.dogs.isEmpty && ada.thing == nil)
    let first: Scalars = try decoded(#"{"data": "", "date": 0}"#)
    let second: Scalars = try decoded(#"{"data": "", "date": 0}"#)
    #expect(first.uuid != second.uuid, "generated values are new ones")
  }

  struct Mistake: CustomTestStringConvertible, Sendable {
    let text: String
    let path: String
    let kind: String

    init(_ text: String, _ path: String, _ kind: String) {
      (self.text, self.path, self.kind) = (text, path, kind)
    }
    var testDescription: String { text }
  }

  /// Each with the path that the error says.
  @Test(arguments: [
    Mistake(#"{"id": 1}"#, "", "name"),
    Mistake(#"{"id": "1", "name": ""}"#, "id", "typeMismatch"),
    Mistake(#"{"id": null, "name": ""}"#, "id", "valueNotFound"),
    Mistake(#"{"id": 1, "name": "", "age": 1.5}"#, "age", "dataCorrupted"),
    Mistake(#"{"id": 1, "name": "", "mood": 1}"#, "mood", "typeMismatch"),
    Mistake(#"{"id": 1, "name": "", "rank": "general"}"#, "rank", "typeMismatch"),
    Mistake(#"{"id": 1, "name": "", "born": "today"}"#, "born", "dataCorrupted"),
    Mistake(#"{"id": 1, "name": "", "dogs": {}}"#, "dogs", "typeMismatch"),
    Mistake(#"{"id": 1, "name": "", "dogs": [{"name": "a"}, 7]}"#, "dogs/1", "typeMismatch"),
    Mistake(#"{"id": 1, "name": "", "dogs": [{"name": "a"}, null]}"#, "dogs/1", "valueNotFound"),
    Mistake(#"{"id": 1, "name": "", "dogs": [{"name": "a"}, {"age": 1}]}"#, "dogs/1", "name"),
    Mistake(#"{"id": 1, "name": "", "tags": ["a", 1]}"#, "tags/1", "typeMismatch"),
    Mistake(#"{"id": 1, "name": "", "scores": {"go": "fast"}}"#, "scores/go", "dataCorrupted"),
    Mistake(#"{"id": 1, "name": "", "scores": {"go": null}}"#, "scores/go", "valueNotFound"),
    Mistake(#"{"id": 1, "name": "", "pets": {"a": {"name": 1}}}"#, "pets/a/name", "typeMismatch"),
    Mistake(#"{"id": 1, "name": "", "home": {"street": ["x"]}}"#, "home/street", "typeMismatch"),
    Mistake(#"{"id": 1, "name": "", "boss": {"id": 2}}"#, "boss", "name"),
    Mistake(#"{"id": 1, "name": "", "thing": [1]}"#, "thing", "typeMismatch"),
    Mistake(#"{"id": 1, "name": "", "thing": {"$model": "Cat"}}"#, "thing", "dataCorrupted"),
    Mistake(#"[]"#, "", "typeMismatch"),
  ])
  func whatIsWrongIsNamedByItsPath(_ mistake: Mistake) throws {
    let error = #expect(throws: DecodingError.self) {
      _ = try decoded(mistake.text, as: Person.self)
    }
    let (path, kind) =
      switch try #require(error) {
      case .typeMismatch(_, let context): (context.codingPath, "typeMismatch")
      case .valueNotFound(_, let context): (context.codingPath, "valueNotFound")
      case .keyNotFound(let key, let context): (context.codingPath, key.stringValue)
      case .dataCorrupted(let context): (context.codingPath, "dataCorrupted")
      @unknown default: ([], "")
      }
    #expect(
      path.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: "/")
        == mistake.path)
    #expect(kind == mistake.kind)
  }

  @Test(arguments: [
    (#"{"data": "", "date": 0, "int8": 128}"#, "int8"),
    (#"{"data": "", "date": 0, "int16": -32769}"#, "int16"),
    (#"{"data": "", "date": 0, "int32": 2147483648}"#, "int32"),
    (#"{"data": "", "date": 0, "int": 9223372036854775808}"#, "int"),
    (#"{"data": "", "date": 0, "float": 1e39}"#, "float"),
    (#"{"data": "A", "date": 0}"#, "data"),
    (#"{"data": "", "date": 0, "uuid": "1"}"#, "uuid"),
    (#"{"data": "", "date": 0, "objectId": "zz"}"#, "objectId"),
    (#"{"data": "", "date": 0, "decimal": "1,5"}"#, "decimal"),
  ])
  func outOfRange(_ text: String, _ property: String) throws {
    let error = #expect(throws: DecodingError.self) { _ = try decoded(text, as: Scalars.self) }
    guard case .dataCorrupted(let context)? = error else {
      Issue.record("\(error as Any)")
      return
    }
    #expect(context.codingPath.map(\.stringValue) == [property])
  }

  @Test func circlesAndSharedObjects() throws {
    let ada = Person(id: 1, name: "Ada")
    let grace = Person(id: 2, name: "Grace", boss: ada, friends: [ada])
    ada.boss = grace
    ada.friends.insert(ada)
    ada.thing = AnyValue(grace)
    let copy = try JSONDecoder().decode(Person.self, from: JSONEncoder().encode(ada))

    #expect(copy.boss?.name == "Grace")
    #expect(copy.boss?.boss === copy && copy.boss?.friends.first === copy)
    #expect(copy.friends.first === copy)
    #expect(copy.thing?.object(as: Person.self) === copy.boss)
    #expect(copy.json() == ada.json())
  }

  @Test func aReferenceMayComeBeforeWhatItNames() throws {
    let ada: Person = try decoded(
      """
      {"id": 1, "name": "Ada", "boss": {"id": 2},
       "friends": [{"id": 2, "name": "Grace"}, {"id": 1}]}
      """)

    #expect(ada.boss?.name == "Grace" && ada.friends.contains { $0 === ada })
  }

  @Test func anObjectWithoutAKeyThatContainsItselfEnds() throws {
    let node = Node(name: "a")
    node.child = node
    node.children.append(node)
    let chain = Target(name: "first")
    chain.next = chain

    #expect(node.json() == #"{"child":null,"children":[],"name":"a"}"#)
    let copy = try JSONDecoder().decode(Node.self, from: JSONEncoder().encode(node))
    #expect(copy.child == nil && copy.children.isEmpty)
    #expect(chain.json() == #"{"name":"first","next":null}"#)
  }

  @Test func deepNestingIsRefusedAndNoStackRunsOut() throws {
    let depth = 2_000
    let deep =
      String(repeating: #"{"name": "n", "child": "#, count: depth) + "null"
      + String(repeating: "}", count: depth)
    #expect(throws: (any Error).self) { _ = try decoded(deep, as: Node.self) }

    // A property list's decoder has no bound of its own.
    var list: [String: Any] = ["name": "last"]
    for _ in 0..<500 { list = ["name": "n", "child": list] }
    let data = try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
    #expect(throws: DecodingError.self) {
      _ = try PropertyListDecoder().decode(Node.self, from: data)
    }

    let root = Node(name: "n")
    var last = root
    for _ in 0..<depth {
      let next = Node(name: "n")
      last.child = next
      last = next
    }
    #expect(root.json().count < 10_000)
    #expect(throws: EncodingError.self) { _ = try JSONEncoder().encode(root) }
  }

  @Test func otherDecoders() throws {
    let ada = Person(
      id: 1, name: "Ada", born: Date(timeIntervalSinceReferenceDate: 0.1), dogs: [Dog(name: "Rex")],
      scores: ["a_b": .infinity])
    for format in [PropertyListSerialization.PropertyListFormat.xml, .binary] {
      let encoder = PropertyListEncoder()
      encoder.outputFormat = format
      let copy = try PropertyListDecoder().decode(Person.self, from: encoder.encode(ada))
      #expect(copy.json() == ada.json())
    }
    // A property list's own dates and data.
    let data = try PropertyListSerialization.data(
      fromPropertyList: [
        "date": Date(timeIntervalSinceReferenceDate: 5), "data": Data([1, 2]),
        "any": Data([3]), "decimal": 1.5,
      ], format: .binary, options: 0)
    let scalars = try PropertyListDecoder().decode(Scalars.self, from: data)
    #expect(scalars.date == Date(timeIntervalSinceReferenceDate: 5))
    #expect(scalars.data == Data([1, 2]) && scalars.any == AnyValue(Data([3])))
    #expect(scalars.decimal == 1.5)
  }

  @Test func aDecodersStrategies() throws {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .secondsSince1970
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let text = #"{"data": "", "date": 978307201, "int_or_none": 7}"#
    let scalars = try decoder.decode(Scalars.self, from: Data(text.utf8))
    #expect(scalars.date == Date(timeIntervalSinceReferenceDate: 1) && scalars.intOrNone == 7)

    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    let ada = Person(
      id: 1, name: "Ada", scores: ["my_key": 1, "myKey": 2], pets: ["a_b": Dog(name: "R")])
    let copy = try decoder.decode(Person.self, from: encoder.encode(ada))
    #expect(
      copy.scores["my_key"] == 1 && copy.scores["myKey"] == 2 && copy.pets["a_b"]?.name == "R")
  }

  /// A date without a time reads as midnight in UTC, and hexadecimal digits as base64, too.
  @Test func aDecodersStrategiesDecideOfTexts() throws {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .custom { decoder in
      let container = try decoder.singleValueContainer()
      let text = try container.decode(String.self)
      guard text.count == 10 else {
        throw DecodingError.dataCorruptedError(in: container, debugDescription: "No day.")
      }
      return try Date.ISO8601FormatStyle().parse("\(text)T00:00:00+0200")
    }
    decoder.dataDecodingStrategy = .custom { decoder in
      let container = try decoder.singleValueContainer()
      guard let number = UInt32(try container.decode(String.self), radix: 16) else {
        throw DecodingError.dataCorruptedError(in: container, debugDescription: "No digits.")
      }
      return withUnsafeBytes(of: number.bigEndian) { Data($0) }
    }
    let text = #"{"data": "deadbeef", "date": "2026-11-21", "any": {"$data": "0000000f"}}"#
    let scalars = try decoder.decode(Scalars.self, from: Data(text.utf8))

    #expect(scalars.date == (try Date.ISO8601FormatStyle().parse("2026-11-20T22:00:00Z")))
    #expect(scalars.data == Data([0xDE, 0xAD, 0xBE, 0xEF]))
    #expect(scalars.any == AnyValue(Data([0, 0, 0, 15])))

    // What the strategies do not read is read as `json()` writes it.
    scalars.date = Date(timeIntervalSinceReferenceDate: 0.25)
    scalars.data = Data([255])
    let copy = try decoder.decode(Scalars.self, from: Data(scalars.json().utf8))
    #expect(copy.date == scalars.date && copy.data == scalars.data)
  }

  /// Of which the strategy reads no more than nanoseconds; the last two are days of the years 1500 and 0.
  @Test(arguments: [0.1, -0.1, 1e-10, 772_000_000.123456, -15_800_000_000.5, -63_114_076_800.5])
  func aStrategyOfTheSameDatesLosesNoDigits(_ seconds: Double) throws {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    let scalars = Scalars(data: Data(), date: Date(timeIntervalSinceReferenceDate: seconds))
    let copy = try decoder.decode(Scalars.self, from: JSONEncoder().encode(scalars))

    #expect(copy.date.bits == scalars.date.bits)
  }

  @Test func decimalsKeepTheDigitsOfANumber() throws {
    let scalars: Scalars = try decoded(
      #"{"data": "", "date": 0, "decimal": 1234567890.123456789012345}"#)
    #expect(scalars.decimal == Decimal(string: "1234567890.123456789012345"))
    let whole: Scalars = try decoded(#"{"data": "", "date": 0, "decimal": 12345678901234567890}"#)
    #expect(whole.decimal == Decimal(string: "12345678901234567890"))
  }

  @Test func enumsAreTheirRawValues() throws {
    let moods = try JSONDecoder().decode(
      [Mood: Rank].self, from: JSONEncoder().encode([Mood.angry: Rank.general]))
    #expect(moods == [.angry: .general])
    #expect(String(decoding: try JSONEncoder().encode([Mood.calm]), as: UTF8.self) == #"["calm"]"#)
    #expect(throws: DecodingError.self) { _ = try decoded(#"["sad"]"#, as: [Mood].self) }
  }

  @Test func classesInsideOfOnesOwnTypes() throws {
    struct Reply: Codable {
      var people: [Person]
      var best: Dog?
    }
    let reply: Reply = try decoded(
      #"{"people": [{"id": 1, "name": "Ada"}, {"id": 1, "name": "Eve"}], "best": {"name": "Rex"}}"#)
    let test = try TestStore()
    try test.store.write { try test.store.add(reply.people[1], update: .modified) }

    #expect(reply.people.map(\.name) == ["Ada", "Eve"] && reply.best?.name == "Rex")
    #expect(test.store.objects(Person.self).first?.name == "Eve")
  }

  @Test func aClassWithoutAModelIsAnError() {
    #expect(throws: DecodingError.self) { _ = try decoded("{}", as: DynamicObject.self) }
  }

  /// Every type, required and optional, through JSON and property lists.
  @Test(arguments: 0..<8) func everyTypeComesBackBitForBit(_ number: Int) throws {
    let doubles = [
      0, -0.0, .infinity, -.infinity, .leastNonzeroMagnitude, .greatestFiniteMagnitude, .nan,
      Double(bitPattern: 0xFFF8_0000_0000_0001),
    ]
    let floats: [Float] = [
      0, -0.0, .infinity, .leastNonzeroMagnitude, .greatestFiniteMagnitude,
      // The Double next to its digits lies nearer to its neighbour.
      Float(bitPattern: 0x15AE_43FD), .nan, Float(bitPattern: 0xFFC0_0001),
    ]
    let dates = [0, 0.1, -0.1, 1e-7, 772_000_000.123456, -63_114_076_800, 1e15, -0.0]
    let integers: [Int64] = [.min, .max, 0, -1, 1, 1 << 53 + 1, -(1 << 53) - 1, 7]
    let strings = [
      "", "\u{0}", "e\u{301}", "\u{E9}", "\u{1F600}", "\"\\\n\u{7F}", "/</script>",
      "\u{2028}\u{FEFF}",
    ]
    let decimals = [
      "0", "-1.5", "1e100", "0.1", "-12345678901234567890123456789012345678", "NaN", "1e-100", "7",
    ]
    let anys: [AnyValue] = [
      .double(1), .float(0.1), .double(-0.0), .double(.nan), .int(.max), .string("NaN"),
      .date(Date(timeIntervalSinceReferenceDate: 0.1)), .data(Data([0, 255])),
    ]
    let scalars = Scalars(
      data: Data((0..<number * 37).map { UInt8(truncatingIfNeeded: $0) }),
      date: Date(timeIntervalSinceReferenceDate: dates[number]))
    scalars.bool = number % 2 == 0
    (scalars.double, scalars.doubleOrNone) = (
      doubles[number], number == 0 ? nil : doubles[7 - number]
    )
    (scalars.float, scalars.floatOrNone) = (floats[number], floats[7 - number])
    (scalars.int64, scalars.int64OrNone) = (integers[number], integers[7 - number])
    (scalars.int, scalars.int32, scalars.int16, scalars.int8) = (.min, .max, .min, .max)
    (scalars.int32OrNone, scalars.int16OrNone, scalars.int8OrNone) = (.min, .max, .min)
    (scalars.string, scalars.stringOrNone) = (
      strings[number], number == 3 ? nil : strings[7 - number]
    )
    scalars.decimal = Decimal(string: decimals[number]) ?? .nan
    scalars.any = anys[number]
    scalars.dateOrNone = Date(timeIntervalSinceReferenceDate: dates[7 - number])
    scalars.uuidOrNone = number == 5 ? nil : UUID()
    scalars.objectIdOrNone = number == 6 ? nil : ObjectID()

    // The binary form keeps equal numbers once, and takes −0.0 for 0.
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .xml
    let copies = [
      try JSONDecoder().decode(Scalars.self, from: JSONEncoder().encode(scalars)),
      try PropertyListDecoder().decode(Scalars.self, from: encoder.encode(scalars)),
    ]
    for copy in copies {
      #expect(copy.bool == scalars.bool)
      #expect(copy.double.bitPattern == scalars.double.bitPattern)
      #expect(copy.doubleOrNone?.bitPattern == scalars.doubleOrNone?.bitPattern)
      #expect(copy.float.bitPattern == scalars.float.bitPattern)
      #expect(copy.floatOrNone?.bitPattern == scalars.floatOrNone?.bitPattern)
      #expect(copy.int64 == scalars.int64 && copy.int64OrNone == scalars.int64OrNone)
      #expect(copy.int == .min && copy.int32 == .max && copy.int16 == .min && copy.int8 == .max)
      #expect(copy.int32OrNone == .min && copy.int16OrNone == .max && copy.int8OrNone == .min)
      #expect(copy.intOrNone == nil)
      #expect(Array(copy.string.utf8) == Array(scalars.string.utf8))
      #expect(
        copy.stringOrNone.map { Array($0.utf8) } == scalars.stringOrNone.map { Array($0.utf8) })
      #expect(copy.data == scalars.data && copy.dataOrNone == nil)
      #expect(
        copy.date.bits == scalars.date.bits && copy.dateOrNone?.bits == scalars.dateOrNone?.bits)
      #expect(copy.uuid == scalars.uuid && copy.uuidOrNone == scalars.uuidOrNone)
      #expect(copy.objectId == scalars.objectId && copy.objectIdOrNone == scalars.objectIdOrNone)
      #expect(copy.decimal.description == scalars.decimal.description)
      if case .double(let value)? = scalars.any, case .double(let other)? = copy.any {
        #expect(other.bitPattern == value.bitPattern)
      } else {
        #expect(copy.any == scalars.any)
      }
    }
  }
}

extension Date {
  fileprivate var bits: UInt64 { timeIntervalSinceReferenceDate.bitPattern }
}

/// Threads that are not the main one may have small stacks.
@Suite struct SmallStackTests {
  /// As deep as objects are written.
  @Test func theDeepestGraphFitsIntoASmallStack() throws {
    let finished = DispatchSemaphore(value: 0)
    let thread = Thread {
      let root = Node(name: "n")
      var last = root
      for _ in 1..<64 {
        let next = Node(name: "n")
        last.child = next
        last = next
      }
      let copy = try? JSONDecoder().decode(Node.self, from: JSONEncoder().encode(root))
      if copy?.json() == root.json() { finished.signal() }
    }
    thread.stackSize = 512 << 10
    thread.start()
    #expect(finished.wait(timeout: .now() + 600) == .success)
  }
}
