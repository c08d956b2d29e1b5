// Names that are one to Unicode and differ in their scalars: `é` is one or two. Swift's strings are equal then, and SQLite's names are not.

extension String {
  /// The scalars in which a text differs from an equal one, as `U+0065 U+0301`.
  func scalars(unlike other: String) -> String {
    let (own, others) = (Array(unicodeScalars), Array(other.unicodeScalars))
    let first = zip(own, others).prefix { $0 == $1 }.count
    let rest = min(own.count, others.count) - first
    let last = zip(own.reversed(), others.reversed()).prefix(rest).prefix { $0 == $1 }.count
    return own[first..<own.count - last].map { scalar in
      let digits = String(scalar.value, radix: 16, uppercase: true)
      return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }.joined(separator: " ")
  }
}

extension JSON {
  /// Whether two values have the same canonical text, byte by byte.
  func isSpelled(like other: JSON) -> Bool { canonicalText.isSpelled(like: other.canonicalText) }
}

extension Schema {
  /// Whether a schema that is equal to another one has each name and text as that spells it.
  package func isSpelled(like other: Schema) -> Bool { json.isSpelled(like: other.json) }
}

extension Model {
  /// Whether a model that is equal to another one has the same bytes in its names, those of its types and its rules.
  func isSpelled(like other: Model) -> Bool {
    name.isSpelled(like: other.name)
      && zip(properties, other.properties).allSatisfy {
        $0.name.isSpelled(like: $1.name) && $0.type.isSpelled(like: $1.type)
      }
      && zip(rules, other.rules).allSatisfy {
        $0.name.isSpelled(like: $1.name) && $0.condition.isSpelled(like: $1.condition)
      }
  }
}

extension PropertyType {
  /// Whether a type that is equal to another one names models and enums as that does.
  fileprivate func isSpelled(like other: PropertyType) -> Bool {
    if case .scalar? = valueType?.base { return true }
    return spelling.isSpelled(like: other.spelling)
  }
}

extension SchemaComparison {
  /// Reports a name that continues one which is equal to it and has other bytes: the file would have one, and programs the other.
  mutating func compareSpelling(
    _ old: String, _ new: String, at path: SchemaPath, from oldPath: SchemaPath
  ) {
    guard old == new, !old.isSpelled(like: new) else { return }
    report(
      .nameSpelledOtherwise, at: path, from: oldPath,
      "'\(path)' has other Unicode scalars than before, which is another name in a file: \(new.scalars(unlike: old)), it was \(old.scalars(unlike: new))"
    )
  }
}
