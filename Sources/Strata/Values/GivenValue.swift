import StrataExpression
import StrataSchema

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A value that a caller gave for a property: in a dictionary, an array, decoded JSON, or by name.
///
/// Decoders know neither dates nor UUIDs: texts of the right form stand for them where the property is of the type.
struct GivenValue {
  let value: Any?
  /// Of which of the types that most values have; to ask a value what it is costs more than to store it.
  private let plain: Plain

  private enum Plain {
    case string, int, double, bool
    case members, optionalMembers, textMembers
    case elements, memberElements, textMemberElements, texts
    case other

    init(_ type: Any.Type) {
      switch ObjectIdentifier(type) {
      case ObjectIdentifier(String.self): self = .string
      case ObjectIdentifier(Int.self): self = .int
      case ObjectIdentifier(Double.self): self = .double
      case ObjectIdentifier(Bool.self): self = .bool
      case ObjectIdentifier([String: Any].self): self = .members
      case ObjectIdentifier([String: Any?].self): self = .optionalMembers
      case ObjectIdentifier([String: String].self): self = .textMembers
      case ObjectIdentifier([Any].self): self = .elements
      case ObjectIdentifier([[String: Any]].self): self = .memberElements
      case ObjectIdentifier([[String: String]].self): self = .textMemberElements
      case ObjectIdentifier([String].self): self = .texts
      default: self = .other
      }
    }
  }

  /// Nothing, however it is said: nil, an optional in an optional, a JSON decoder's null.
  init(_ value: Any?) {
    plain = value.map { Plain(type(of: $0)) } ?? .other
    // The plain types are never nil, however it is said.
    self.value = plain == .other ? UnwrappedValue.unwrap(value) : value
  }

  var isNull: Bool { value == nil }

  /// The value where it is an object.
  var object: Object? { plain == .other ? value as? Object : nil }

  /// The value where it is a case of an enum, or a wrapper around one.
  var storedEnum: (any StoredEnum)? { plain == .other ? value as? any StoredEnum : nil }

  /// The name of the value's type, for messages.
  var typeName: String { value.map { "\(type(of: $0))" } ?? "nil" }

  /// Characters of a value that a message shows.
  static let maximumShown = 60

  /// What the value is, for messages: its type and, where that does not say it all, the beginning of its text.
  var described: String {
    if let json = value as? JSON {
      return "\(json.canonicalText.prefix(Self.maximumShown)) in JSON"
    }
    guard object == nil, members == nil, elements == nil, let shownText else { return typeName }
    return "\(typeName) (\(shownText))"
  }

  /// The beginning of the value's text, for messages; nil for nil.
  var shownText: Substring? {
    value.map { (($0 as? Date)?.shortText ?? "\($0)").prefix(Self.maximumShown) }
  }

  /// The value as one of a scalar type; nil where it is none.
  func scalar(_ type: ScalarType) -> Value? {
    guard let value else { return .null }
    switch (plain, type) {
    case (.string, .string), (.string, .any): return (value as? String).map(Value.string)
    case (.double, .double), (.double, .any): return (value as? Double).map(Value.double)
    case (.bool, .bool), (.bool, .any): return (value as? Bool).map(Value.bool)
    case (.int, .int), (.int, .any): return (value as? Int).map { .int(Int64($0)) }
    default: break
    }
    if let json = value as? JSON { return JSONCoding.value(json, as: type) }
    if let stored = value as? any StoredValue, let exact = exact(stored, type) { return exact }
    if type == .bool { return (value as? Bool).map(Value.bool) }
    if type.isInteger { return integer(type) }
    if type == .float || type == .double {
      guard let number = floatingPoint else {
        return text.flatMap { JSONCoding.value(.string($0), as: type) }
      }
      if type == .double { return .double(number) }
      return JSONCoding.float(rounding: number).map { .float($0) }
    }
    if type == .date, let seconds = writtenSeconds { return .date(seconds) }
    if type == .decimal, let number = floatingPoint ?? integer(.int).flatMap(Conversion.double) {
      return DecimalValue("\(number)").map(Value.decimal)
    }
    if let named = value as? any RawRepresentable { return GivenValue(named.rawValue).scalar(type) }
    guard let text else {
      if type == .data, let bytes = value as? [UInt8] { return .data(bytes) }
      if type == .any { return anyNumber ?? tagged }
      return nil
    }
    return type == .any ? .string(text) : JSONCoding.value(.string(text), as: type)
  }

  /// A stored value that is of the type already.
  private func exact(_ stored: any StoredValue, _ type: ScalarType) -> Value? {
    guard let value = stored._generatedCell.value else { return nil }
    switch (type, value) {
    case (.any, _): return value
    case (.bool, .bool), (.double, .double), (.float, .float), (.string, .string), (.data, .data),
      (.date, .date), (.uuid, .uuid), (.decimal, .decimal), (.objectID, .objectID):
      return value
    case (_, .int(let number)) where type.isInteger:
      return type.takes(number) ? value : nil
    case (.double, .int(let number)): return Double(exactly: number).map(Value.double)
    case (.double, .float(let number)): return .double(Double(number))
    case (.decimal, .int(let number)): return DecimalValue("\(number)").map(Value.decimal)
    // Foundation decodes a number of JSON with many digits as a `Decimal`.
    case (.double, .decimal(let number)): return Double(number.text).map(Value.double)
    case (.float, .decimal(let number)):
      return number.isNaN
        ? .float(.nan) : JSONCoding.float(spelled: number.text).map { .float($0) }
    case (_, .decimal(let number)) where type.isInteger:
      return Int64(number.text).flatMap { type.takes($0) ? .int($0) : nil }
    default: return nil
    }
  }

  private func integer(_ type: ScalarType) -> Value? {
    let number: Int64? =
      if let whole = value as? any BinaryInteger {
        Int64(exactly: whole)
      } else if let fraction = floatingPoint {
        Int64(exactly: fraction)
      } else {
        value as? Int64
      }
    guard let number, type.takes(number) else { return nil }
    return .int(number)
  }

  /// A number, also one of JSON.
  var number: Double? {
    switch value as? JSON {
    case .int(let number): Double(number)
    case .double(let number): number
    case .number(let spelling): Double(spelling).flatMap { $0.isFinite ? $0 : nil }
    case .some: nil
    // Foundation decodes a number of JSON with many digits as a `Decimal`.
    case .none: floatingPoint ?? (value as? Decimal).flatMap { Double($0.stored.text) }
    }
  }

  /// As milliseconds since 1970 the year 2201; as seconds since 2001 that of 233,000.
  private static let millisecondsOfOurYears = 7.3e12

  /// The seconds of a date that `json()` writes as a number, because no text would say it, out of decoded JSON. A whole number counts from
  /// another day more often than not, and so does one that is a moment of our years, in milliseconds, too: what it counts has to be said.
  private var writtenSeconds: Double? {
    guard !isWholeNumber, let seconds = number,
      seconds == 0 || seconds.magnitude > Self.millisecondsOfOurYears,
      case .double = JSONCoding.json(.date(seconds), as: .date)
    else { return nil }
    return seconds
  }

  /// Whether the value is an integer, or a number that a decoder made of digits without a point or an exponent.
  private var isWholeNumber: Bool {
    guard let value, !(value is any BinaryFloatingPoint) else { return false }
    if value is any BinaryInteger { return true }
    #if canImport(FoundationEssentials)
      // NSNumber is no part of it. Its text has the point or the exponent of a double.
      return !(value is Decimal) && !"\(value)".contains { $0 == "." || $0 == "e" }
    #else
      return (value as? NSNumber).map { !(value is Decimal) && !CFNumberIsFloatType($0) } ?? false
    #endif
  }

  private var floatingPoint: Double? {
    if let number = value as? Double { return number }
    if let number = value as? any BinaryFloatingPoint { return Double(number) }
    if let number = value as? any BinaryInteger { return Double(exactly: number) }
    return nil
  }

  private var anyNumber: Value? {
    if let number = integer(.int) { return number }
    return floatingPoint.map(Value.double)
  }

  /// A value that says its type as `JSONCoding` does, of decoded JSON: `["$date": "2026-11-26"]`.
  private var tagged: Value? {
    guard let members, members.keys.count == 1, let tag = members.keys.first, tag.hasPrefix("$"),
      let type = ScalarType(rawValue: String(tag.dropFirst())), type != .any,
      let content = members[tag], !content.isNull
    else { return nil }
    return content.scalar(type)
  }

  /// A text, also one of JSON.
  var text: String? {
    if let json = value as? JSON { return json.string }
    if let text = value as? String { return text }
    if let character = value as? Character { return String(character) }
    return (value as? any StringProtocol).map { String($0) }
  }

  /// The members of a dictionary; nil for anything else.
  var members: GivenMembers? {
    switch plain {
    case .members: (value as? [String: Any]).map(GivenMembers.values)
    case .optionalMembers: (value as? [String: Any?]).map(GivenMembers.optionals)
    case .textMembers: (value as? [String: String]).map(GivenMembers.texts)
    case .other: otherMembers
    case .string, .int, .double, .bool, .elements, .memberElements, .textMemberElements, .texts: nil
    }
  }

  private var otherMembers: GivenMembers? {
    if let json = value as? JSON { return json.object.map { .optionals($0.mapValues { $0 }) } }
    if let members = value as? [String: Any?] { return .optionals(members) }
    return (value as? [String: Any]).map(GivenMembers.values)
  }

  /// The elements of an array, a list or a set; nil for anything else.
  var elements: [GivenValue]? {
    switch plain {
    case .elements: (value as? [Any])?.map { GivenValue($0) }
    case .memberElements: (value as? [[String: Any]])?.map { GivenValue($0) }
    case .textMemberElements: (value as? [[String: String]])?.map { GivenValue($0) }
    case .texts: (value as? [String])?.map { GivenValue($0) }
    case .other: otherElements?.map { GivenValue($0) }
    case .string, .int, .double, .bool, .members, .optionalMembers, .textMembers: nil
    }
  }

  private var otherElements: [Any?]? {
    if let json = value as? JSON { return json.array?.map { $0 } }
    if let core = (value as? any CollectionFace)?.anyCore {
      return core.anyElements.map(\.value)
    }
    if let elements = value as? [Any?] { return elements }
    if let elements = value as? [Any] { return elements }
    // Texts and bytes are sequences, too, and dictionaries; none of them is meant as a list.
    if text != nil || value is any StoredValue || members != nil { return nil }
    return (value as? any Sequence)?.anyElements
  }

  /// Keys and values of a dictionary or map.
  var entries: [(key: String, value: Any?)]? {
    if let core = (value as? any CollectionFace)?.anyCore as? MapCore { return core.anyElements }
    if let json = value as? JSON { return json.members?.map { ($0.key, $0.value) } }
    return members?.entries
  }
}

/// The members of a dictionary as it was given: to make one of another type of it looks at each value's own.
enum GivenMembers {
  case values([String: Any])
  case optionals([String: Any?])
  case texts([String: String])

  /// Nil for a key that is not there.
  subscript(key: String) -> GivenValue? {
    switch self {
    case .values(let members): members[key].map { GivenValue($0) }
    case .optionals(let members): members[key].map { GivenValue($0) }
    case .texts(let members): members[key].map { GivenValue($0) }
    }
  }

  var keys: [String] {
    switch self {
    case .values(let members): Array(members.keys)
    case .optionals(let members): Array(members.keys)
    case .texts(let members): Array(members.keys)
    }
  }

  var entries: [(key: String, value: Any?)] {
    switch self {
    case .values(let members): members.map { ($0.key, $0.value) }
    case .optionals(let members): members.map { ($0.key, $0.value) }
    case .texts(let members): members.map { ($0.key, $0.value) }
    }
  }
}

extension Sequence {
  fileprivate var anyElements: [Any?] { map { $0 } }
}

/// What lists, sets and maps of all element types are.
protocol CollectionFace {
  var anyCore: CollectionCore { get }
}

extension List: CollectionFace { var anyCore: CollectionCore { core } }
extension MutableSet: CollectionFace { var anyCore: CollectionCore { core } }
extension Map: CollectionFace { var anyCore: CollectionCore { core } }

extension CollectionCore {
  /// The elements as Swift values, a map's with their keys.
  var anyElements: [(key: String, value: Any?)] {
    switch self {
    case let core as ListCore: core.standaloneElements.map { ("", $0.anyValue) }
    case let core as SetCore: core.standaloneElements.map { ("", $0.anyValue) }
    case let core as MapCore: core.standaloneElements.map { ($0.0, $0.1.anyValue) }
    default: []
    }
  }
}

extension StandaloneValue {
  /// The value as its Swift type; nil for null.
  var anyValue: Any? { cell.flatMap { AnyValue($0).payload } }
}

extension AnyValue {
  /// The value itself; nil for null.
  var payload: Any? {
    if case .object(let object) = self { return object }
    return travelling
  }

  /// The value, an object as a reference; nil for nil.
  var travelling: (any Sendable)? {
    switch self {
    case .null: nil
    case .bool(let value): value
    case .int(let value): value
    case .float(let value): value
    case .double(let value): value
    case .string(let value): value
    case .data(let value): value
    case .date(let value): value
    case .uuid(let value): value
    case .decimal(let value): value
    case .objectID(let value): value
    case .object(let object): try? ObjectReference(to: object)
    }
  }
}
