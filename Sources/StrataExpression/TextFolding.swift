package import StrataSchema

/// What `[c]` and `[d]` ignore.
///
/// Both compare canonically equivalent texts as equal (a letter with a composed accent and the same
/// letter with the accent behind it). `[c]` applies Unicode's full, locale-independent case folding (`ß`
/// and `SS` are the same, `ı` and `I` are not). `[d]` leaves out the nonspacing marks that Unicode calls
/// diacritics; without it a letter and its diacritics are one, so that `über` does not begin with `u`.
/// Letters that Unicode does not take apart (`ø`, `ł`) stay what they are.
package enum TextFolding {
  /// The text to compare byte by byte in place of `text`.
  package static func fold(_ text: String, _ options: TextOptions) -> String {
    if options.isEmpty { return text }
    var text = text
    let isASCII = text.utf8.allSatisfy { $0 < 0x80 }
    if isASCII {
      guard options.contains(.caseInsensitive) else { return text }
      return String(
        decoding: text.utf8.map { (65...90).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
    text.makeContiguousUTF8()
    var scalars = decomposed(text.unicodeScalars)
    if options.contains(.caseInsensitive) {
      var folded: [Unicode.Scalar] = []
      folded.reserveCapacity(scalars.count)
      for scalar in scalars { appendFolded(scalar, to: &folded) }
      scalars = decomposed(folded)
    }
    if options.contains(.diacriticInsensitive) {
      scalars.removeAll(where: isDiacritic)
    }
    var result = ""
    result.unicodeScalars.append(contentsOf: scalars)
    return result
  }

  private static func isDiacritic(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value >= 0x300 && scalar.properties.isDiacritic
      && scalar.properties.generalCategory == .nonspacingMark
  }

  // MARK: Letters

  /// Whether a folded text may be cut at a byte, which begins a scalar: not between a letter and its diacritics, nor where
  /// Unicode composes one letter of two scalars.
  static func isBoundary(_ position: Int, of text: [UInt8]) -> Bool {
    if position == 0 || position == text.count || text[position] < 0x80 { return true }
    guard
      let next = String(decoding: text[position...].prefix(4), as: UTF8.self).unicodeScalars.first
    else { return true }
    var start = position - 1
    while start > 0, text[start] & 0xC0 == 0x80 { start -= 1 }
    guard let last = String(decoding: text[start..<position], as: UTF8.self).unicodeScalars.first
    else { return true }
    return !belongs(next, to: last)
  }

  /// The letters of a folded text, each with its diacritics.
  static func letters(_ text: String) -> [[Unicode.Scalar]] {
    var letters: [[Unicode.Scalar]] = []
    var last: Unicode.Scalar?
    for scalar in text.unicodeScalars {
      if let last, belongs(scalar, to: last) {
        letters[letters.count - 1].append(scalar)
      } else {
        letters.append([scalar])
      }
      last = scalar
    }
    return letters
  }

  private static func belongs(_ scalar: Unicode.Scalar, to last: Unicode.Scalar) -> Bool {
    if scalar.value < 0x300 { return false }
    return isDiacritic(scalar) || pairs.contains(UInt64(last.value) << 32 | UInt64(scalar.value))
      // The vowels and trailing letters of Hangul.
      || (0x1161...0x1175).contains(scalar.value) && (0x1100...0x1112).contains(last.value)
      || (0x11A8...0x11C2).contains(scalar.value) && (0x1161...0x1175).contains(last.value)
  }

  /// Neighbours in what Unicode takes apart.
  private static let pairs: Set<UInt64> = {
    var pairs: Set<UInt64> = []
    for scalars in table.values {
      for (first, second) in zip(scalars, scalars.dropFirst()) {
        pairs.insert(UInt64(first.value) << 32 | UInt64(second.value))
      }
    }
    return pairs
  }()

  // MARK: Case

  private static func appendFolded(_ scalar: Unicode.Scalar, to folded: inout [Unicode.Scalar]) {
    if scalar.value < 0x80 {
      let isUpper = (65...90).contains(scalar.value)
      folded.append(isUpper ? Unicode.Scalar(UInt8(scalar.value) | 0x20) : scalar)
      return
    }
    let properties = scalar.properties
    guard properties.changesWhenCaseFolded else {
      folded.append(scalar)
      return
    }
    // Cherokee alone folds to its upper case, which came first.
    if (0xAB70...0xABBF).contains(scalar.value) || (0x13F8...0x13FD).contains(scalar.value) {
      folded.append(contentsOf: properties.uppercaseMapping.unicodeScalars)
      return
    }
    // The library has no case folding; lower of upper of lower is the same for every other scalar that
    // folding changes.
    for lower in properties.lowercaseMapping.unicodeScalars {
      for upper in lower.properties.uppercaseMapping.unicodeScalars {
        folded.append(contentsOf: upper.properties.lowercaseMapping.unicodeScalars)
      }
    }
  }

  // MARK: Decomposition

  private static let table: [UInt32: [Unicode.Scalar]] = {
    var table: [UInt32: [Unicode.Scalar]] = [:]
    var key: UInt32?
    var value: UInt32 = 0
    var scalars: [Unicode.Scalar] = []
    CanonicalDecompositions.text.withUTF8Buffer { bytes in
      for byte in bytes {
        switch byte {
        case UInt8(ascii: "="):
          key = value
          value = 0
        case UInt8(ascii: " "), UInt8(ascii: ","):
          if let scalar = Unicode.Scalar(value) { scalars.append(scalar) }
          value = 0
          if byte == UInt8(ascii: ","), let composed = key {
            table[composed] = scalars
            scalars = []
            key = nil
          }
        default:
          value = value << 4 | UInt32(byte <= UInt8(ascii: "9") ? byte - 48 : byte - 55)
        }
      }
    }
    return table
  }()

  /// Normalisation form D.
  private static func decomposed(_ text: some Sequence<Unicode.Scalar>) -> [Unicode.Scalar] {
    var result: [Unicode.Scalar] = []
    var marks = 0..<0  // the marks at the end whose order is still open
    func sortMarks() {
      guard marks.count > 1 else { return }
      let sorted = result[marks].enumerated().sorted {
        let (a, b) = (
          $0.element.properties.canonicalCombiningClass.rawValue,
          $1.element.properties.canonicalCombiningClass.rawValue
        )
        return a != b ? a < b : $0.offset < $1.offset
      }
      result.replaceSubrange(marks, with: sorted.map(\.element))
    }
    func append(_ scalar: Unicode.Scalar) {
      result.append(scalar)
      if scalar.value >= 0x300, scalar.properties.canonicalCombiningClass != .notReordered {
        marks = marks.lowerBound..<result.count
      } else {
        result.removeLast()
        sortMarks()
        result.append(scalar)
        marks = result.count..<result.count
      }
    }
    for scalar in text {
      let value = scalar.value
      if value < 0xC0 {
        append(scalar)
      } else if (0xAC00...0xD7A3).contains(value) {
        for part in hangul(value - 0xAC00) { append(part) }
      } else if let parts = table[value] {
        for part in parts { append(part) }
      } else {
        append(scalar)
      }
    }
    sortMarks()
    return result
  }

  /// The Unicode Standard, 3.12: the syllable's leading, vowel and trailing letter.
  private static func hangul(_ index: UInt32) -> [Unicode.Scalar] {
    let parts = [0x1100 + index / 588, 0x1161 + index % 588 / 28, 0x11A7 + index % 28]
    return parts.filter { $0 != 0x11A7 }.compactMap(Unicode.Scalar.init)
  }
}

extension Value {
  /// A text without what a comparison with the options does not look at; another value is itself.
  package func folded(_ options: TextOptions) -> Value {
    if case .string(let text) = self { return .string(TextFolding.fold(text, options)) }
    return self
  }
}
