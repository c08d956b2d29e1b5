import Foundation
package import StrataRealm
import StrataSchema

extension RealmValue {
  /// As the dump of Realm's own core spells a value. Decimals are spelled by their canonical digits, because the core writes
  /// one number in several ways.
  ///
  /// - Parameter isOnlyLink: of a property that is a link, where the table goes without saying.
  package func dumpText(isOnlyLink: Bool = false) -> String {
    func hex(_ bytes: some Sequence<UInt8>) -> String {
      bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
    func padded(_ bits: UInt64, _ count: Int) -> String {
      let text = String(bits, radix: 16)
      return String(repeating: "0", count: count - text.utf8.count) + text
    }
    switch self {
    case .null, .goneLink: return "n"
    case .bool(let value): return "b:\(value ? 1 : 0)"
    case .int(let value): return "i:\(value)"
    case .float(let bits): return "f:" + padded(UInt64(bits), 8)
    case .double(let bits): return "d:" + padded(bits, 16)
    case .string(let text): return "s:" + hex(text.utf8)
    case .damagedText(let bytes): return "damaged:" + hex(bytes)
    case .data(let bytes): return "x:" + hex(bytes)
    case .date(let seconds, let nanoseconds): return "t:\(seconds):\(nanoseconds)"
    case .decimal(let value): return "D:" + Self.canonical(value.text)
    case .objectID(let value): return "o:\(value)"
    case .uuid(let value): return "u:" + value.description.lowercased()
    case .link(let link): return isOnlyLink ? "l:\(link.key)" : "L:\(link.table):\(link.key)"
    case .list(let values): return "[" + values.map { $0.dumpText() + "," }.joined() + "]"
    case .dictionary(let entries):
      return "{"
        + entries.map { "s:\(hex($0.key.utf8))=\($0.value.dumpText())," }.joined() + "}"
    }
  }

  /// The digits of a decimal without an exponent.
  package static func canonical(_ text: String) -> String { DecimalValue(text)?.text ?? text }

  /// A cell of the dump with its decimals spelled so.
  package static func canonicalCell(_ cell: Substring) -> String {
    var result = ""
    var rest = cell
    while let start = rest.range(of: "D:") {
      result += rest[..<start.upperBound]
      rest = rest[start.upperBound...]
      let digits = rest.prefix { $0 != "," && $0 != "]" && $0 != "}" }
      result += canonical(String(digits))
      rest = rest.dropFirst(digits.count)
    }
    return result + rest
  }
}

extension RealmChunk {
  /// A cell as the dump of Realm's own core has it.
  package func dumpText(_ column: Int, _ row: Int) throws -> String {
    let declared = table.columns[column]
    if declared.collection == .none {
      var isOnlyLink = false
      if case .link = declared.kind { isOnlyLink = true }
      return try value(column, row).dumpText(isOnlyLink: isOnlyLink)
    }
    let isMap = declared.collection == .dictionary
    var text = isMap ? "{" : "["
    var isOfLinks = false
    if case .link = declared.kind { isOfLinks = true }
    try forEachElement(column, row) { key, value in
      if isOfLinks, key == nil, case .goneLink = value { return }
      if let key { text += RealmValue.string(key.keyText).dumpText() + "=" }
      text += value.dumpText() + ","
    }
    return text + (isMap ? "}" : "]")
  }
}
