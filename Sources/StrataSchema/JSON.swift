/// A JSON value (RFC 8259) with exact integers.
///
/// The runtime and the build tool read and write JSON and link no JSON library for it: they start in 3 ms
/// without Foundation, in 12 with it.
package enum JSON: Hashable, Sendable {
  case null
  case bool(Bool)
  case int(Int64)
  case double(Double)
  /// A number as it is spelled, where neither of the two holds it: `18446744073709551617`, `1e400`, more digits than a double has.
  case number(String)
  case string(String)
  case array([JSON])
  case object([String: JSON])
  /// An object with keys that Swift's strings take for one: they differ in Unicode normalisation alone.
  case entries([Entry])

  package struct Entry: Hashable, Sendable {
    package let key: String
    package let value: JSON

    package init(_ key: String, _ value: JSON) {
      self.key = key
      self.value = value
    }
  }
}

extension JSON: ExpressibleByStringLiteral {
  package init(stringLiteral value: String) { self = .string(value) }
}

extension JSON {
  package subscript(key: String) -> JSON? {
    switch self {
    case .object(let members): members[key]
    case .entries(let entries): entries.first { $0.key.isSpelled(like: key) }?.value
    default: nil
    }
  }

  /// An object's keys and values, keys told apart by their bytes.
  package var members: [(key: String, value: JSON)]? {
    switch self {
    case .object(let members): members.map { ($0.key, $0.value) }
    case .entries(let entries): entries.map { ($0.key, $0.value) }
    default: nil
    }
  }

  /// An object, whatever its keys are; of keys with the same bytes the last counts.
  package init(members: [(key: String, value: JSON)]) {
    let object = Dictionary(members.map { ($0.key, $0.value) }) { _, last in last }
    if object.count == members.count {
      self = .object(object)
      return
    }
    let byBytes = Dictionary(members.map { (Array($0.key.utf8), $0) }) { _, last in last }
    self =
      byBytes.count == object.count
      ? .object(object) : .entries(byBytes.values.map { Entry($0.key, $0.value) })
  }

  package var string: String? {
    if case .string(let value) = self { return value }
    return nil
  }

  package var int: Int64? {
    if case .int(let value) = self { return value }
    return nil
  }

  package var bool: Bool? {
    if case .bool(let value) = self { return value }
    return nil
  }

  package var array: [JSON]? {
    if case .array(let value) = self { return value }
    return nil
  }

  package var object: [String: JSON]? {
    if case .object(let value) = self { return value }
    return members.map { Dictionary($0.map { ($0.key, $0.value) }) { first, _ in first } }
  }
}

// MARK: - Writing

extension JSON {
  /// One line, members sorted by the bytes of their keys, no spaces, non-ASCII text as it is: equal values give equal bytes.
  /// A double that is not finite has no JSON spelling and becomes null.
  package var canonicalText: String {
    var writer = JSONWriter(isPretty: false)
    writer.write(self)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  /// Appends `canonicalText`.
  package func write(to bytes: inout [UInt8]) {
    var writer = JSONWriter(isPretty: false)
    swap(&writer.bytes, &bytes)
    writer.write(self)
    swap(&writer.bytes, &bytes)
  }

  /// Appends a text in quotes.
  package static func write(_ text: String, to bytes: inout [UInt8]) {
    var writer = JSONWriter(isPretty: false)
    swap(&writer.bytes, &bytes)
    writer.writeString(text)
    swap(&writer.bytes, &bytes)
  }

  /// Two spaces of indentation, members sorted, ends without a line break.
  package var prettyText: String {
    var writer = JSONWriter(isPretty: true)
    writer.write(self)
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}

private struct JSONWriter {
  let isPretty: Bool
  var bytes: [UInt8] = []
  var depth = 0

  init(isPretty: Bool) { self.isPretty = isPretty }

  mutating func write(_ value: JSON) {
    switch value {
    case .null: append("null")
    case .bool(let value): append(value ? "true" : "false")
    case .int(let value): append(String(value))
    case .double(let value): append(value.isFinite ? "\(value)" : "null")
    case .number(let spelling): append(spelling)
    case .string(let text): writeString(text)
    case .array(let elements):
      writeList("[", elements, "]") { writer, element in writer.write(element) }
    case .object, .entries:
      let members = value.members ?? []
      let sorted = members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
      writeList("{", sorted, "}") { writer, member in
        writer.writeString(member.key)
        writer.append(writer.isPretty ? ": " : ":")
        writer.write(member.value)
      }
    }
  }

  private mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

  private mutating func writeList<Element>(
    _ open: String, _ elements: [Element], _ close: String,
    _ body: (inout JSONWriter, Element) -> Void
  ) {
    append(open)
    depth += 1
    for (index, element) in elements.enumerated() {
      if index > 0 { append(",") }
      breakLine()
      body(&self, element)
    }
    depth -= 1
    if !elements.isEmpty { breakLine() }
    append(close)
  }

  private mutating func breakLine() {
    guard isPretty else { return }
    append("\n" + String(repeating: "  ", count: depth))
  }

  mutating func writeString(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""): append("\\\"")
      case UInt8(ascii: "\\"): append("\\\\")
      case 0x08: append("\\b")
      case 0x09: append("\\t")
      case 0x0A: append("\\n")
      case 0x0C: append("\\f")
      case 0x0D: append("\\r")
      case 0..<0x20: append("\\u00" + Hex.encode([byte]))
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
