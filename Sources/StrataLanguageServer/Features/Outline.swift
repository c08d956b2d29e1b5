import StrataFrontend
import StrataSchema

/// Writes the outline of a file: its models and enums with their properties and cases, as a list of "DocumentSymbol".
///
/// As text, because the values of a file with 1,000 models would be 200,000, and making them takes longer than all else.
struct OutlineWriter {
  let lines: TextLines
  private(set) var bytes: [UInt8] = []

  init(_ lines: TextLines) { self.lines = lines }

  /// - Parameter declared: what the file declares, each model and enum before what it has.
  static func outline(of declared: [Occurrence], in lines: TextLines) -> [UInt8] {
    var writer = OutlineWriter(lines)
    writer.write(declared[...])
    return writer.bytes
  }

  private mutating func write(_ declared: ArraySlice<Occurrence>) {
    append("[")
    var rest = declared.drop { $0.symbol.symbol.isPart }
    var isFirst = true
    while let found = rest.popFirst() {
      if !isFirst { append(",") }
      isFirst = false
      let parts = rest.prefix { $0.symbol.symbol.isPart }
      rest = rest[parts.endIndex...]
      append(#"{"children":["#)
      for (index, part) in parts.enumerated() {
        append(index > 0 ? ",{" : "{")
        writeMembers(of: part)
      }
      append("],")
      writeMembers(of: found)
    }
    append("]")
  }

  /// All members but the children, and the end of the object.
  private mutating func writeMembers(of found: Occurrence) {
    append(#""kind":"#)
    append(found.symbol.symbol.kindNumber)
    append(#","name":"#)
    JSON.write(found.symbol.symbol.name, to: &bytes)
    let start = lines.position(of: found.range.lowerBound)
    let end = lines.position(of: found.range.upperBound)
    append(#","range":"#)
    write(start, end)
    append(#","selectionRange":"#)
    write(start, end)
    append("}")
  }

  private mutating func write(_ start: TextPosition, _ end: TextPosition) {
    append(#"{"end":"#)
    write(end)
    append(#","start":"#)
    write(start)
    append("}")
  }

  private mutating func write(_ position: TextPosition) {
    append(#"{"character":"#)
    append(position.character)
    append(#","line":"#)
    append(position.line)
    append("}")
  }

  private mutating func append(_ text: StaticString) {
    bytes.append(
      contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  private mutating func append(_ number: Int) { bytes.append(contentsOf: String(number).utf8) }
}

extension Symbol {
  /// Whether it stands in the outline below a model or an enum.
  fileprivate var isPart: Bool {
    switch self {
    case .model, .enumeration: false
    case .property, .enumCase: true
    }
  }

  /// Its number in the protocol, "SymbolKind".
  var kindNumber: Int {
    switch self {
    case .model: 5
    case .property: 7
    case .enumeration: 10
    case .enumCase: 22
    }
  }
}
