/// JSON as text, for renderers: members stay in the order in which they are given.
indirect enum JSONText {
  case null
  case bool(Bool)
  case int(Int)
  case string(String)
  case array([JSONText])
  case object([(key: String, value: JSONText)])

  static func optional(_ text: String?) -> JSONText { text.map { .string($0) } ?? .null }
  static func optional(_ number: Int?) -> JSONText { number.map { .int($0) } ?? .null }

  /// Two spaces of indentation, with a line break at the end.
  var prettyText: String {
    var bytes: [UInt8] = []
    write(to: &bytes, indentation: 0)
    bytes.append(0x0A)
    return String(decoding: bytes, as: UTF8.self)
  }

  private func write(to bytes: inout [UInt8], indentation: Int) {
    switch self {
    case .null: bytes += "null".utf8
    case .bool(let value): bytes += "\(value)".utf8
    case .int(let value): bytes += String(value).utf8
    case .string(let text): Self.write(text, to: &bytes)
    case .array(let elements):
      Self.write("[", elements, "]", to: &bytes, indentation: indentation) { element, bytes in
        element.write(to: &bytes, indentation: indentation + 2)
      }
    case .object(let members):
      Self.write("{", members, "}", to: &bytes, indentation: indentation) { member, bytes in
        Self.write(member.key, to: &bytes)
        bytes += ": ".utf8
        member.value.write(to: &bytes, indentation: indentation + 2)
      }
    }
  }

  private static func write<Element>(
    _ open: String, _ elements: [Element], _ close: String, to bytes: inout [UInt8],
    indentation: Int, _ body: (Element, inout [UInt8]) -> Void
  ) {
    bytes += open.utf8
    for (index, element) in elements.enumerated() {
      bytes += (index == 0 ? "\n" : ",\n").utf8
      bytes += [UInt8](repeating: 0x20, count: indentation + 2)
      body(element, &bytes)
    }
    if !elements.isEmpty {
      bytes.append(0x0A)
      bytes += [UInt8](repeating: 0x20, count: indentation)
    }
    bytes += close.utf8
  }

  private static func write(_ text: String, to bytes: inout [UInt8]) {
    let digits = Array("0123456789abcdef".utf8)
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case 0x0A: bytes += "\\n".utf8
      case 0x0D: bytes += "\\r".utf8
      case 0x09: bytes += "\\t".utf8
      case 0..<0x20, 0x7F:
        bytes += "\\u00".utf8
        bytes += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
