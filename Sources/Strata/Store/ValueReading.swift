import StrataSchema

/// How `create` and `init(value:)` read dictionaries and decoded JSON.
///
/// ```swift
/// try store.create(
///   Person.self, json: text, reading: ValueReading(keys: .snakeCase, unknownKeys: .refuse, dates: .secondsSince1970))
/// ```
public struct ValueReading: Hashable, Sendable {
  /// How keys are spelled.
  public enum Keys: Hashable, Sendable {
    /// As the properties are declared.
    case asDeclared
    /// `first_name` is the property `firstName`; a key that is spelled as a property is that one.
    case snakeCase
  }

  /// What happens to keys that no property has.
  public enum UnknownKeys: Hashable, Sendable {
    /// They are passed over.
    case ignore
    /// They are an error, `StoreError.unknownProperty`, which names all of an object.
    case refuse
  }

  /// What a number in the place of a date is. Texts are ISO 8601 in any case.
  public enum Dates: Hashable, Sendable {
    /// In a text of JSON the seconds since 2001-01-01 UTC, as `json()` writes dates that no text can say. In dictionaries and decoded JSON the same for
    /// −0.0 and for a number with a point or an exponent that is more than 7.3 · 10¹² in size, some 231,000 years before or after 2001. Any other is an error,
    /// because a smaller one may be a moment of our years in milliseconds; `create(_:json:)` and `JSONDecoder` read those that `json()` writes.
    case asWritten
    case secondsSince1970
    case millisecondsSince1970
  }

  public var keys: Keys
  public var unknownKeys: UnknownKeys
  public var dates: Dates

  public init(
    keys: Keys = .asDeclared, unknownKeys: UnknownKeys = .ignore, dates: Dates = .asWritten
  ) {
    self.keys = keys
    self.unknownKeys = unknownKeys
    self.dates = dates
  }
}

extension ValueReading {
  /// The given members by the names of properties.
  func renamed(_ members: GivenMembers, for model: _GeneratedModel) -> GivenMembers {
    guard keys == .snakeCase else { return members }
    let entries = members.entries
    var renamed: [String: Any?] = [:]
    for (key, value) in entries where model.model.indexOfProperty(named: key) == nil {
      renamed[Self.camelCase(key)] = .some(value)
    }
    for (key, value) in entries where model.model.indexOfProperty(named: key) != nil {
      renamed[key] = .some(value)
    }
    return .optionals(renamed)
  }

  /// `first_name` as `firstName`. Underscores at the ends stay.
  private static func camelCase(_ key: String) -> String {
    let core = key.drop { $0 == "_" }
    let leading = key.prefix(key.count - core.count)
    let trailing = core.reversed().prefix { $0 == "_" }.count
    let words = core.dropLast(trailing).split(separator: "_")
    guard words.count > 1 else { return key }
    let rest = words.dropFirst().map { word in
      word.prefix(1).uppercased() + word.dropFirst().lowercased()
    }
    return leading + words[0].lowercased() + rest.joined()
      + String(repeating: "_", count: trailing)
  }

  /// Seconds since 2001 of a number in the place of a date; nil where it is none, or means what it always means.
  func date(_ number: Double?) -> Double? {
    guard let number, number.isFinite else { return nil }
    let secondsTo2001 = 978_307_200.0
    return switch dates {
    case .asWritten: nil
    case .secondsSince1970: number - secondsTo2001
    case .millisecondsSince1970: number / 1000 - secondsTo2001
    }
  }
}
