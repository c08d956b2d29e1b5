import Foundation
import Strata
import StrataTestModels
import Testing

/// What `json()` writes is read from a text, and from what another decoder has made of that text.
@Suite struct DecodedJSONTests {
  private func decoded(_ object: Object) throws -> Any {
    try JSONSerialization.jsonObject(with: Data(object.json().utf8))
  }

  // MARK: Numbers that JSON has no digits for

  @Test(arguments: [
    Double.nan, .infinity, -.infinity, -0.0, .greatestFiniteMagnitude, 0.30000000000000004,
    Double(bitPattern: 0x7FF8_0000_0000_0001),
  ])
  func aDoubleComesBackWithAllOfItsBits(_ double: Double) throws {
    let scalars = Scalars(data: Data(), date: Date(timeIntervalSinceReferenceDate: 0))
    scalars.double = double
    scalars.doubleOrNone = double
    scalars.float = Float(double)
    scalars.floatOrNone = Float(double)
    let copy = try Scalars(value: decoded(scalars))

    #expect(copy.double.bitPattern == double.bitPattern)
    #expect(copy.doubleOrNone?.bitPattern == double.bitPattern)
    #expect(copy.float.bitPattern == Float(double).bitPattern)
    #expect(copy.floatOrNone?.bitPattern == Float(double).bitPattern)
  }

  @Test func soDoThoseInCollections() throws {
    let ada = Person(id: 1, name: "Ada", scores: ["a": .nan, "b": -.infinity, "c": 1])
    let scores = try Person(value: decoded(ada)).scores

    #expect(scores["a"]?.isNaN == true && scores["b"] == -.infinity && scores["c"] == 1)
  }

  @Test func valuesOfAnyTypeKeepTheirs() throws {
    let values: [AnyValue?] = [
      .double(.nan), .double(.infinity), .double(1), .double(-0.0), .double(1.5), .float(0.1),
      .float(-.infinity), .int(.max), nil, .bool(true), "NaN",
      .date(Date(timeIntervalSinceReferenceDate: -0.0)),
      .date(Date(timeIntervalSinceReferenceDate: 1e15)),
      .date(Date(timeIntervalSinceReferenceDate: .infinity)),
    ]
    let bag = Bag(name: "b")
    bag.list.append(contentsOf: values)
    let test = try TestStore()
    let copy = try test.store.write { try test.store.create(Bag.self, value: decoded(bag)) }

    // NaN is not equal to itself, and JSON says its type and all of its bits.
    #expect(Array(copy.list.dropFirst()) == Array(values.dropFirst()))
    #expect(copy.json() == bag.json())
  }

  @Test func aNumberIsNoText() throws {
    for text in ["nan", "inf", "1.5", "", "NaN(0)", "NaN(fff8000000000001)x"] {
      #expect(throws: StoreError.self, "\(text)") { try Scalars(value: ["double": text]) }
      #expect(throws: StoreError.self, "\(text)") { try Scalars(value: ["float": text]) }
    }
  }

  // MARK: Dates

  /// Of the years 11507 and −1168, and one that a text would need too many digits for.
  @Test(arguments: [300_000_000_000.5, -100_000_000_000.5, 1e-300])
  func aTextOfJSONReadsAllDates(_ seconds: Double) throws {
    let date = Date(timeIntervalSinceReferenceDate: seconds)
    let text = Scalars(data: Data(), date: date, dateOrNone: date).json()

    let test = try TestStore()
    let stored = try test.store.write { try test.store.create(Scalars.self, json: text) }
    let decoded = try JSONDecoder().decode(Scalars.self, from: Data(text.utf8))

    for copy in [stored, decoded] {
      #expect(copy.date == date)
      #expect(copy.dateOrNone == date)
    }
  }

  /// The moments that no text says.
  @Test(arguments: [-0.0, 1e15, -1e15, 7_300_000_000_001.5, 1e300, .infinity, .nan])
  func aDateComesBackWithAllOfItsBits(_ seconds: Double) throws {
    let date = Date(timeIntervalSinceReferenceDate: seconds)
    let copy = try Scalars(value: decoded(Scalars(data: Data(), date: date, dateOrNone: date)))

    #expect(copy.date.timeIntervalSinceReferenceDate.bitPattern == seconds.bitPattern)
    #expect(copy.dateOrNone?.timeIntervalSinceReferenceDate.bitPattern == seconds.bitPattern)
  }

  /// Seconds or milliseconds since 1970, most often, which nothing says.
  @Test(arguments: [
    "0", "90.5", "1700000000", "1700000000.1234567", "1700000000000", "1700000000000.5", "-1",
    "300000000000.5", "-100000000000.5",
  ])
  func anyOtherNumberIsNoDate(_ number: String) throws {
    let value = try JSONSerialization.jsonObject(with: Data(#"{"date": \#(number)}"#.utf8))
    let error = #expect(throws: StoreError.self) { try Scalars(value: value) }

    #expect(
      error?.description.hasSuffix(
        ": a number is a date only where ValueReading(dates:) says what it counts.") == true,
      "\(String(describing: error))")
    #expect(
      try Scalars(value: value, reading: ValueReading(dates: .secondsSince1970)).date
        == Date(timeIntervalSince1970: try #require(Double(number))))
  }

  // MARK: What is said of a wrong value

  @Test(arguments: [
    (
      #"{"list": [1, {"$double": "often"}]}"#, "list",
      "as element 2: its $double is String (often), and no double"
    ),
    (#"{"set": [{"$date": null}]}"#, "set", "as element 1: its $date is nil, and no date"),
    (#"{"map": {"k": {"$hue": 1}}}"#, "map", "at the key k: $hue names no type of a value"),
    (#"{"list": [[1, 2]]}"#, "list", "as element 1: an array is no single value"),
    (
      #"{"one": {"$model": "Cat"}}"#, "one", ": its $model is Cat, and the schema has no such model"
    ),
    (#"{"one": {"$model": "Address"}}"#, "one", ": its $model is Address, which is embedded"),
    (#"{"one": {"$model": ["Dog"]}}"#, "one", ": its $model is Array<Any>, and no name"),
    (
      #"{"one": {"street": "Rue"}}"#, "one",
      #": a value says its type, as in {"$date": …}, and an object its "$model""#
    ),
  ])
  func theElementAndTheReasonAreNamed(text: String, property: String, problem: String) throws {
    let value = try JSONSerialization.jsonObject(with: Data(text.utf8))
    let error = #expect(throws: StoreError.self) { try Bag(value: value) }
    guard case .wrongType("Bag", property, _, let found) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(found.hasSuffix(problem), "\(found)")
  }

  @Test func soTheyAreOfATextOfJSON() throws {
    let test = try TestStore()
    let error = #expect(throws: StoreError.self) {
      try test.store.write {
        try test.store.create(Bag.self, json: #"{"name": "b", "list": [1, {"$uuid": "x"}]}"#)
      }
    }
    #expect(
      error?.description
        == #"Bag.list is [any?], found {"$uuid":"x"} in JSON as element 2: its $uuid is "x" in JSON, and no uuid."#
    )
  }

  @Test func aWholeThatIsWrongIsSaidToBeOne() throws {
    let error = #expect(throws: StoreError.self) {
      try Person(value: ["id": 1, "name": "Ada", "scores": ["go": "many"]])
    }
    #expect(
      error?.description == "Person.scores is map<double>, found String (many) at the key go.")
    let whole = #expect(throws: StoreError.self) { try Bag(value: ["name": "b", "list": "x"]) }
    #expect(whole?.description == "Bag.list is [any?], found String (x).")
  }
}
