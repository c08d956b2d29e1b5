import StrataSchema

/// An object on its way out: JSON that still knows which of its objects have names of properties as keys, and which the keys
/// of a map. Encoders change the spelling of the former only. `Sendable` is written, because the compiler does not find it out by itself for tuples
/// of the same type: "circular reference", where this file and one that uses it are not compiled together.
indirect enum ObjectForm: Sendable {
  case scalar(JSON)
  case array([ObjectForm])
  /// Sorted by name.
  case object([(name: String, value: ObjectForm)])
  case map([(key: String, value: ObjectForm)])

  /// The form as canonical JSON.
  var jsonText: String {
    var bytes: [UInt8] = []
    write(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  private func write(to bytes: inout [UInt8]) {
    switch self {
    case .scalar(let json): json.write(to: &bytes)
    case .array(let elements):
      bytes.append(UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        element.write(to: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let members):
      // As they are declared they are nearly always in order.
      let isSorted = zip(members, members.dropFirst()).allSatisfy {
        $0.name.precedesInBytes($1.name)
      }
      Self.write(
        isSorted ? members : members.sorted { $0.name.precedesInBytes($1.name) }, to: &bytes)
    case .map(let members):
      Self.write(
        members.map { (name: $0.key, value: $0.value) }
          .sorted { $0.name.precedesInBytes($1.name) }, to: &bytes)
    }
  }

  private static func write(
    _ members: [(name: String, value: ObjectForm)], to bytes: inout [UInt8]
  ) {
    bytes.append(UInt8(ascii: "{"))
    for (index, member) in members.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      JSON.write(member.name, to: &bytes)
      bytes.append(UInt8(ascii: ":"))
      member.value.write(to: &bytes)
    }
    bytes.append(UInt8(ascii: "}"))
  }
}

/// The name of a property as a key of whatever an encoder writes or a decoder reads.
struct PropertyKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(_ name: String) { stringValue = name }
  init?(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

extension ObjectForm: Encodable {
  func encode(to encoder: any Encoder) throws {
    switch self {
    case .object(let members):
      var container = encoder.container(keyedBy: PropertyKey.self)
      for (name, member) in members { try container.encode(member, forKey: PropertyKey(name)) }
    case .array(let elements):
      var container = encoder.unkeyedContainer()
      for element in elements { try container.encode(element) }
    case .map(let members):
      let dictionary = Dictionary(members.map { ($0.key, $0.value) }) { first, _ in first }
      // An encoder would keep one of them.
      guard dictionary.count == members.count else {
        throw EncodingError.invalidValue(
          members.map(\.key),
          EncodingError.Context(
            codingPath: encoder.codingPath,
            debugDescription:
              "Keys of the map differ in Unicode normalisation alone, which no encoder tells apart: use json(depth:)."
          ))
      }
      var container = encoder.singleValueContainer()
      try container.encode(dictionary)
    case .scalar(let json):
      try Self.encode(json, to: encoder)
    }
  }

  private static func encode(_ json: JSON, to encoder: any Encoder) throws {
    switch json {
    // A tagged value of a property of type `any`.
    case .object, .entries:
      var container = encoder.container(keyedBy: PropertyKey.self)
      for (name, member) in (json.members ?? []).sorted(by: { $0.key < $1.key }) {
        try container.encode(ObjectForm.scalar(member), forKey: PropertyKey(name))
      }
    case .array(let elements):
      var container = encoder.unkeyedContainer()
      for element in elements { try container.encode(ObjectForm.scalar(element)) }
    case .null:
      var container = encoder.singleValueContainer()
      try container.encodeNil()
    case .bool(let value):
      var container = encoder.singleValueContainer()
      try container.encode(value)
    case .int(let value):
      var container = encoder.singleValueContainer()
      try container.encode(value)
    case .double(let value):
      var container = encoder.singleValueContainer()
      try container.encode(value)
    case .number(let spelling):
      // Parsed numbers alone are spelled; what objects hold is none.
      var container = encoder.singleValueContainer()
      try container.encode(Double(spelling))
    case .string(let value):
      var container = encoder.singleValueContainer()
      try container.encode(value)
    }
  }
}
