/// The one place that quotes: nothing that a user wrote reaches SQL in another way than through here or
/// as a bound value.
package enum SQL {
  /// `Person.dogs` → `"Person.dogs"`.
  package static func identifier(_ name: String) -> String {
    quote(name, with: UInt8(ascii: "\""))
  }

  /// A name with its database in front where there is one: `"aside"."Person"`.
  package static func identifier(_ name: String, in database: String?) -> String {
    database.map { identifier($0) + "." + identifier(name) } ?? identifier(name)
  }

  /// Names in quotes, with commas between them.
  package static func identifiers(_ names: some Sequence<String>) -> String {
    names.map(identifier).joined(separator: ", ")
  }

  /// A string literal; U+0000 cannot stand in SQL text and is spelled by its code.
  package static func literal(_ text: String) -> String {
    let parts = text.utf8.split(separator: 0, omittingEmptySubsequences: false).map {
      quote(String(decoding: $0, as: UTF8.self), with: UInt8(ascii: "'"))
    }
    return parts.count == 1 ? parts[0] : "(" + parts.joined(separator: " || char(0) || ") + ")"
  }

  /// `?, ?, ?`.
  package static func placeholders(_ count: Int) -> String {
    Array(repeating: "?", count: count).joined(separator: ", ")
  }

  private static func quote(_ text: String, with mark: UInt8) -> String {
    var bytes: [UInt8] = [mark]
    for byte in text.utf8 {
      if byte == mark { bytes.append(mark) }
      bytes.append(byte)
    }
    bytes.append(mark)
    return String(decoding: bytes, as: UTF8.self)
  }
}
