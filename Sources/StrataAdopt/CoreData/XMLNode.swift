/// An element of an XML text with its attributes and elements; text between elements is joined.
struct XMLNode {
  var name: String
  var attributes: [String: String] = [:]
  var children: [XMLNode] = []
  var text = ""

  func elements(_ name: String) -> [XMLNode] { children.filter { $0.name == name } }
}

/// Why a text is no XML that is read here, and from which byte on.
struct XMLProblem: Error {
  let message: String
  let offset: Int
}

/// Reads the XML that Xcode writes: elements, attributes, character references and the five named entities.
/// A document type that declares anything is refused, so that no entity can grow or lead to another file.
struct XMLReader {
  static let maximumDepth = 32
  static let maximumElements = 1_000_000

  private let bytes: [UInt8]
  private var position = 0
  private var count = 0

  static func read(_ bytes: [UInt8]) throws(XMLProblem) -> XMLNode {
    var reader = XMLReader(bytes: bytes)
    return try reader.document()
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private func problem(_ message: String) -> XMLProblem {
    XMLProblem(message: message, offset: min(position, bytes.count))
  }

  private func starts(_ text: String) -> Bool { bytes[position...].starts(with: text.utf8) }

  private mutating func skip(past text: String, in what: String) throws(XMLProblem) {
    let end = Array(text.utf8)
    var index = position
    while index + end.count <= bytes.count {
      if bytes[index] == end[0], bytes[index...].starts(with: end) {
        position = index + end.count
        return
      }
      index += 1
    }
    throw problem("the text ends inside \(what)")
  }

  private mutating func skipSpace() {
    while position < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[position]) {
      position += 1
    }
  }

  private mutating func document() throws(XMLProblem) -> XMLNode {
    guard String(validating: bytes, as: UTF8.self) != nil else { throw problem("it is not UTF-8") }
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    try skipMisc(allowsDocumentType: true)
    guard position < bytes.count else { throw problem("there is no element in it") }
    let root = try element(depth: 0)
    try skipMisc(allowsDocumentType: false)
    guard position == bytes.count else {
      throw problem("there is something behind the last element")
    }
    return root
  }

  private mutating func skipMisc(allowsDocumentType: Bool) throws(XMLProblem) {
    while true {
      skipSpace()
      if starts("<?") {
        try skip(past: "?>", in: "a processing instruction")
      } else if starts("<!--") {
        try skip(past: "-->", in: "a comment")
      } else if starts("<!DOCTYPE"), allowsDocumentType {
        let start = position
        try skip(past: ">", in: "the document type")
        if bytes[start..<position].contains(UInt8(ascii: "[")) {
          position = start
          throw problem("it declares entities or a document type of its own, which is not read")
        }
      } else {
        return
      }
    }
  }

  private mutating func name() throws(XMLProblem) -> String {
    let start = position
    while position < bytes.count,
      ![0x20, 0x09, 0x0A, 0x0D, 0x3D, 0x2F, 0x3E, 0x3C, 0x22, 0x27, 0x26].contains(bytes[position])
    {
      position += 1
    }
    guard position > start else { throw problem("a name is expected") }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private mutating func element(depth: Int) throws(XMLProblem) -> XMLNode {
    guard starts("<") else { throw problem("an element is expected") }
    guard depth < Self.maximumDepth else {
      throw problem("elements are nested more than \(Self.maximumDepth) deep")
    }
    count += 1
    guard count <= Self.maximumElements else {
      throw problem("there are more than \(Self.maximumElements) elements")
    }
    position += 1
    var node = XMLNode(name: try name())
    while true {
      skipSpace()
      if starts("/>") {
        position += 2
        return node
      }
      if starts(">") {
        position += 1
        break
      }
      guard position < bytes.count else { throw problem("the text ends inside <\(node.name)>") }
      let key = try name()
      skipSpace()
      guard starts("=") else { throw problem("'=' is expected behind '\(key)'") }
      position += 1
      skipSpace()
      guard let quote = position < bytes.count ? bytes[position] : nil,
        quote == 0x22 || quote == 0x27
      else { throw problem("the value of '\(key)' is not in quotes") }
      position += 1
      let start = position
      while position < bytes.count, bytes[position] != quote, bytes[position] != 0x3C {
        position += 1
      }
      guard position < bytes.count, bytes[position] == quote else {
        throw problem("the value of '\(key)' has no end")
      }
      let value = try decode(start..<position)
      position += 1
      guard node.attributes.updateValue(value, forKey: key) == nil else {
        throw problem("'\(key)' stands twice in <\(node.name)>")
      }
    }
    try content(of: &node, depth: depth)
    return node
  }

  private mutating func content(of node: inout XMLNode, depth: Int) throws(XMLProblem) {
    while true {
      let start = position
      while position < bytes.count, bytes[position] != 0x3C { position += 1 }
      if position > start { node.text += try decode(start..<position) }
      guard position < bytes.count else { throw problem("the text ends inside <\(node.name)>") }
      if starts("</") {
        position += 2
        let end = try name()
        skipSpace()
        guard end == node.name, starts(">") else {
          throw problem("<\(node.name)> is closed by </\(end)>")
        }
        position += 1
        return
      }
      if starts("<!--") {
        try skip(past: "-->", in: "a comment")
      } else if starts("<?") {
        try skip(past: "?>", in: "a processing instruction")
      } else if starts("<![CDATA[") {
        position += 9
        let start = position
        try skip(past: "]]>", in: "a CDATA section")
        node.text += String(decoding: bytes[start..<position - 3], as: UTF8.self)
      } else {
        node.children.append(try element(depth: depth + 1))
      }
    }
  }

  private func decode(_ range: Range<Int>) throws(XMLProblem) -> String {
    guard bytes[range].contains(0x26) else {
      return String(decoding: bytes[range], as: UTF8.self)
    }
    var result = ""
    var rest = bytes[range]
    while let ampersand = rest.firstIndex(of: 0x26) {
      result += String(decoding: rest[..<ampersand], as: UTF8.self)
      guard let end = rest[ampersand...].firstIndex(of: 0x3B) else {
        throw problem("'&' begins no reference")
      }
      let word = String(decoding: rest[(ampersand + 1)..<end], as: UTF8.self)
      switch word {
      case "amp": result += "&"
      case "lt": result += "<"
      case "gt": result += ">"
      case "quot": result += "\""
      case "apos": result += "'"
      default:
        let code =
          word.hasPrefix("#x")
          ? UInt32(word.dropFirst(2), radix: 16)
          : word.hasPrefix("#") ? UInt32(word.dropFirst()) : nil
        guard let scalar = code.flatMap(Unicode.Scalar.init) else {
          throw problem("there is no entity '\(word)'")
        }
        result.unicodeScalars.append(scalar)
      }
      rest = rest[(end + 1)...]
    }
    return result + String(decoding: rest, as: UTF8.self)
  }
}
