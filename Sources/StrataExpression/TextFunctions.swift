import StrataSchema

/// Operators and functions on text, which count Unicode scalars and compare bytes.
package enum TextFunctions {
  package static func holds(
    _ comparison: ComparisonOperator, _ text: String, _ part: String, _ options: TextOptions
  ) -> Bool {
    if options.isEmpty { return holds(comparison, text, part) }
    let (text, part) = (TextFolding.fold(text, options), TextFolding.fold(part, options))
    // Letters and their accents stand apart in a folded text, and a match must not.
    switch comparison {
    case .beginsWith:
      return text.utf8.starts(with: part.utf8)
        && TextFolding.isBoundary(part.utf8.count, of: Array(text.utf8))
    case .endsWith:
      return text.utf8.reversed().starts(with: part.utf8.reversed())
        && TextFolding.isBoundary(text.utf8.count - part.utf8.count, of: Array(text.utf8))
    case .contains: return containsWhole(Array(text.utf8), Array(part.utf8))
    case .like: return isLike(TextFolding.letters(text), TextFolding.letters(part))
    default: return holds(comparison, text, part)
    }
  }

  /// Whether a folded text contains another one without taking a letter apart.
  private static func containsWhole(_ text: [UInt8], _ part: [UInt8]) -> Bool {
    var start = 0
    while let found = position(of: part, in: text, from: start) {
      if TextFolding.isBoundary(found, of: text),
        TextFolding.isBoundary(found + part.count, of: text)
      {
        return true
      }
      start = found + 1
    }
    return false
  }

  private static func holds(_ comparison: ComparisonOperator, _ text: String, _ part: String)
    -> Bool
  {
    switch comparison {
    case .beginsWith: text.utf8.starts(with: part.utf8)
    case .endsWith: text.utf8.reversed().starts(with: part.utf8.reversed())
    case .contains: contains(Array(text.utf8), Array(part.utf8))
    case .like: isLike(text, part)
    default: comparison.holds(.string(text), .string(part))
    }
  }

  package static func holds(
    _ comparison: ComparisonOperator, _ data: [UInt8], _ part: [UInt8]
  ) -> Bool {
    switch comparison {
    case .beginsWith: data.starts(with: part)
    case .endsWith: data.reversed().starts(with: part.reversed())
    case .contains: contains(data, part)
    default: comparison.holds(.data(data), .data(part))
    }
  }

  static func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
    position(of: part, in: bytes) != nil
  }

  static func position(of part: [UInt8], in bytes: [UInt8], from start: Int = 0) -> Int? {
    guard let first = part.first else { return start }
    guard bytes.count - start >= part.count else { return nil }
    for index in start...(bytes.count - part.count) where bytes[index] == first {
      if bytes[index..<index + part.count].elementsEqual(part) { return index }
    }
    return nil
  }

  /// `?` is one scalar, `*` any number of them; a backslash takes their meaning away.
  static func isLike(_ text: String, _ pattern: String) -> Bool {
    isLike(Array(text.unicodeScalars), Array(pattern.unicodeScalars))
  }

  private static func isLike<Character: LikeCharacter>(
    _ characters: [Character], _ pattern: [Character]
  ) -> Bool {
    let (star, mark, escape) = (Character("*"), Character("?"), Character("\\"))
    var parts: [LikePart<Character>] = []
    var isEscaped = false
    for character in pattern {
      if isEscaped {
        if character != star && character != mark && character != escape {
          parts.append(.character(escape))
        }
        parts.append(.character(character))
        isEscaped = false
      } else if character == escape {
        isEscaped = true
      } else if character == star {
        if parts.last != .any { parts.append(.any) }
      } else {
        parts.append(character == mark ? .one : .character(character))
      }
    }
    if isEscaped { parts.append(.character(escape)) }
    // Greedy with one way back: a later `*` never needs an earlier one to be tried again.
    var (i, j) = (0, 0)
    var retry: (text: Int, part: Int)?
    while i < characters.count {
      if j < parts.count, parts[j] == .any {
        retry = (i, j)
        j += 1
      } else if j < parts.count, parts[j] == .one || parts[j] == .character(characters[i]) {
        i += 1
        j += 1
      } else if let (start, part) = retry {
        retry = (start + 1, part)
        i = start + 1
        j = part + 1
      } else {
        return false
      }
    }
    return parts[j...].allSatisfy { $0 == .any }
  }

  package static func trim(_ text: String) -> String {
    let scalars = text.unicodeScalars
    func isSpace(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.isWhitespace }
    guard let first = scalars.firstIndex(where: { !isSpace($0) }),
      let last = scalars.lastIndex(where: { !isSpace($0) })
    else { return "" }
    return String(scalars[first...last])
  }

  /// Every part from left to right; an empty part is nowhere.
  package static func replace(_ text: String, _ part: String, _ replacement: String) -> String {
    let (bytes, search) = (Array(text.utf8), Array(part.utf8))
    guard !search.isEmpty else { return text }
    var result: [UInt8] = []
    var start = 0
    while let found = position(of: search, in: bytes, from: start) {
      result += bytes[start..<found]
      result += replacement.utf8
      start = found + search.count
    }
    return String(decoding: result + bytes[start...], as: UTF8.self)
  }

  /// Scalars from `start`, counted from 0, at most `length` of them; a position outside of the text gives
  /// what there is.
  package static func substring(_ text: String, _ start: Int64, _ length: Int64?) -> String {
    let scalars = text.unicodeScalars
    var first = start
    var end = Int64.max
    if let length {
      if length <= 0 { return "" }
      let (sum, overflows) = start.addingReportingOverflow(length)
      end = overflows ? .max : sum
    }
    first = max(0, first)
    guard end > first, first < scalars.count else { return "" }
    let count = Swift.min(Int64(scalars.count), end) - first
    return String(String.UnicodeScalarView(scalars.dropFirst(Int(first)).prefix(Int(count))))
  }

  package static func before(_ text: String, _ separator: String) -> String {
    let bytes = Array(text.utf8)
    guard let found = position(of: Array(separator.utf8), in: bytes) else { return text }
    return String(decoding: bytes[..<found], as: UTF8.self)
  }

  package static func after(_ text: String, _ separator: String) -> String? {
    let bytes = Array(text.utf8)
    let search = Array(separator.utf8)
    guard let found = position(of: search, in: bytes) else { return nil }
    return String(decoding: bytes[(found + search.count)...], as: UTF8.self)
  }
}

/// One part of a pattern.
private enum LikePart<Character: LikeCharacter>: Equatable {
  case character(Character)
  case one
  case any
}

/// What `?` stands for in a pattern: a scalar, or in a folded text a letter with its accents.
private protocol LikeCharacter: Equatable {
  init(_ sign: Unicode.Scalar)
}

extension Unicode.Scalar: LikeCharacter {}

extension [Unicode.Scalar]: LikeCharacter {
  fileprivate init(_ sign: Unicode.Scalar) { self = [sign] }
}
