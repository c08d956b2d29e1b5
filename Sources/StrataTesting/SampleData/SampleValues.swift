import Strata
import StrataSchema

/// Values that look like data: the same for the same seed, model, property and object on every machine.
///
/// A property's name decides what its text looks like (`email`, `city`, `lastName`); numbers follow names such as
/// `age` or `latitude`; everything else is drawn from a range that people can read.
struct SampleValues {
  let seed: UInt64
  let schema: Schema

  /// A value for one property of the object with this number, counted from 0.
  ///
  /// - Parameter isUnique: whether no two objects may have the same value.
  func value(of type: BaseType, name: String, model: String, object: Int, isUnique: Bool) -> Value {
    var random = generator(model, name, object)
    switch type {
    case .object: return .null
    case .enumeration(let enumName):
      let cases = schema.enumeration(named: enumName)?.cases ?? []
      return cases.isEmpty ? .null : cases[Int(random.next() % UInt64(cases.count))].rawValue
    case .scalar(let scalar):
      return value(of: scalar, name: name, object: object, isUnique: isUnique, &random)
    }
  }

  /// The value with this number, of a type that has few of them.
  func value(of type: BaseType, number: Int) -> Value {
    switch type {
    case .object: return .null
    case .enumeration(let name):
      let cases = schema.enumeration(named: name)?.cases ?? []
      return number < cases.count ? cases[number].rawValue : .null
    case .scalar(.bool): return .bool(number == 1)
    case .scalar(let scalar):
      // From 0 up, and then from the lowest.
      guard let range = scalar.integerRange else { return .null }
      let value = Int64(number)
      return .int(range.contains(value) ? value : value - range.upperBound - 1 + range.lowerBound)
    }
  }

  /// A source of numbers for one property of one object.
  func generator(_ model: String, _ property: String, _ object: Int) -> StepRandom {
    // FNV-1a over the names, so that renaming nothing else changes no value.
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in "\(model).\(property)".utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    var mixer = StepRandom(seed: seed ^ hash)
    return StepRandom(seed: mixer.next() &+ UInt64(object) &* 0x2545_F491_4F6C_DD1D)
  }

  private func value(
    of scalar: ScalarType, name: String, object: Int, isUnique: Bool, _ random: inout StepRandom
  ) -> Value {
    let number = Int64(object)
    switch scalar {
    case .bool: return .bool(random.next() & 1 == 1)
    case .int, .int8, .int16, .int32, .int64:
      if isUnique { return .int(number) }
      return .int(integer(name, scalar, &random))
    case .float: return .float(Float(real(name, &random)))
    case .double: return .double(isUnique ? Double(number) : real(name, &random))
    case .decimal:
      let cents = random.next() % 10_000_000
      return DecimalValue("\(cents / 100).\(cents % 100 / 10)\(cents % 10)").map(Value.decimal)
        ?? .null
    case .string: return .string(text(name, object: object, isUnique: isUnique, &random))
    case .data:
      let count = 1 + Int(random.next() % 32)
      return .data((0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) })
    case .date:
      if isUnique { return .date(Double(number) * 60) }
      // 1970 to 2030, in milliseconds.
      return .date(Double(random.next() % 1_893_456_000_000) / 1000 - 978_307_200)
    case .uuid: return .uuid(UUIDValue(high: random.next(), low: random.next()))
    case .objectID:
      return .objectID(
        ObjectIDValue(high: random.next(), low: UInt32(truncatingIfNeeded: random.next())))
    case .any:
      switch random.next() % 3 {
      case 0: return .int(Int64(random.next() % 1000))
      case 1: return .string(text(name, object: object, isUnique: false, &random))
      default: return .bool(random.next() & 1 == 1)
      }
    }
  }

  private func integer(_ name: String, _ scalar: ScalarType, _ random: inout StepRandom) -> Int64 {
    let limit: UInt64 =
      switch name.lowercased() {
      case let name where name.mentions("age"): 100
      case let name where name.mentions("year"): 2030
      case let name where name.mentions("count"): 50
      default: 10_000
      }
    // An int8 holds no year.
    let highest = scalar.integerRange?.upperBound ?? .max
    return Int64(random.next() % min(limit, UInt64(highest) + 1))
  }

  private func real(_ name: String, _ random: inout StepRandom) -> Double {
    let unit = Double(random.next() >> 11) / 9_007_199_254_740_992  // 2^53
    switch name.lowercased() {
    case "latitude": return (unit * 180 - 90).rounded(toPlaces: 4)
    case "longitude": return (unit * 360 - 180).rounded(toPlaces: 4)
    default: return (unit * 1000).rounded(toPlaces: 2)
    }
  }

  private func text(
    _ name: String, object: Int, isUnique: Bool, _ random: inout StepRandom
  ) -> String {
    func pick(_ words: [String]) -> String { words[Int(random.next() % UInt64(words.count))] }
    let suffix = isUnique ? " \(object)" : ""
    let lower = name.lowercased()
    if lower.mentions("email") {
      let first = pick(SampleWords.givenNames).lowercased()
      return "\(first).\(pick(SampleWords.familyNames).lowercased())\(object)@example.org"
    }
    switch lower {
    case "firstname", "givenname", "nickname": return pick(SampleWords.givenNames) + suffix
    case "lastname", "familyname", "surname": return pick(SampleWords.familyNames) + suffix
    case "fullname":
      return pick(SampleWords.givenNames) + " " + pick(SampleWords.familyNames) + suffix
    case "postalcode", "zip", "zipcode":
      return isUnique ? String(10_000 + object) : String(10_000 + random.next() % 89_999)
    case "url", "link", "website": return "https://example.org/\(object)"
    case let lower where lower.mentions("county"):
      return pick(SampleWords.places) + " County" + suffix
    case let lower where lower.mentions("abbreviation"): return pick(SampleWords.codes) + suffix
    case let lower
    where lower.mentions("city") || lower.mentions("place") || lower.mentions("state"):
      return pick(SampleWords.places) + suffix
    case let lower where lower.mentions("name"): return pick(SampleWords.givenNames) + suffix
    default:
      let count = 1 + Int(random.next() % 4)
      return (0..<count).map { _ in pick(SampleWords.words) }.joined(separator: " ") + suffix
    }
  }
}

extension String {
  /// Whether an ASCII word stands in it. `contains` looks at whole characters, which took most of the time of sample data.
  fileprivate func mentions(_ word: String) -> Bool {
    let (own, word) = (utf8, word.utf8)
    var start = own.startIndex
    for _ in 0..<max(own.count - word.count + 1, 0) {
      if own[start...].starts(with: word) { return true }
      start = own.index(after: start)
    }
    return false
  }
}

extension Double {
  fileprivate func rounded(toPlaces places: Int) -> Double {
    let factor = places == 4 ? 10_000.0 : 100.0
    return (self * factor).rounded() / factor
  }
}

/// Words for sample text; some beyond ASCII, because real names are.
private enum SampleWords {
  static let givenNames = [
    "Ada", "Alan", "Amélie", "Barbara", "Chinua", "Edsger", "Frances", "Grace", "Hedy", "Ingrid",
    "Jürgen", "Katherine", "Linus", "Margaret", "Niklaus", "Olga", "Radia", "Søren", "Tomás", "玲子",
  ]
  static let familyNames = [
    "Achebe", "Allen", "Borg", "Dijkstra", "Franklin", "García", "Hamilton", "Hopper", "Johnson",
    "Kierkegård", "Lamarr", "Liskov", "Lovelace", "Müller", "Perlman", "Poulain", "Turing",
    "Wirth", "Yamada", "Żak",
  ]
  static let places = [
    "Alameda", "Bergen", "Cádiz", "Delft", "Évora", "Fresno", "Göteborg", "Humboldt", "Ivrea",
    "Kyōto", "Lübeck", "Modesto", "Nara", "Oslo", "Plumas", "Quito", "Reno", "Sonoma", "Tulare",
    "Yuba",
  ]
  static let codes = ["CA", "NV", "OR", "WA", "AZ", "UT", "ID", "NM"]
  static let words = [
    "amber", "bridge", "cedar", "delta", "ember", "fjord", "grove", "harbour", "island", "juniper",
    "kernel", "lantern", "meadow", "north", "orchard", "pebble", "quartz", "river", "stone",
    "thistle", "umber", "valley", "willow", "yarrow",
  ]
}
