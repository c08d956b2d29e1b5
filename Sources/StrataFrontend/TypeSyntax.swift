import StrataSource
import StrataYAML

/// A type as it is written: a name, perhaps optional, perhaps in a collection. Whether the name exists is
/// looked up later.
package struct TypeSyntax: Sendable {
  package enum Shape: String, Sendable {
    case value
    case list
    case set
    case map
  }

  package var shape: Shape
  package var name: Located<String>
  package var isOptional: Bool
  /// The whole type.
  package var range: Range<Int> {
    get { compactRange.range }
    set { compactRange = ByteRange(newValue) }
  }

  private var compactRange: ByteRange

  init(shape: Shape, name: Located<String>, isOptional: Bool, range: Range<Int>) {
    self.shape = shape
    self.name = name
    self.isOptional = isOptional
    self.compactRange = ByteRange(range)
  }

  /// The type as the language spells it.
  package var spelling: String {
    Self.spelling(shape, of: name.value + (isOptional ? "?" : ""))
  }

  static func spelling(_ shape: Shape, of value: String) -> String {
    switch shape {
    case .value: value
    case .list: "[\(value)]"
    case .set: "set<\(value)>"
    case .map: "map<\(value)>"
    }
  }
}

/// Why a text is no type.
struct TypeSyntaxError: Error {
  var message: String
  var range: Range<Int>
  var help: String
  /// What the whole type should be, if that is clear.
  var replacement: String?
}

extension TypeSyntax {
  private static let example =
    "a type is written like string, int?, Person?, [Dog], set<string> or map<double>"

  /// Reads the type that a node says: a text, or for a list a YAML list with one text in it.
  static func read(_ node: YAMLNode) throws(TypeSyntaxError) -> TypeSyntax {
    switch node.content {
    case .scalar(let scalar):
      if scalar.isPlain, let type = plainType(scalar.text, range: node.range) { return type }
      var parser = TypeParser(scalar, range: node.range)
      return try parser.parseType()
    case .sequence(let elements, _):
      guard elements.count == 1, let scalar = elements[0].scalar, !scalar.isNull else {
        let isNested = elements.count == 1
        throw TypeSyntaxError(
          message: isNested
            ? "a list of lists cannot be stored"
            : "a list type names one element type, and this names \(elements.count)",
          range: node.range,
          help: isNested
            ? "make the inner list a property of a model"
            : "write the element type in brackets: [Dog]")
      }
      var parser = TypeParser(scalar, range: elements[0].range)
      var type = try parser.parseElement()
      type.shape = .list
      type.range = node.range
      return type
    case .mapping, .refused:
      throw TypeSyntaxError(
        message: "a mapping is no type", range: node.range, help: Self.example)
    }
  }

  fileprivate static var help: String { example }

  /// The common case, a name of ASCII characters, perhaps with a `?`; nil for everything else.
  private static func plainType(_ text: String, range: Range<Int>) -> TypeSyntax? {
    guard range.count == text.utf8.count else { return nil }
    var isOptional = false
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
        if isOptional { return nil }
      case UInt8(ascii: "?"):
        if isOptional { return nil }
        isOptional = true
      default: return nil
      }
    }
    let nameRange = range.lowerBound..<range.upperBound - (isOptional ? 1 : 0)
    guard !nameRange.isEmpty else { return nil }
    return TypeSyntax(
      shape: .value,
      name: Located(isOptional ? String(text.dropLast()) : text, at: nameRange),
      isOptional: isOptional, range: range)
  }
}

private struct TypeParser {
  private let bytes: [UInt8]
  private let range: Range<Int>
  /// Where the first byte of the text stands in the file; nil where escapes make offsets meaningless.
  private let base: Int?
  private var position = 0

  init(_ scalar: YAMLScalar, range: Range<Int>) {
    bytes = Array(scalar.text.utf8)
    self.range = range
    if scalar.isPlain, bytes.count == range.count {
      base = range.lowerBound
    } else if bytes.count + 2 == range.count {
      base = range.lowerBound + 1
    } else {
      base = nil
    }
  }

  private func place(_ part: Range<Int>) -> Range<Int> {
    base.map { part.lowerBound + $0..<part.upperBound + $0 } ?? range
  }

  private func text(_ part: Range<Int>) -> String { String(decoding: bytes[part], as: UTF8.self) }

  private mutating func skipSpaces() {
    while position < bytes.count, bytes[position] == 0x20 { position += 1 }
  }

  private mutating func accept(_ byte: Character) -> Bool {
    skipSpaces()
    guard position < bytes.count, bytes[position] == byte.asciiValue else { return false }
    position += 1
    return true
  }

  /// The next run of characters that mean nothing to the syntax.
  private mutating func parseName() -> Range<Int> {
    skipSpaces()
    let start = position
    while position < bytes.count {
      switch bytes[position] {
      case 0x20, UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "["), UInt8(ascii: "]"),
        UInt8(ascii: "?"), UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "!"):
        return start..<position
      default: position += 1
      }
    }
    return start..<position
  }

  mutating func parseType() throws(TypeSyntaxError) -> TypeSyntax {
    if accept("[") {
      var type = try parseInner()
      guard accept("]") else { throw error("']' was expected", help: "write [\(type.name.value)]") }
      type.shape = .list
      return try finish(&type)
    }
    let start = position
    let name = parseName()
    guard accept("<") else {
      position = start
      return try parseElement()
    }
    let shape: TypeSyntax.Shape
    switch text(name) {
    case "set": shape = .set
    case "map": shape = .map
    case "list", "array", "List", "Array":
      var type = try parseInner()
      type.shape = .list
      throw TypeSyntaxError(
        message: "a list is written in brackets", range: range, help: "write \(type.spelling)",
        replacement: type.spelling)
    default:
      throw TypeSyntaxError(
        message: "'\(text(name))' is no collection", range: place(name),
        help: "collections are [T], set<T> and map<T>")
    }
    var type = try parseInner()
    if shape == .map, accept(",") {
      let value = try parseInner()
      throw TypeSyntaxError(
        message: "a map names its value type only; its keys are strings", range: range,
        help: "write map<\(value.spelling)>",
        replacement: type.name.value == "string" ? "map<\(value.spelling)>" : nil)
    }
    guard accept(">") else {
      throw error("'>' was expected", help: "write \(shape)<\(type.name.value)>")
    }
    type.shape = shape
    return try finish(&type)
  }

  /// The element of a collection: a name, perhaps optional.
  private mutating func parseInner() throws(TypeSyntaxError) -> TypeSyntax {
    skipSpaces()
    let start = position
    let name = parseName()
    if position < bytes.count,
      bytes[position] == UInt8(ascii: "<") || bytes[position] == UInt8(ascii: "[")
    {
      throw TypeSyntaxError(
        message: "a collection of collections cannot be stored", range: range,
        help: "make the inner collection a property of a model")
    }
    guard !name.isEmpty else { throw error("a type was expected", help: TypeSyntax.help) }
    var type = TypeSyntax(
      shape: .value, name: Located(text(name), at: place(name)), isOptional: false, range: range)
    type.isOptional = accept("?")
    if type.isOptional, accept("?") {
      throw TypeSyntaxError(
        message: "one '?' is enough", range: place(start..<position),
        help: "write \(type.spelling)", replacement: nil)
    }
    return type
  }

  /// A name, perhaps optional, and nothing behind it.
  mutating func parseElement() throws(TypeSyntaxError) -> TypeSyntax {
    var type = try parseInner()
    return try finish(&type)
  }

  private mutating func finish(_ type: inout TypeSyntax) throws(TypeSyntaxError) -> TypeSyntax {
    if type.shape != .value, accept("?") {
      skipSpaces()
      throw TypeSyntaxError(
        message: "a collection is never optional; it is empty instead", range: range,
        help: "write \(type.spelling)", replacement: position == bytes.count ? type.spelling : nil)
    }
    skipSpaces()
    guard position == bytes.count else {
      throw error(
        "'\(text(position..<bytes.count))' does not belong to a type", help: TypeSyntax.help)
    }
    return type
  }

  private func error(_ message: String, help: String) -> TypeSyntaxError {
    TypeSyntaxError(
      message: message,
      range: position < bytes.count ? place(position..<bytes.count) : range, help: help)
  }
}
